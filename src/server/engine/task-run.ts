// One turn of an agent: runs the agent on a message and writes what it emits to the store, one event after the other.
// It decides between a direct reply and a task (whatever is emitted first), and it is the only writer of the task
// while it runs; a cancellation or another replica is noticed by compare-and-set and ends it.

import { isPromise } from '../../base/is-promise.ts'
import { randomId } from '../../base/random-id.ts'
import { A2AError } from '../../model/errors.ts'
import type { TaskArtifactUpdate, TaskEvent, TaskStatusUpdate } from '../../model/event.ts'
import type { JsonObject } from '../../model/json.ts'
import type { Scope } from '../../model/scope.ts'
import { isInterrupted, isTerminal } from '../../model/state-machine.ts'
import type { Message, Task, TaskState } from '../../model/task.ts'
import type { TaskRecord } from '../store/task-store.ts'
import type { AgentContext, ArtifactChunk, ArtifactInput, Content, UpdateDetails } from './agent.ts'
import { timestamp } from './clock.ts'
import { toMessage } from './content.ts'
import { Deferred } from './deferred.ts'
import type { EngineParts } from './engine-parts.ts'

const FIRST_RETRY_MS = 250
const LAST_RETRY_MS = 2_000

export type TurnOutcome = { record: TaskRecord } | { message: Message }

export interface TurnRequest {
  scope: Scope
  message: Message
  taskId: string
  contextId: string
  /** Present when the message continues a task. */
  record?: TaskRecord
  requestMetadata?: JsonObject
  acceptedOutputModes?: readonly string[]
  extensions: readonly string[]
  /** Called once when the task exists, before any of its events: push registration, leases. */
  onTask?: (record: TaskRecord) => Promise<void>
}

/** Why an emission no longer counts; agents see it as the reason of their abort signal. */
export class TaskEnded extends Error {
  override readonly name = 'TaskEnded'
}

export class TaskRun implements AgentContext {
  readonly taskId: string
  readonly contextId: string
  readonly caller: Scope
  readonly task: Task | undefined
  readonly requestMetadata: JsonObject | undefined
  readonly acceptedOutputModes: readonly string[] | undefined
  readonly extensions: readonly string[]
  /** Settles with the first thing that exists: the task as it was created, or the direct reply. */
  readonly first = new Deferred<TurnOutcome>()
  /** Settles when the client need not wait longer: a reply, a terminal or interrupted state, or the end of the turn. */
  readonly settled = new Deferred<TurnOutcome>()
  readonly #parts: EngineParts
  readonly #request: TurnRequest
  /** Made when somebody asks for the signal: most agents never do. */
  #abort: AbortController | undefined
  #ended: TaskEnded | undefined
  #record: TaskRecord | undefined
  /** Of the record; asking the record would fold every snapshot of a stream. */
  #state: TaskState = 'TASK_STATE_SUBMITTED'
  #reply: Message | undefined
  #hasSetStatus = false
  /** No later than the first status an agent reports is the one its task begins with. */
  #firstStatusAt: string | undefined
  #tail: Promise<unknown> = Promise.resolve()
  /** Emissions that are not stored yet; after one failed, the rest fail with it. */
  #unwritten = 0
  #isOver = false

