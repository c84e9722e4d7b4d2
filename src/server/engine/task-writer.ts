// Writes what a turn emits to the store, in the order it came, and makes the task when the first of it comes. It is the
// only writer of the task while the turn lasts; a cancellation or another replica is noticed by compare-and-set and ends
// the turn, and so does saying more than a task may hold. Where the store answers at once an event is written without a
// promise, until others have waited long enough for their turn. Elsewhere the agent does not wait: its events get in line
// (event-queue.ts), and whatever has gathered while the store was busy is one write; the task itself is written with the
// first of them where the store can do that. Readers are woken only after it is stored.

import { endOfTurn } from '../../base/end-of-turn.ts'
import { fairTurns } from '../../base/fair-turns.ts'
import { isPromise } from '../../base/is-promise.ts'
import { type MaybePromise, mapMaybePromise } from '../../base/maybe-promise.ts'
import { A2AError } from '../../model/errors.ts'
import type { TaskEvent } from '../../model/event.ts'
import { eventIdIssue, tooLong } from '../../model/ids.ts'
import type { Issue } from '../../model/issue.ts'
import { isInterrupted, isTerminal } from '../../model/state-machine.ts'
import type { Message, Task, TaskState } from '../../model/task.ts'
import { weightOfEvent, weightOfMessage } from '../../model/weight.ts'
import { type WakeBus, wakeHere } from '../bus/wake-bus.ts'
import type { AppendResult, TaskRecord } from '../store/task-store.ts'
import { timestamp } from './clock.ts'
import { toMessage } from './content.ts'
import { Deferred } from './deferred.ts'
import type { EngineDeps } from './engine-deps.ts'
import { type Batch, EventQueue } from './event-queue.ts'
import { TaskSize } from './task-limits.ts'
import { TaskEnded, type TurnOutcome, type TurnRequest } from './turn.ts'

/** So much of an event costs about as much as another event. */
const BYTES_PER_UNIT = 1_024
/** What a store that does not answer at once takes for an event, in events of one that does. */
const SLOW_UNITS = 8

const INEXPRESSIBLE =
  'The agent answered with what JSON cannot express: a number that is not finite, a bigint, or a value that contains itself.'

export class TaskWriter {
  /** Settles with the first thing that exists: the task as it was created, or the direct reply. */
  readonly first = new Deferred<TurnOutcome>()
  /** Settles when the client need not wait longer: a reply, a terminal or interrupted state, or the end of the turn. */
  readonly settled = new Deferred<TurnOutcome>()
  readonly #deps: EngineDeps
  readonly #turn: TurnRequest
  readonly #onEnded: (reason: TaskEnded) => void
  readonly #size: TaskSize
  #record: TaskRecord | undefined
  /** Of the record; asking the record would fold every snapshot of a stream. */
  #state: TaskState = 'TASK_STATE_SUBMITTED'
  #hasSetStatus = false
  #reply: Message | undefined
  #ended: TaskEnded | undefined
  /** After the events in the queue. */
  #emittedState: TaskState = 'TASK_STATE_SUBMITTED'
  readonly #queue = new EventQueue()
  /** While something is being written: settles when all that was emitted is stored, or cannot be. */
  #busy: Promise<void> | undefined
  /** Why something could not be written; what comes after it fails with it. */
  #failure: { readonly reason: unknown } | undefined
  /** Whether the store lets us wait. */
  #isRemote = false
  #units = 0

  constructor(deps: EngineDeps, turn: TurnRequest, onEnded: (reason: TaskEnded) => void) {
    this.#deps = deps
    this.#turn = turn
    this.#onEnded = onEnded
    this.#size = new TaskSize(deps.taskLimits, turn.bytes, turn.record)
    this.#record = turn.record
    if (turn.record === undefined) return
    this.#state = turn.record.task.status.state
    this.#emittedState = this.#state
    this.first.resolve({ record: turn.record })
  }

  get hasTask(): boolean {
    return this.#record !== undefined
  }

