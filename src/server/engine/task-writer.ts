// Writes what a turn emits to the store, one batch after the other, and makes the task when the first one comes. It is the
// only writer of the task while the turn lasts; a cancellation or another replica is noticed by compare-and-set and
// ends the turn, and so does saying more than a task may hold. Where the store answers at once, an event is written
// without a promise, until others have waited long enough for their turn.

import { after } from '../../base/after.ts'
import { fairTurns } from '../../base/fair-turns.ts'
import { isPromise } from '../../base/is-promise.ts'
import { A2AError } from '../../model/errors.ts'
import type { TaskEvent } from '../../model/event.ts'
import { eventIdIssue, tooLong } from '../../model/ids.ts'
import type { Issue } from '../../model/issue.ts'
import { isInterrupted, isTerminal } from '../../model/state-machine.ts'
import type { Message, Task, TaskState } from '../../model/task.ts'
import { weightOfEvent, weightOfMessage } from '../../model/weight.ts'
import type { AppendResult, Soon, TaskRecord } from '../store/task-store.ts'
import { timestamp } from './clock.ts'
import { toMessage } from './content.ts'
import { Deferred } from './deferred.ts'
import type { EngineParts } from './engine-parts.ts'
import { TaskSize } from './task-limits.ts'
import { TaskEnded, type TurnOutcome, type TurnRequest } from './turn.ts'

/** So much of an event costs about as much as another event. */
const BYTES_PER_UNIT = 1_024
/** What a store that does not answer at once takes for an event, in events of one that does. */
const SLOW_UNITS = 32

const INEXPRESSIBLE =
  'The agent answered with what JSON cannot express: a number that is not finite, a bigint, or a value that contains itself.'

export class TaskWriter {
  /** Settles with the first thing that exists: the task as it was created, or the direct reply. */
  readonly first = new Deferred<TurnOutcome>()
  /** Settles when the client need not wait longer: a reply, a terminal or interrupted state, or the end of the turn. */
  readonly settled = new Deferred<TurnOutcome>()
  readonly #parts: EngineParts
  readonly #turn: TurnRequest
  readonly #onEnded: (reason: TaskEnded) => void
  readonly #size: TaskSize
  #record: TaskRecord | undefined
  /** Of the record; asking the record would fold every snapshot of a stream. */
  #state: TaskState = 'TASK_STATE_SUBMITTED'
  #hasSetStatus = false
  #reply: Message | undefined
  #ended: TaskEnded | undefined
  /** The last write that had to wait. */
  #tail: Promise<void> | undefined
  /** Batches that are not stored yet; after one failed, the rest fail with it. */
  #unwritten = 0
  #units = 0
  #unitsPerEvent = 1

  constructor(parts: EngineParts, turn: TurnRequest, onEnded: (reason: TaskEnded) => void) {
    this.#parts = parts
    this.#turn = turn
    this.#onEnded = onEnded
    this.#size = new TaskSize(parts.taskLimits, turn.bytes, turn.record)
    this.#record = turn.record
    if (turn.record === undefined) return
    this.#state = turn.record.task.status.state
    this.first.resolve({ record: turn.record })
  }

  get hasTask(): boolean {
    return this.#record !== undefined
  }

  /** Also while its first events are on their way to the store. */
  get isMakingTask(): boolean {
    return this.#record !== undefined || this.#unwritten > 0
  }

  get hasReply(): boolean {
    return this.#reply !== undefined
  }

  get ended(): TaskEnded | undefined {
    return this.#ended
  }

  /** Whether there is a task that this turn has not brought to a rest. */
  get isOpen(): boolean {
    return this.#record !== undefined && !this.#isSettled()
  }

  /** A direct reply instead of a task. */
  reply(message: Message): void {
    checkReply(message)
    this.#reply = message
    this.first.resolve({ message })
    this.settled.resolve({ message })
  }

