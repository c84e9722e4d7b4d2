// States of 0.3.

import type { TaskState } from '../../model/task.ts'
import type { WireState } from './wire.ts'

const WIRE_STATES: Readonly<Record<TaskState, WireState>> = {
  TASK_STATE_UNSPECIFIED: 'unknown',
  TASK_STATE_SUBMITTED: 'submitted',
  TASK_STATE_WORKING: 'working',
  TASK_STATE_COMPLETED: 'completed',
  TASK_STATE_FAILED: 'failed',
  TASK_STATE_CANCELED: 'canceled',
  TASK_STATE_INPUT_REQUIRED: 'input-required',
  TASK_STATE_REJECTED: 'rejected',
  TASK_STATE_AUTH_REQUIRED: 'auth-required',
}

const MODEL_STATES = new Map<WireState, TaskState>()
for (const [state, wire] of Object.entries(WIRE_STATES)) MODEL_STATES.set(wire, state as TaskState)

export function encodeState(state: TaskState): WireState {
  return WIRE_STATES[state]
}

export function decodeState(state: WireState): TaskState {
  return MODEL_STATES.get(state) ?? 'TASK_STATE_UNSPECIFIED'
}