  /** Also while its first events are on their way to the store. */
  get isMakingTask(): boolean {
    return this.#record !== undefined || this.#busy !== undefined
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
   * Undefined when the events are stored or have their place in line; a promise when the line is full, when it is the turn
   * of others, or of why they cannot be stored. A task that is made for them begins no later than `at`, when the
   * first of them was made.
   */
  emit(events: readonly TaskEvent[], at?: string): Promise<void> | undefined {
    try {
      this.#checkOpen()
      const bytes = events.length === 0 ? 0 : checkedWeight(events)
      const lastWords = this.#size.grow(events.length, bytes) ?? this.#queue.overflow(events.length, bytes)
      if (lastWords !== undefined) return this.#stopWith(lastWords)
      return this.#accept({ events, bytes }, at)
    } catch (error) {
      this.#failure ??= { reason: error }
      return handled(Promise.reject(error as Error))
    }
  }

  #checkOpen(): void {
    if (this.#reply !== undefined) throw new TaskEnded('The agent has already replied with a message.')
    if (this.#ended !== undefined) throw this.#ended
    if (this.#failure !== undefined) throw this.#failure.reason
  }

  #accept(batch: Batch, at: string | undefined): Promise<void> | undefined {
    if (this.#busy !== undefined) {
      if (batch.events.length === 0) return undefined
      this.#emittedState = this.#stateAfter(this.#emittedState, batch.events)
      return this.#queue.add(batch) ?? this.#pace(batch)
    }
    if (this.#record === undefined && this.#beginsWithEvents()) {
      this.#emittedState = this.#stateAfter(this.#emittedState, batch.events)
      this.#isRemote = true
      const room = this.#queue.add(batch)
      this.#busy = handled(this.#drain(this.#beginWithEvents(at)))
      return room ?? this.#pace(batch)
    }
    const written = mapMaybePromise(this.#record ?? this.#create(at), (record) =>
      this.#append(record, this.#queue.take(batch)),
    )
    if (written === undefined) return undefined
    this.#busy = handled(this.#drain(written))
    return this.#isRemote ? this.#pace(batch) : handled(written)
  }

  /** Goes on until nothing is left in line. */
  async #drain(first: Promise<undefined>): Promise<void> {
    try {
      await first
      while (!this.#queue.isEmpty) {
        if (this.#ended !== undefined) throw this.#ended
        if (this.#record === undefined) throw new Error('There is no task to write to.')
        await this.#append(this.#record, this.#queue.take())
      }
    } catch (error) {
      this.#failure ??= { reason: error }
      this.#queue.clear(error)
      throw error
    } finally {
      this.#busy = undefined
    }
  }

  /** Undefined, or a promise of a later turn of the event loop, for others have waited. */
  #pace({ events, bytes }: Batch): Promise<void> | undefined {
    const units = (events.length + Math.floor(bytes / BYTES_PER_UNIT)) * (this.#isRemote ? SLOW_UNITS : 1)
    this.#units += units
    return fairTurns.take(units, this.#units)
  }

  /** The agent said more than may be held: the task fails, and the agent is told to stop, whether it listens or not. */
  #stopWith(text: string): Promise<void> {
    const { taskId, contextId } = this.#turn
    const message = toMessage(text, { taskId, contextId })
    const status = { state: 'TASK_STATE_FAILED' as const, timestamp: timestamp(this.#deps.clock), message }
    const failed: TaskEvent = { statusUpdate: { taskId, contextId, status } }
    const stopped = new TaskEnded(text)
    void this.#accept({ events: [failed], bytes: weightOfEvent(failed) }, undefined)
    // What is in line is stored; nothing more gets there.
    this.#failure ??= { reason: stopped }
    const ended = async (): Promise<never> => {
      this.#deps.onAgentError?.(new A2AError('ResourceExhausted', text), taskId, this.#turn.trace)
      try {
        await this.#busy
      } catch (error) {
        // Not even its end could be stored.
        this.#failure = { reason: error }
        throw error
      }
      this.end(stopped)
      throw this.#ended ?? stopped
    }
    return handled(ended())
  }

  /** Settles when what was emitted so far is stored, or cannot be; undefined when it is. */
  get written(): Promise<void> | undefined {
    if (this.#busy !== undefined) return this.#busy
    return this.#failure === undefined ? undefined : handled(Promise.reject(this.#failure.reason as Error))
  }

  /** Forgets what could not be written. */
  restart(): void {
    this.#failure = undefined
    this.#emittedState = this.#state
  }

  /** Takes no more: the task was ended by another writer, as `record` shows, or the server stops. */
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

  #append(record: TaskRecord, batch: Batch): MaybePromise<undefined> {
    if (this.#ended !== undefined) throw this.#ended
    if (batch.events.length === 0) return undefined
    const { scope, taskId } = this.#turn
    const { events, bytes } = batch
    const state = this.#stateAfter(this.#state, events)
    if (this.#queue.isEmpty) this.#emittedState = state
    const appended = this.#deps.store.append(scope, taskId, record.seq, events, bytes)
    this.#isRemote ||= isPromise(appended)
    if (this.#isRemote) this.#deps.onWrite?.(events.length)
    return mapMaybePromise(appended, (result) => this.#appended(result, batch, state))
  }

  #appended(result: AppendResult, batch: Batch, state: TaskState, wakeReaders = wake): MaybePromise<undefined> {
    if (!result.ok) return this.#appendAgain(result.reason, batch)
    this.#hasSetStatus ||= batch.events.some((event) => 'statusUpdate' in event)
    this.#moveTo(result.record, state)
    wakeReaders(this.#deps.bus, this.#turn.taskId)
    return this.#isRemote ? undefined : this.#pace(batch)?.then(nothing)
  }

  async #appendAgain(refused: 'conflict' | 'gone' | 'terminal', batch: Batch): Promise<undefined> {
    const { scope, taskId } = this.#turn
    const current = await this.#deps.store.get(scope, taskId)
    if (current === undefined || refused !== 'conflict' || isTerminal(current.task.status.state)) {
      const ended = new TaskEnded(`Task ${taskId} has ended.`)
      this.end(ended, current)
      throw this.#ended ?? ended
    }
    this.#state = current.task.status.state
    return this.#append(current, batch)
  }

  /** Not where a caller wants the task before anything happens to it. */
  #beginsWithEvents(): boolean {
    return this.#deps.store.begin !== undefined && this.#turn.onTask === undefined && !this.#deps.rules.logsSubmission
  }

  /** The task with whatever the agent says in this turn of the event loop. */
  async #beginWithEvents(at: string | undefined): Promise<undefined> {
    const task = this.#newTask(at)
    await endOfTurn()
    if (this.#ended !== undefined) throw this.#ended
    const batch = this.#queue.take()
    const state = this.#stateAfter(this.#state, batch.events)
    const { scope, bytes } = this.#turn
    this.#deps.onWrite?.(batch.events.length)
    const begun = await this.#deps.store.begin?.(scope, task, batch.events, bytes + batch.bytes)
    if (begun === undefined || begun === 'exists') throw this.#existsAlready()
    this.first.resolve({ record: { task, seq: 0 } })
    // The task is not known elsewhere yet: no other process can be waiting for it.
    return this.#appended(begun, batch, state, wakeHere)
  }

  #newTask(at = timestamp(this.#deps.clock)): Task {
    const { message, taskId, contextId } = this.#turn
    return {
      id: taskId,
      contextId,
      status: { state: 'TASK_STATE_SUBMITTED', timestamp: at },
      history: [{ ...message, taskId, contextId }],
    }
  }

  #create(at: string | undefined): MaybePromise<TaskRecord> {
    const created = this.#deps.store.create(this.#turn.scope, this.#newTask(at), this.#turn.bytes)
    this.#isRemote ||= isPromise(created)
    return mapMaybePromise(created, (record) => this.#created(record))
  }

  #existsAlready(): A2AError {
    return new A2AError('InvalidParams', `Task ${this.#turn.taskId} exists already.`)
  }

  #created(record: TaskRecord | 'exists'): MaybePromise<TaskRecord> {
    const { onTask } = this.#turn
    if (record === 'exists') throw this.#existsAlready()
    this.#record = record
    return mapMaybePromise(onTask?.(record), () => this.#begin(record))
  }

  #begin(record: TaskRecord): MaybePromise<TaskRecord> {
    this.first.resolve({ record })
    return this.#deps.rules.logsSubmission ? this.#logSubmission(record) : record
  }

  async #logSubmission(record: TaskRecord): Promise<TaskRecord> {
    const { scope, taskId, contextId } = this.#turn
    const submitted = { taskId, contextId, status: record.task.status }
    const result = await this.#deps.store.append(scope, taskId, record.seq, [{ statusUpdate: submitted }])
    if (!result.ok) return record
    this.#record = result.record
    this.#deps.bus.wake(taskId)
    return result.record
  }

  /** The state the events lead to; throws where the generation does not allow a step. */
  #stateAfter(before: TaskState, events: readonly TaskEvent[]): TaskState {
    let from = before
    for (const event of events) {
      if (!('statusUpdate' in event)) continue
      const to = event.statusUpdate.status.state
      if (!this.#deps.rules.mayFollow(from, to))
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

/** The agent may ignore the promise; why it rejects is also told to its next call, and at the end of the turn. */
function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(ignore)
  return promise
}

function wake(bus: WakeBus, topic: string): void {
  bus.wake(topic)
}

function nothing(): undefined {}

function ignore(): void {}