  constructor(parts: EngineParts, request: TurnRequest) {
    this.#parts = parts
    this.#request = request
    this.taskId = request.taskId
    this.contextId = request.contextId
    this.caller = request.scope
    this.task = request.record?.task
    this.requestMetadata = request.requestMetadata
    this.acceptedOutputModes = request.acceptedOutputModes
    this.extensions = request.extensions
    this.#record = request.record
    if (request.record === undefined) return
    this.#state = request.record.task.status.state
    this.first.resolve({ record: request.record })
  }

  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      this.#abort = new AbortController()
      if (this.#ended !== undefined) this.#abort.abort(this.#ended)
    }
    return this.#abort.signal
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Runs the agent to the end of its turn. Never rejects: failures become the outcome. */
  async execute(onOver: () => void): Promise<void> {
    try {
      await this.#drive()
      await this.#tail
      if (this.#reply === undefined && this.#record === undefined)
        throw new A2AError('InvalidAgentResponse', 'The agent answered neither with a message nor with a task.')
    } catch (error) {
      await this.#failWith(error)
    } finally {
      this.#end()
      onOver()
    }
  }

  status(state: TaskState, content?: Content, update?: UpdateDetails): Promise<void> {
    return this.#emit([this.#statusEvent(state, content, update)])
  }

  async artifact(artifact: ArtifactInput, chunk: ArtifactChunk = {}): Promise<string> {
    const artifactId = artifact.artifactId ?? randomId()
    const update: TaskArtifactUpdate = {
      taskId: this.taskId,
      contextId: this.contextId,
      artifact: { ...artifact, artifactId },
    }
    // Defaults do not travel (ProtoJSON).
    if (chunk.append) update.append = true
    if (chunk.lastChunk) update.lastChunk = true
    if (chunk.metadata !== undefined) update.metadata = chunk.metadata
    await this.#emit([{ artifactUpdate: update }])
    return artifactId
  }

  async message(content: Content): Promise<void> {
    if (this.#record !== undefined) return this.status('TASK_STATE_WORKING', content)
    if (this.#reply !== undefined) throw new TaskEnded('The agent has already replied with a message.')
    if (!this.#parts.customs.hasDirectReplies) return this.#replyWithTask(content)
    this.#reply = toMessage(content, { contextId: this.contextId })
    this.first.resolve({ message: this.#reply })
    this.settled.resolve({ message: this.#reply })
  }

  requireInput(content?: Content): Promise<void> {
    return this.status('TASK_STATE_INPUT_REQUIRED', content)
  }

  requireAuth(content?: Content): Promise<void> {
    return this.status('TASK_STATE_AUTH_REQUIRED', content)
  }

  complete(content?: Content): Promise<void> {
    return this.status('TASK_STATE_COMPLETED', content)
  }

  fail(content?: Content): Promise<void> {
    return this.status('TASK_STATE_FAILED', content)
  }

  reject(content?: Content): Promise<void> {
    return this.status('TASK_STATE_REJECTED', content)
  }

  setMetadata(metadata: JsonObject): Promise<void> {
    return this.#emit([{ taskMetadata: metadata }])
  }

  sleep(ms: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    if (this.signal.aborted) return Promise.reject(this.signal.reason as Error)
    const onAbort = () => {
      cancel()
      reject(this.signal.reason as Error)
    }
    const cancel = this.#parts.clock.after(ms, () => {
      this.signal.removeEventListener('abort', onAbort)
      resolve()
    })
    this.signal.addEventListener('abort', onAbort, { once: true })
    return promise
  }

  /** Makes the task exist although the agent has said nothing yet: for clients that do not wait. */
  async promote(): Promise<void> {
    if (this.#record === undefined && this.#reply === undefined) await this.#emit([])
  }

  /** Fails the task, if there is one, and ends the turn: the server is going away. */
  async stop(reason: string): Promise<void> {
    try {
      if (this.#isOpen()) await this.fail(reason)
    } finally {
      this.end(new TaskEnded(reason))
    }
  }

  /** Ends the turn from outside: the task was canceled, or the server stops. */
  end(reason: TaskEnded, record?: TaskRecord): void {
    if (record !== undefined) this.#moveTo(record, record.task.status.state)
    this.#ended ??= reason
    this.#abort?.abort(reason)
  }

  async #drive(): Promise<void> {
    const answer = this.#parts.agent(this.#request.message, this)
    if (isAsyncIterable(answer)) {
      for await (const item of answer) {
        if (typeof item === 'string') await this.#answer(item)
        else if ('status' in item) await this.status(item.status, item.content)
        else if ('message' in item) await this.message(item.message)
        else await this.artifact(item.artifact, item)
      }
    } else {
      const content = await answer
      if (content !== undefined) await this.#answer(content)
    }
    if (this.#parts.autoComplete && this.#isOpen()) await this.complete()
  }

  async #replyWithTask(content: Content): Promise<void> {
    await this.status('TASK_STATE_WORKING')
    await this.complete(content)
  }

  /** A returned text: the reply, or the closing words of the task. */
  #answer(content: Content): Promise<void> {
    return this.#record === undefined ? this.message(content) : this.complete(content)
  }

  #isOpen(): boolean {
    return this.#record !== undefined && !this.#isSettled()
  }

  /** Interrupted by this turn, that is: a follow-up begins while the task still asks for it. */
  #isSettled(): boolean {
    return isTerminal(this.#state) || (isInterrupted(this.#state) && this.#hasSetStatus)
  }

  #statusEvent(state: TaskState, content: Content | undefined, update: UpdateDetails = {}): TaskEvent {
    const now = timestamp(this.#parts.clock)
    this.#firstStatusAt ??= now
    const status: Task['status'] = { state, timestamp: update.timestamp ?? now }
    if (content !== undefined) status.message = toMessage(content, this)
    const statusUpdate: TaskStatusUpdate = { taskId: this.taskId, contextId: this.contextId, status }
    if (update.metadata !== undefined) statusUpdate.metadata = update.metadata
    return { statusUpdate }
  }

  /** Emissions are written in the order they were made, even when the agent does not await them. */
  #emit(events: readonly TaskEvent[]): Promise<void> {
    const isNext = this.#unwritten++ === 0
    const written = isNext ? this.#write(events) : this.#tail.then(() => this.#write(events))
    this.#tail = written
    // The agent may ignore the promise; a rejection still surfaces through the tail.
    written.catch(ignore)
    return written
  }

  async #write(events: readonly TaskEvent[]): Promise<void> {
    if (this.#reply !== undefined) throw new TaskEnded('The agent has already replied with a message.')
    if (this.#ended !== undefined) throw this.#ended
    let record = this.#record ?? (await this.#create())
    while (events.length > 0) {
      const state = this.#lastState(events)
      const appended = this.#parts.store.append(this.caller, this.taskId, record.seq, events)
      const result = isPromise(appended) ? await appended : appended
      if (result.ok) {
        this.#hasSetStatus ||= events.some((event) => 'statusUpdate' in event)
        this.#moveTo(result.record, state)
        this.#parts.bus.wake(this.taskId)
        break
      }
      const current = await this.#parts.store.get(this.caller, this.taskId)
      if (current === undefined || result.reason !== 'conflict' || isTerminal(current.task.status.state)) {
        const ended = new TaskEnded(`Task ${this.taskId} has ended.`)
        this.end(ended, current)
        throw this.#ended ?? ended
      }
      record = current
      this.#state = current.task.status.state
    }
    this.#unwritten--
  }

  async #create(): Promise<TaskRecord> {
    const { message, onTask } = this.#request
    const task: Task = {
      id: this.taskId,
      contextId: this.contextId,
      status: { state: 'TASK_STATE_SUBMITTED', timestamp: this.#firstStatusAt ?? timestamp(this.#parts.clock) },
      history: [{ ...message, taskId: this.taskId, contextId: this.contextId }],
    }
    const created = this.#parts.store.create(this.caller, task)
    const record = isPromise(created) ? await created : created
    if (record === 'exists') throw new A2AError('InvalidParams', `Task ${this.taskId} exists already.`)
    this.#record = record
    if (onTask !== undefined) await onTask(record)
    this.first.resolve({ record })
    return this.#parts.customs.logsSubmission ? this.#logSubmission(record) : record
  }

  async #logSubmission(record: TaskRecord): Promise<TaskRecord> {
    const submitted = { taskId: this.taskId, contextId: this.contextId, status: record.task.status }
    const result = await this.#parts.store.append(this.caller, this.taskId, record.seq, [{ statusUpdate: submitted }])
    if (!result.ok) return record
    this.#record = result.record
    this.#parts.bus.wake(this.taskId)
    return result.record
  }

  /** The state the events lead to; throws where the generation does not allow a step. */
  #lastState(events: readonly TaskEvent[]): TaskState {
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

  async #failWith(error: unknown): Promise<void> {
    if (this.#ended !== undefined || error instanceof TaskEnded || this.#reply !== undefined) return
    if (this.#record === undefined && error instanceof A2AError) {
      this.#refuse(error)
      return
    }
    this.#parts.onAgentError?.(error, this.taskId)
    this.#tail = Promise.resolve()
    this.#unwritten = 0
    const text = error instanceof A2AError ? error.message : 'The agent stopped with an error.'
    try {
      await this.fail(text)
    } catch (cause) {
      this.#refuse(cause instanceof A2AError ? cause : new A2AError('InternalError', 'Internal error', { cause }))
      if (this.#record !== undefined) await this.#failEventually(text)
    }
  }

  /** While the store is away nobody can be told; a task that stays open for ever would be worse than a late end. */
  async #failEventually(text: string): Promise<void> {
    for (let pauseMs = FIRST_RETRY_MS; this.#ended === undefined; pauseMs = Math.min(pauseMs * 2, LAST_RETRY_MS)) {
      try {
        await this.sleep(pauseMs)
        this.#tail = Promise.resolve()
        this.#unwritten = 0
        await this.fail(text)
        return
      } catch {
        // Ended meanwhile, or still away.
      }
    }
  }

  #end(): void {
    this.#isOver = true
    if (this.#record !== undefined) this.settled.resolve({ record: this.#record })
    else if (this.#reply === undefined) this.#refuse(serverStops())
    this.#parts.bus.wake(this.taskId)
  }

  /** Tells whoever waits that there will be nothing; what was told before stands. */
  #refuse(error: A2AError): void {
    this.first.reject(error)
    this.settled.reject(error)
  }
}

/** Before a task exists, nothing but the end of the server ends a turn from outside. */
export function serverStops(): A2AError {
  return new A2AError('Unavailable', 'The server is stopping.', { retryAfterSeconds: 5 })
}

function ignore(): void {}

function isAsyncIterable<T>(value: unknown): value is AsyncIterable<T> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}