  /**
   * Batches are written in the order they came, even when nobody waits for them; undefined when it is done already. A task
   * that is made for them begins no later than `at`, when the first of them was made.
   */
  emit(events: readonly TaskEvent[], at?: string): Promise<void> | undefined {
    const tail = this.#unwritten++ === 0 ? undefined : this.#tail
    try {
      const bytes = events.length === 0 ? 0 : checkedWeight(events)
      const lastWords = this.#size.grow(events.length, bytes)
      if (lastWords !== undefined) return this.#stopWith(lastWords, tail)
      const written =
        tail === undefined ? this.#write(events, bytes, at) : tail.then(() => this.#write(events, bytes, at))
      return written && this.#wait(written)
    } catch (error) {
      return this.#wait(Promise.reject(error as Error))
    }
  }

  /** The agent said more than a task may hold: the task fails, and the agent is told to stop, whether it listens or not. */
  #stopWith(text: string, tail: Promise<void> | undefined): Promise<void> {
    const { taskId, contextId } = this.#turn
    const message = toMessage(text, { taskId, contextId })
    const status = { state: 'TASK_STATE_FAILED' as const, timestamp: timestamp(this.#parts.clock), message }
    const failed: TaskEvent = { statusUpdate: { taskId, contextId, status } }
    const ended = async (): Promise<never> => {
      this.#parts.onAgentError?.(new A2AError('ResourceExhausted', text), taskId)
      await this.#write([failed], weightOfEvent(failed), undefined)
      this.end(new TaskEnded(text))
      throw this.#ended ?? new TaskEnded(text)
    }
    return this.#wait(tail === undefined ? ended() : tail.then(ended))
  }

  /** Settles when what was emitted so far is written, or cannot be. */
  get written(): Promise<void> | undefined {
    return this.#tail
  }

  /** Forgets what could not be written. */
  restart(): void {
    this.#tail = undefined
    this.#unwritten = 0
  }

  /** Takes no more: the task was ended by somebody else, as `record` shows, or the server stops. */
  end(reason: TaskEnded, record?: TaskRecord): void {
    if (record !== undefined) this.#moveTo(record, record.task.status.state)
    this.#ended ??= reason
    this.#onEnded(reason)
  }

  /** Tells whoever still waits how things stand now that the turn is over; `otherwise` where there is nothing. */
  settle(otherwise: () => A2AError): void {
    if (this.#record !== undefined) {
      this.first.resolve({ record: this.#record })
      this.settled.resolve({ record: this.#record })
    } else if (this.#reply === undefined) this.refuse(otherwise())
  }

  /** Tells whoever waits that there will be nothing; what was told before stands. */
  refuse(error: A2AError): void {
    this.first.reject(error)
    this.settled.reject(error)
  }

  #wait(written: Promise<void>): Promise<void> {
    this.#tail = written
    // The agent may ignore the promise; a rejection still surfaces through the tail.
    written.catch(ignore)
    return written
  }

  #write(events: readonly TaskEvent[], bytes: number, at: string | undefined): Soon<undefined> {
    if (this.#reply !== undefined) throw new TaskEnded('The agent has already replied with a message.')
    if (this.#ended !== undefined) throw this.#ended
    return after(this.#record ?? this.#create(at), (record) => this.#append(record, events, bytes))
  }

  #append(record: TaskRecord, events: readonly TaskEvent[], bytes: number): Soon<undefined> {
    if (events.length === 0) {
      this.#unwritten--
      return undefined
    }
    const { scope, taskId } = this.#turn
    const state = this.#stateAfter(events)
    const appended = this.#parts.store.append(scope, taskId, record.seq, events, bytes)
    if (isPromise(appended)) this.#unitsPerEvent = SLOW_UNITS
    return after(appended, (result) => this.#appended(result, events, bytes, state))
  }

  #appended(result: AppendResult, events: readonly TaskEvent[], bytes: number, state: TaskState): Soon<undefined> {
    if (!result.ok) return this.#appendAgain(result.reason, events, bytes)
    this.#hasSetStatus ||= events.some((event) => 'statusUpdate' in event)
    this.#moveTo(result.record, state)
    this.#parts.bus.wake(this.#turn.taskId)
    const units = (events.length + Math.floor(bytes / BYTES_PER_UNIT)) * this.#unitsPerEvent
    this.#units += units
    const turn = fairTurns.take(units, this.#units)
    if (turn !== undefined) return turn.then(() => this.#wrote())
    return this.#wrote()
  }

  #wrote(): undefined {
    this.#unwritten--
    return undefined
  }

  async #appendAgain(
    refused: 'conflict' | 'gone' | 'terminal',
    events: readonly TaskEvent[],
    bytes: number,
  ): Promise<undefined> {
    const { scope, taskId } = this.#turn
    const current = await this.#parts.store.get(scope, taskId)
    if (current === undefined || refused !== 'conflict' || isTerminal(current.task.status.state)) {
      const ended = new TaskEnded(`Task ${taskId} has ended.`)
      this.end(ended, current)
      throw this.#ended ?? ended
    }
    this.#state = current.task.status.state
    return this.#append(current, events, bytes)
  }

  #create(at = timestamp(this.#parts.clock)): Soon<TaskRecord> {
    const { scope, message, taskId, contextId } = this.#turn
    const task: Task = {
      id: taskId,
      contextId,
      status: { state: 'TASK_STATE_SUBMITTED', timestamp: at },
      history: [{ ...message, taskId, contextId }],
    }
    return after(this.#parts.store.create(scope, task, this.#turn.bytes), (created) => this.#created(created))
  }

  #created(record: TaskRecord | 'exists'): Soon<TaskRecord> {
    const { taskId, onTask } = this.#turn
    if (record === 'exists') throw new A2AError('InvalidParams', `Task ${taskId} exists already.`)
    this.#record = record
    return after(onTask?.(record), () => this.#begin(record))
  }

  #begin(record: TaskRecord): Soon<TaskRecord> {
    this.first.resolve({ record })
    return this.#parts.customs.logsSubmission ? this.#logSubmission(record) : record
  }

  async #logSubmission(record: TaskRecord): Promise<TaskRecord> {
    const { scope, taskId, contextId } = this.#turn
    const submitted = { taskId, contextId, status: record.task.status }
    const result = await this.#parts.store.append(scope, taskId, record.seq, [{ statusUpdate: submitted }])
    if (!result.ok) return record
    this.#record = result.record
    this.#parts.bus.wake(taskId)
    return result.record
  }

  /** The state the events lead to; throws where the generation does not allow a step. */
  #stateAfter(events: readonly TaskEvent[]): TaskState {
    let from = this.#state
    for (const event of events) {
      if (!('statusUpdate' in event)) continue
      const to = event.statusUpdate.status.state
      if (!this.#parts.customs.mayFollow(from, to))
        throw new A2AError(
          'InvalidAgentResponse',
          `The agent moved its task from ${from} to ${to}, which is not allowed.`,
        )
      from = to
    }
    return from
  }

  #moveTo(record: TaskRecord, state: TaskState): void {
    this.#record = record
    this.#state = state
    if (this.#isSettled()) this.settled.resolve({ record })
  }

  /** Interrupted by this turn, that is: a follow-up begins while the task still asks for it. */
  #isSettled(): boolean {
    return isTerminal(this.#state) || (isInterrupted(this.#state) && this.#hasSetStatus)
  }
}

/** What the events weigh; throws where an agent said what cannot be told. */
function checkedWeight(events: readonly TaskEvent[]): number {
  let weight = 0
  for (const event of events) {
    weight += weightOfEvent(event)
    const issue = eventIdIssue(event)
    if (issue !== undefined) throw badId(issue)
  }
  if (Number.isNaN(weight)) throw new A2AError('InvalidAgentResponse', INEXPRESSIBLE)
  return weight
}

function checkReply(message: Message): void {
  const issue = tooLong('/messageId', message.messageId)
  if (issue !== undefined) throw badId(issue)
  if (Number.isNaN(weightOfMessage(message))) throw new A2AError('InvalidAgentResponse', INEXPRESSIBLE)
}

function badId({ pointer, message }: Issue): A2AError {
  return new A2AError('InvalidAgentResponse', `The agent chose an id that is too long: ${pointer} ${message}.`)
}

function ignore(): void {}
