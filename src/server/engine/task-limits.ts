// How large one task may become. An agent that says too much is stopped and its task fails with the numbers; a message
// that would not fit is refused before the agent sees it.

import { A2AError } from '../../model/errors.ts'
import type { Message } from '../../model/task.ts'
import { weightOfMessage, weightOfTask } from '../../model/weight.ts'
import type { TaskRecord } from '../store/task-store.ts'

export interface TaskLimits {
  /** Entries of its log: statuses, artifacts and chunks of them, messages. */
  readonly taskEvents: number
  /** About the size of its JSON (model/weight.ts), with everything that is said in the current turn. */
  readonly taskBytes: number
}

/** A store that lost its last words numbers the next ones higher by a multiple of this (store/redis/scripts.ts). */
const NUMBERING_STEP = 2 ** 32

export class TaskSize {
  readonly #limits: TaskLimits
  #events: number
  #bytes: number

  /** Of a task that so many bytes begin or continue. */
  constructor(limits: TaskLimits, bytes: number, record: TaskRecord | undefined) {
    this.#limits = limits
    this.#events = record === undefined ? 0 : record.seq % NUMBERING_STEP
    this.#bytes = bytes
  }

  /** Takes so much more in; the last words of the task when that is too much. */
  grow(events: number, bytes: number): string | undefined {
    const { taskEvents, taskBytes } = this.#limits
    this.#events += events
    this.#bytes += bytes
    if (this.#events > taskEvents)
      return `This task was stopped at its limit of ${count(taskEvents)} events; the agent went on to say more.`
    if (this.#bytes > taskBytes)
      return `This task was stopped at its limit of ${count(taskBytes)} bytes; the agent went on to ${count(this.#bytes)}.`
    return undefined
  }
}

/** Throws where the message alone, or together with the task it continues, is more than a task may be; how much it is otherwise. */
export function checkSize(limits: TaskLimits, message: Message, record?: TaskRecord): number {
  const { taskEvents, taskBytes } = limits
  const bytes = weightOfMessage(message) + (record === undefined ? 0 : weightOfTask(record.task))
  const what = record === undefined ? 'A task' : `Task ${record.task.id}`
  if (bytes > taskBytes)
    throw tooMuch(
      `${what} would have ${count(bytes)} bytes with this message; at most ${count(taskBytes)} are allowed.`,
    )
  // The message is an event, and so is the answer.
  if (record !== undefined && (record.seq % NUMBERING_STEP) + 2 > taskEvents)
    throw tooMuch(`${what} has reached its limit of ${count(taskEvents)} events; begin another.`)
  return bytes
}

function tooMuch(message: string): A2AError {
  return new A2AError('ResourceExhausted', message)
}

function count(value: number): string {
  return value.toLocaleString('en-US')
}
