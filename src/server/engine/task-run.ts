// One turn of an agent: runs the agent on a message and hands what it emits to the writer. Whatever is emitted first
// decides between a direct reply and a task.

import { randomId } from '../../base/random-id.ts'
import { A2AError } from '../../model/errors.ts'
import type { TaskArtifactUpdate, TaskStatusUpdate } from '../../model/event.ts'
import type { JsonObject } from '../../model/json.ts'
import type { Scope } from '../../model/scope.ts'
import type { Task, TaskState } from '../../model/task.ts'
import type { TraceContext } from '../../telemetry/trace-context.ts'
import { wakeHere } from '../bus/wake-bus.ts'
import type { TaskRecord } from '../store/task-store.ts'
import type { AgentContext, AgentYield, ArtifactChunk, ArtifactInput, Content, UpdateDetails } from './agent.ts'
import { timestamp } from './clock.ts'
import { toMessage } from './content.ts'
import type { Deferred } from './deferred.ts'
import type { EngineDeps } from './engine-deps.ts'
import { TaskWriter } from './task-writer.ts'
import { serverStops, TaskEnded, type TurnOutcome, type TurnRequest } from './turn.ts'

const FIRST_RETRY_MS = 250
const LAST_RETRY_MS = 2_000

const DONE = Promise.resolve()

export class TaskRun implements AgentContext {
  readonly taskId: string
  readonly contextId: string
  readonly caller: Scope
  readonly task: Task | undefined
  readonly requestMetadata: JsonObject | undefined
  readonly acceptedOutputModes: readonly string[] | undefined
  readonly extensions: readonly string[]
  readonly trace: TraceContext | undefined
  readonly #deps: EngineDeps
  readonly #request: TurnRequest
  readonly #writer: TaskWriter
  /** Made when the agent asks for the signal: most agents never do. */
  #abort: AbortController | undefined
  #isOver = false

  constructor(deps: EngineDeps, request: TurnRequest) {
    this.#deps = deps
    this.#request = request
    this.taskId = request.taskId
    this.contextId = request.contextId
    this.caller = request.scope
    this.task = request.record?.task
    this.requestMetadata = request.requestMetadata
    this.acceptedOutputModes = request.acceptedOutputModes
    this.extensions = request.extensions
    this.trace = request.trace
    this.#writer = new TaskWriter(deps, request, (reason) => this.#abort?.abort(reason))
  }

  get first(): Deferred<TurnOutcome> {
    return this.#writer.first
  }

