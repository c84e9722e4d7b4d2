// What a stream says about its task: whose turn it is now, and whether the stream may end here.

import { EXIT, ParleyError } from '../model/errors.ts'
import type { StreamEvent } from '../model/event.ts'
import { isSettled } from '../model/state-machine.ts'
import type { TaskState } from '../model/task.ts'

export function stateOf(event: StreamEvent): TaskState | undefined {
  if ('task' in event) return event.task.status.state
  return 'statusUpdate' in event ? event.statusUpdate.status.state : undefined
}

/** It is the client's turn, or the task has ended. */
export function endsWaiting(event: StreamEvent): boolean {
  if ('message' in event) return true
  const state = stateOf(event)
  return state !== undefined && isSettled(state)
}

/** Follows one stream, so that its end can be told from a task's. */
export class StreamCompleteness {
  #isOver = false
  #state: TaskState | undefined

  see(event: StreamEvent): void {
    if ('artifactUpdate' in event) return
    this.#isOver = endsWaiting(event)
    this.#state = stateOf(event)
  }

  /** The error a stream that ends now is; undefined when the turn is over. */
  earlyEnd(): ParleyError | undefined {
    if (this.#isOver) return undefined
    const last =
      this.#state === undefined
        ? 'its state is unknown'
        : `its last state is ${this.#state.replace('TASK_STATE_', '').toLowerCase()}`
    return new ParleyError('stream-ended-early', `The stream ended before the task did: ${last}.`, {
      exitCode: EXIT.failed,
      hint: 'Read the task to learn its current state.',
    })
  }
}
