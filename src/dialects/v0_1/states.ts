// States of the `tasks/send` generation and its strict transitions.

import type { TaskState } from '../../model/task.ts'
import type { WireState } from './wire.ts'

/** There was no "rejected" and no "auth-required": a refusal failed, and authorization was input. */
const WIRE_STATES: Readonly<Record<TaskState, WireState>> = {
  TASK_STATE_UNSPECIFIED: 'unknown',
  TASK_STATE_SUBMITTED: 'submitted',
  TASK_STATE_WORKING: 'working',
  TASK_STATE_COMPLETED: 'completed',
  TASK_STATE_FAILED: 'failed',
  TASK_STATE_REJECTED: 'failed',
  TASK_STATE_CANCELED: 'canceled',
  TASK_STATE_INPUT_REQUIRED: 'input-required',
  TASK_STATE_AUTH_REQUIRED: 'input-required',
}

const MODEL_STATES: Readonly<Record<WireState, TaskState>> = {
  unknown: 'TASK_STATE_UNSPECIFIED',
  submitted: 'TASK_STATE_SUBMITTED',
  working: 'TASK_STATE_WORKING',
  completed: 'TASK_STATE_COMPLETED',
  failed: 'TASK_STATE_FAILED',
  canceled: 'TASK_STATE_CANCELED',
  'input-required': 'TASK_STATE_INPUT_REQUIRED',
}

export function encodeState(state: TaskState): WireState {
  return WIRE_STATES[state]
}

export function decodeState(state: WireState): TaskState {
  return MODEL_STATES[state]
}

const NEXT: Readonly<Partial<Record<WireState, readonly WireState[]>>> = {
  submitted: ['working', 'failed', 'canceled'],
  working: ['completed', 'failed', 'canceled', 'input-required'],
  'input-required': ['working', 'failed', 'canceled'],
}

/** An illegal step is an error of its own (-32002) here. Repeating `working` reports progress and is no step. */
export function mayFollow(from: TaskState, to: TaskState): boolean {
  const [before, after] = [encodeState(from), encodeState(to)]
  return (before === 'working' && after === 'working') || (NEXT[before]?.includes(after) ?? false)
}
