// The life of tasks for one agent: starts turns, answers reads, cancels, and opens cursors. The only place
// outside a turn that writes task state is cancel, and both write by compare-and-set.

import { CompactingMap, CompactingSet } from '../../base/compacting.ts'
import { fairTurns } from '../../base/fair-turns.ts'
import { isPromise } from '../../base/is-promise.ts'
import { A2AError } from '../../model/errors.ts'
import type { TaskEvent } from '../../model/event.ts'
import type { CancelTaskRequest, GetTaskRequest, ListTasksRequest, SendMessageRequest } from '../../model/operation.ts'
import { type Scope, scopeKey } from '../../model/scope.ts'
import { isInterrupted, isTerminal } from '../../model/state-machine.ts'
import type { Message, Task, TaskStatus } from '../../model/task.ts'
import type { TraceContext } from '../../telemetry/trace-context.ts'
import type { Seq, StoredEvent, TaskRecord } from '../store/task-store.ts'
import { timestamp } from './clock.ts'
import type { EngineDeps } from './engine-deps.ts'
import { limitHistory } from './history.ts'
import { listTasks, type TaskPage } from './list-tasks.ts'
import { checkResumePoint } from './resume-point.ts'
import { TaskCursor } from './task-cursor.ts'
import { checkSize } from './task-limits.ts'
import { TaskRun } from './task-run.ts'
import { serverStops, TaskEnded, type TurnOutcome, type TurnRequest } from './turn.ts'
import { watchForEnd } from './watch-for-end.ts'

/** The last words of tasks that were running when the server stopped, by itself or by a crash. */
export const SERVER_STOPPED = 'The server stopped while this task was running.'

/** Events read at once. */
const BATCH = 256

export interface TurnOptions {
  extensions?: readonly string[]
  trace?: TraceContext
  onTask?: (record: TaskRecord) => Promise<void>
}

/** A started stream: the direct reply, or the task as it was and a cursor behind it. */
export type TurnStream = { message: Message } | { record: TaskRecord; cursor: TaskCursor }

export class TaskEngine {
  readonly #deps: EngineDeps
  /** By scope and id: a client of the first generation chooses ids, perhaps one that is running for another caller. */
  readonly #running = new CompactingMap<string, TaskRun>()
  readonly #cursors = new CompactingSet<TaskCursor>()
  #isClosing = false

  constructor(deps: EngineDeps) {
    this.#deps = deps
  }

  get runningCount(): number {
    return this.#running.size
  }