  get settled(): Deferred<TurnOutcome> {
    return this.#writer.settled
  }

  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      this.#abort = new AbortController()
      if (this.#writer.ended !== undefined) this.#abort.abort(this.#writer.ended)
    }
    return this.#abort.signal
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Runs the agent to the end of its turn. Never rejects: failures become the outcome. */
  async execute(onOver: () => void): Promise<void> {
    try {
      const answer = this.#deps.agent(this.#request.message, this)
      if (isAsyncIterable(answer)) await this.#follow(answer)
      else {
        const content = await answer
        if (content !== undefined) await this.#answer(content)
      }
      await this.#writer.written
      if (this.#deps.autoComplete && this.#writer.isOpen) {
        await this.complete()
        await this.#writer.written
      }
      if (!this.#writer.hasReply && !this.#writer.hasTask)
        throw new A2AError('InvalidAgentResponse', 'The agent answered neither with a message nor with a task.')
    } catch (error) {
      await this.#failWith(error)
    } finally {
      this.#isOver = true
      this.#writer.settle(serverStops)
      // That the turn is over is known only here; others go by what is stored.
      wakeHere(this.#deps.bus, this.taskId)
      onOver()
    }
  }

  status(state: TaskState, content?: Content, update: UpdateDetails = {}): Promise<void> {
    const now = timestamp(this.#deps.clock)
    const status: Task['status'] = { state, timestamp: update.timestamp ?? now }
    if (content !== undefined) status.message = toMessage(content, this)
    const statusUpdate: TaskStatusUpdate = { taskId: this.taskId, contextId: this.contextId, status }
    if (update.metadata !== undefined) statusUpdate.metadata = update.metadata
    return this.#writer.emit([{ statusUpdate }], now) ?? DONE
  }

  artifact(artifact: ArtifactInput, chunk: ArtifactChunk = {}): Promise<string> {
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
    const written = this.#writer.emit([{ artifactUpdate: update }])
    return written === undefined ? Promise.resolve(artifactId) : markHandled(written.then(() => artifactId))
  }

  message(content: Content): Promise<void> {
    if (this.#writer.isMakingTask) return this.status('TASK_STATE_WORKING', content)
    return markHandled(this.#reply(content))
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
    return this.#writer.emit([{ taskMetadata: metadata }]) ?? DONE
  }

  flush(): Promise<void> {
    return this.#writer.written ?? DONE
  }

  sleep(ms: number): Promise<void> {
    if (this.signal.aborted) return markHandled(Promise.reject(this.signal.reason as Error))
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const onAbort = () => {
      cancel()
      reject(this.signal.reason as Error)
    }
    const cancel = this.#deps.clock.after(ms, () => {
      this.signal.removeEventListener('abort', onAbort)
      resolve()
    })
    this.signal.addEventListener('abort', onAbort, { once: true })
    return markHandled(promise)
  }

  /** Makes the task exist although the agent has said nothing yet: for clients that do not wait. */
  async ensureTask(): Promise<void> {
    if (this.#writer.isMakingTask || this.#writer.hasReply) return
    await this.#writer.emit([])
    await this.#writer.written
  }

  /** Fails the task, if there is one, and ends the turn: the server is going away. */
  async stop(reason: string): Promise<void> {
    try {
      // What the agent has said is stored first.
      await this.#writer.written
      if (this.#writer.isOpen) await this.fail(reason)
      await this.#writer.written
    } finally {
      this.end(new TaskEnded(reason))
    }
  }

  /** Ends the turn from outside: the task was canceled, or the server stops. */
  end(reason: TaskEnded, record?: TaskRecord): void {
    this.#writer.end(reason, record)
  }

  async #follow(answer: AsyncIterable<AgentYield>): Promise<void> {
    for await (const item of answer) {
      if (typeof item === 'string') await this.#answer(item)
      else if ('status' in item) await this.status(item.status, item.content)
      else if ('message' in item) await this.message(item.message)
      else await this.artifact(item.artifact, item)
    }
  }

  async #reply(content: Content): Promise<void> {
    if (this.#writer.hasReply) throw new TaskEnded('The agent has already replied with a message.')
    if (this.#deps.rules.hasDirectReplies) {
      this.#writer.reply(toMessage(content, { contextId: this.contextId }))
      return
    }
    await this.status('TASK_STATE_WORKING')
    await this.complete(content)
  }

  /** A returned text: the reply, or the closing words of the task. */
  #answer(content: Content): Promise<void> {
    return this.#writer.isMakingTask ? this.complete(content) : this.message(content)
  }

  async #failWith(error: unknown): Promise<void> {
    if (this.#writer.ended !== undefined || error instanceof TaskEnded || this.#writer.hasReply) return
    if (!this.#writer.hasTask && error instanceof A2AError) {
      this.#writer.refuse(error)
      return
    }
    this.#deps.onAgentError?.(error, this.taskId, this.trace)
    this.#writer.restart()
    const text = error instanceof A2AError ? error.message : 'The agent stopped with an error.'
    try {
      await this.fail(text)
      await this.#writer.written
    } catch (cause) {
      this.#writer.refuse(
        cause instanceof A2AError ? cause : new A2AError('InternalError', 'Internal error', { cause }),
      )
      if (this.#writer.hasTask) await this.#failEventually(text)
    }
  }

  /** While the store is away no reader can be told; a task that stays open for ever would be worse than a late end. */
  async #failEventually(text: string): Promise<void> {
    for (
      let pauseMs = FIRST_RETRY_MS;
      this.#writer.ended === undefined;
      pauseMs = Math.min(pauseMs * 2, LAST_RETRY_MS)
    ) {
      try {
        await this.sleep(pauseMs)
        this.#writer.restart()
        await this.fail(text)
        await this.#writer.written
        return
      } catch {
        // Ended meanwhile, or still away.
      }
    }
  }
}

/** An agent that does not wait for its words, when they come too late, is no reason for the process to end. */
function markHandled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {})
  return promise
}

function isAsyncIterable<T>(value: unknown): value is AsyncIterable<T> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}
