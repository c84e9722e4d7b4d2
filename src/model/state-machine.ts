// Which states end a task or pause it, and which may follow which (1.0 §4.1.3; the stricter table of the
// `tasks/send` generation lives with its dialect).

import type { TaskState } from './task.ts'

const TERMINAL: ReadonlySet<TaskState> = new Set([
  'TASK_STATE_COMPLETED',
  'TASK_STATE_FAILED',
  'TASK_STATE_CANCELED',
  'TASK_STATE_REJECTED',
])

/**
 * Whether nothing can happen to a task in this state any more.
 *
 * @example
 * ```ts
 * import { isTerminal } from 'a2a-parley'
 *
 * console.log(isTerminal('TASK_STATE_COMPLETED'), isTerminal('TASK_STATE_INPUT_REQUIRED')) // true false
 * ```
 */
export function isTerminal(state: TaskState): boolean {
  return TERMINAL.has(state)
}

/**
 * Waiting for the client: the turn of the agent is over, the task is not.
 *
 * @example
 * ```ts
 * import { isInterrupted } from 'a2a-parley'
 *
 * console.log(isInterrupted('TASK_STATE_INPUT_REQUIRED'), isInterrupted('TASK_STATE_WORKING')) // true false
 * ```
 */
export function isInterrupted(state: TaskState): boolean {
  return state === 'TASK_STATE_INPUT_REQUIRED' || state === 'TASK_STATE_AUTH_REQUIRED'
}

/** The turn of the agent is over: the task has ended or waits for the client. */
export function isSettled(state: TaskState): boolean {
  return isTerminal(state) || isInterrupted(state)
}

/**
 * 1.0 forbids leaving a terminal state (§3.1.1) and returning to SUBMITTED; the rest is the agent's business,
 * including repeating a state to report progress.
 */
export function mayFollow(from: TaskState, to: TaskState): boolean {
  if (isTerminal(from)) return false
  if (to === 'TASK_STATE_UNSPECIFIED') return false
  return to !== 'TASK_STATE_SUBMITTED' || from === 'TASK_STATE_SUBMITTED'
}