  async send(scope: Scope, request: SendMessageRequest, waits: boolean, options: TurnOptions): Promise<TurnOutcome> {
    const started = this.#start(scope, request, options)
    const run = isPromise(started) ? await started : started
    // Awaited here: handing the promise on would cost two more steps.
    if (waits) return await run.settled.promise
    const stopWaiting = this.#deps.clock.after(this.#deps.promoteAfterMs, () => void run.ensureTask().catch(() => {}))
    try {
      const first = await run.first.promise
      if ('message' in first) return first
      // What the agent did synchronously is already visible in the store.
      return { record: (await this.#deps.store.get(scope, run.taskId)) ?? first.record }
    } finally {
      stopWaiting()
    }
  }

  async stream(scope: Scope, request: SendMessageRequest, options: TurnOptions): Promise<TurnStream> {
    const run = await this.#start(scope, request, options)
    const first = await run.first.promise
    if ('message' in first) return first
    const at = { scope, taskId: run.taskId, after: first.record.seq }
    return { record: first.record, cursor: this.#open(at, () => run.isOver) }
  }

  async get(scope: Scope, request: GetTaskRequest): Promise<Task> {
    const found = this.#deps.store.get(scope, request.id)
    const record = isPromise(found) ? await found : found
    if (record === undefined) throw taskNotFound(request.id)
    return limitHistory(record.task, request.historyLength)
  }

  /** The task with its number, for those who go on to read its events. */
  async record(scope: Scope, { id, historyLength }: GetTaskRequest): Promise<TaskRecord> {
    const { task, seq } = await this.#require(scope, id)
    return { task: limitHistory(task, historyLength), seq }
  }

  /** Every status the task went through up to the event `last`, as far as they were logged. */
  async statuses(scope: Scope, id: string, last: Seq): Promise<TaskStatus[]> {
    const statuses: TaskStatus[] = []
    for (let after: Seq | undefined = 0; after !== undefined && after < last; ) {
      const events: readonly StoredEvent[] = (await this.#deps.store.readEvents(scope, id, after, BATCH)) ?? []
      for (const { seq, event } of events)
        if (seq <= last && 'statusUpdate' in event) statuses.push(event.statusUpdate.status)
      after = events.at(-1)?.seq
      await fairTurns.take(events.length, last)
    }
    return statuses
  }

  list(scope: Scope, request: ListTasksRequest): Promise<TaskPage> {
    return listTasks(this.#deps.store, scope, request, this.#deps.pageBytes)
  }

  async cancel(scope: Scope, request: CancelTaskRequest): Promise<Task> {
    for (;;) {
      const record = await this.#require(scope, request.id)
      const result = isTerminal(record.task.status.state)
        ? { ok: false as const, reason: 'terminal' as const }
        : await this.#deps.store.append(scope, request.id, record.seq, this.#cancelEvents(record.task, request))
      if (result.ok) {
        this.#running
          .get(runKey(scope, request.id))
          ?.end(new TaskEnded(`Task ${request.id} was canceled.`), result.record)
        this.#deps.bus.wake(request.id)
        return result.record.task
      }
      if (result.reason === 'conflict') continue
      if (result.reason === 'gone') throw taskNotFound(request.id)
      const { state } = (await this.#require(scope, request.id)).task.status
      throw new A2AError('TaskNotCancelable', `Task ${request.id} cannot be canceled: it is ${state}.`, {
        metadata: { taskId: request.id, state },
      })
    }
  }

  /** The task as it is and a cursor for everything after it; terminal tasks have nothing to follow (1.0 §3.1.6). */
  async subscribe(scope: Scope, id: string): Promise<{ record: TaskRecord; cursor: TaskCursor }> {
    const record = await this.#require(scope, id)
    if (isTerminal(record.task.status.state))
      throw new A2AError('UnsupportedOperation', `Task ${id} has ended (${record.task.status.state}); use GetTask.`, {
        metadata: { taskId: id },
      })
    return { record, cursor: this.#open({ scope, taskId: id, after: record.seq }) }
  }

  /** Continues a broken stream after event `after`, also when the task has ended meanwhile. */
  async resume(scope: Scope, id: string, after: number): Promise<TaskCursor> {
    const record = await this.#require(scope, id)
    checkResumePoint(after, record)
    return this.#open({ scope, taskId: id, after }, () => isTerminal(record.task.status.state))
  }

  /**
   * Stops taking work. Running tasks fail with the reason, so that whoever follows them learns it before the stream
   * ends; agents are told to stop.
   */
  async close(): Promise<void> {
    this.#isClosing = true
    await Promise.allSettled([...this.#running.values()].map((run) => run.stop(SERVER_STOPPED)))
    // One turn of the event loop lets woken readers take the last event.
    await new Promise<void>((resolve) => void setImmediate(resolve))
    for (const cursor of this.#cursors) cursor.close()
  }

  #open(at: { scope: Scope; taskId: string; after: number }, isOver?: () => boolean): TaskCursor {
    const onClose = (closed: TaskCursor) => void this.#cursors.delete(closed)
    const cursor = new TaskCursor(this.#deps.store, this.#deps.bus, at, isOver ? { isOver, onClose } : { onClose })
    this.#cursors.add(cursor)
    return cursor
  }

  /** A message that names no task begins at once; one that does needs the store first. */
  #start(scope: Scope, request: SendMessageRequest, options: TurnOptions): TaskRun | Promise<TaskRun> {
    if (this.#isClosing) throw serverStops()
    if (this.#running.size >= this.#deps.maxConcurrentTasks)
      throw new A2AError('ResourceExhausted', 'Too many tasks are running; try again shortly.', {
        retryAfterSeconds: 1,
      })
    const turn = this.#turn(scope, request, options)
    if (!(request.clientTaskId ?? request.message.taskId)) return this.#run(turn)
    return this.#continue(turn, request).then((continued) => this.#run(continued))
  }

  #run(turn: TurnRequest): TaskRun {
    const { room } = this.#deps
    room.take(turn.scope, turn.bytes)
    const run = new TaskRun(this.#deps, turn)
    const key = runKey(run.caller, run.taskId)
    // An interrupted turn may still be winding down; from here on the new one speaks for the task.
    this.#running.get(key)?.end(new TaskEnded('A follow-up message replaced this turn.'))
    this.#running.set(key, run)
    const stopWatching = this.#deps.isShared ? watchForEnd(this.#deps, run) : undefined
    void run.execute(() => {
      stopWatching?.()
      room.giveBack(turn.scope, turn.bytes)
      if (this.#running.get(key) === run) this.#running.delete(key)
    })
    return run
  }

  #turn(scope: Scope, request: SendMessageRequest, options: TurnOptions): TurnRequest {
    const { message, configuration, metadata } = request
    const turn: TurnRequest = {
      scope,
      message,
      taskId: request.clientTaskId ?? this.#deps.newId('task'),
      contextId: message.contextId || this.#deps.newId('context'),
      bytes: checkSize(this.#deps.taskLimits, message),
      extensions: options.extensions ?? [],
    }
    if (metadata !== undefined) turn.requestMetadata = metadata
    if (configuration?.acceptedOutputModes !== undefined) turn.acceptedOutputModes = configuration.acceptedOutputModes
    if (options.onTask !== undefined) turn.onTask = options.onTask
    if (options.trace !== undefined) turn.trace = options.trace
    return turn
  }

  /** The same turn, on the task the message names. */
  async #continue(turn: TurnRequest, request: SendMessageRequest): Promise<TurnRequest> {
    const known = await this.#continued(turn.scope, request)
    if (known === undefined) return turn
    if (isTerminal(known.task.status.state))
      return { ...turn, taskId: this.#deps.newId('task'), contextId: known.task.contextId ?? turn.contextId }
    turn.bytes = checkSize(this.#deps.taskLimits, turn.message, known)
    // Before the message joins the task: whoever is refused will send it again.
    this.#deps.room.check(turn.scope, turn.bytes)
    turn.taskId = known.task.id
    turn.contextId = known.task.contextId ?? turn.contextId
    turn.record = await this.#joinHistory(turn.scope, known, turn.message)
    await turn.onTask?.(turn.record)
    return turn
  }

  /** The task a message continues (1.0 §3.4.2, §3.4.3), or undefined for a new one. */
  async #continued(scope: Scope, request: SendMessageRequest): Promise<TaskRecord | undefined> {
    const { message, clientTaskId } = request
    const id = clientTaskId ?? message.taskId
    if (!id) return undefined
    const record = await this.#deps.store.get(scope, id)
    if (record === undefined) {
      if (clientTaskId !== undefined) return undefined
      throw taskNotFound(id)
    }
    const { contextId, status } = record.task
    if (message.contextId && message.contextId !== contextId)
      throw new A2AError('InvalidParams', `Task ${id} belongs to another context than ${message.contextId}.`, {
        issues: [{ pointer: '/message/contextId', message: 'must be the contextId of the task' }],
      })
    const refusal = clientTaskId === undefined ? 'UnsupportedOperation' : 'IllegalTransition'
    if (isTerminal(status.state) && this.#deps.continuesInNewTask?.(record.task) === true) return record
    if (isTerminal(status.state))
      throw new A2AError(refusal, `Task ${id} has ended (${status.state}) and takes no more messages.`, {
        metadata: { taskId: id, state: status.state },
      })
    // In a shared store the task may be running elsewhere; only its state can tell.
    const isRunning = this.#deps.isShared || this.#running.has(runKey(scope, id))
    if (isRunning && !isInterrupted(status.state))
      throw new A2AError(refusal, `Task ${id} is still working; wait until it asks for input.`, {
        metadata: { taskId: id, state: status.state },
      })
    return record
  }

  async #joinHistory(scope: Scope, record: TaskRecord, message: Message): Promise<TaskRecord> {
    const { id, contextId } = record.task
    const said: Message = { ...message, taskId: id }
    if (contextId !== undefined) said.contextId = contextId
    const result = await this.#deps.store.append(scope, id, record.seq, [{ historyMessage: said }])
    if (result.ok) return result.record
    if (result.reason === 'gone') throw taskNotFound(id)
    throw new A2AError(
      'UnsupportedOperation',
      `Task ${id} changed while the message arrived; look at it and try again.`,
    )
  }

  #cancelEvents(task: Task, request: CancelTaskRequest): TaskEvent[] {
    const status = { state: 'TASK_STATE_CANCELED' as const, timestamp: timestamp(this.#deps.clock) }
    const canceled = { statusUpdate: { taskId: task.id, contextId: task.contextId ?? '', status } }
    return request.metadata === undefined ? [canceled] : [{ taskMetadata: request.metadata }, canceled]
  }

  async #require(scope: Scope, id: string): Promise<TaskRecord> {
    const record = await this.#deps.store.get(scope, id)
    if (record === undefined) throw taskNotFound(id)
    return record
  }
}

function runKey(scope: Scope, id: string): string {
  return `${scopeKey(scope)}\u0000${id}`
}

function taskNotFound(id: string): A2AError {
  return new A2AError('TaskNotFound', 'Task not found', { metadata: { taskId: id } })
}
