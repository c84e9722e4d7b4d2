// Answers for a proxied agent by asking it: ids are ours on this side and its own on the other, files become references
// and back, errors keep their kind and data. One call here is one call there.

import type { Call, EventFeed, LoggedEvent, Service, UnaryOperation } from '../bindings/service.ts'
import type { DialectId, Loss } from '../dialects/dialect.ts'
import { dialectById } from '../dialects/index.ts'
import { A2AError } from '../model/errors.ts'
import { isStreamed, type StreamEvent } from '../model/event.ts'
import type {
  CancelTaskRequest,
  GetTaskRequest,
  ListTasksRequest,
  ListTasksResult,
  Operation,
  OperationRequest,
  OperationResult,
  PushConfig,
  SendMessageRequest,
  SendMessageResult,
  StreamingOperation,
  SubscribeTaskRequest,
} from '../model/operation.ts'
import type { Scope } from '../model/scope.ts'
import { isInterrupted, isTerminal } from '../model/state-machine.ts'
import type { Message, Task } from '../model/task.ts'
import { limitHistory } from '../server/engine/history.ts'
import { listTasks } from '../server/engine/list-tasks.ts'
import { TaskCursor } from '../server/engine/task-cursor.ts'
import type { PushService } from '../server/push/push-service.ts'
import type { TaskRecord } from '../server/store/task-store.ts'
import type { Downstream, Manner } from './downstream.ts'
import { resolveReferences } from './file-inlet.ts'
import { FileOutlet } from './file-outlet.ts'
import { inOurIds } from './map-error.ts'
import type { ProxyParts } from './proxy-parts.ts'
import { TaskFollower } from './task-follower.ts'
import { type TaskLink, TaskLinks } from './task-links.ts'
import { type Mirrored, TaskMirror, type Turn } from './task-mirror.ts'

type Answers = { [O in UnaryOperation]: (request: OperationRequest<O>, call: Call) => Promise<OperationResult<O>> }

/** A message ready to be forwarded, and what it is about on this side. */
interface Outgoing {
  readonly turn: Turn
  readonly link: TaskLink | undefined
  readonly request: SendMessageRequest
}

export class ProxyService implements Service {
  readonly #parts: ProxyParts
  readonly #downstream: Downstream
  readonly #links = new TaskLinks()
  readonly #mirror: TaskMirror
  readonly #follower: TaskFollower
  readonly #answers: Answers

  constructor(parts: ProxyParts) {
    const { store, bus, downstream, artifacts, app } = parts
    this.#parts = parts
    this.#downstream = downstream
    this.#mirror = new TaskMirror({
      ...{ store, bus, links: this.#links },
      outletFor: ({ subject: user }, session) => new FileOutlet(artifacts, { app, user, session }),
    })
    this.#follower = new TaskFollower({
      ...{ mirror: this.#mirror, store, bus, asksAfterCut: parts.asksAfterCut },
      getTask: (link) => downstream.call('getTask', { id: link.downstreamTaskId }, parts.manner),
      cancelTask: (link) => downstream.call('cancelTask', { id: link.downstreamTaskId }, parts.manner),
    })
    this.#answers = {
      sendMessage: (request, call) => this.#send(request, call),
      getTask: (request, call) => this.#get(request, call),
      listTasks: (request, call) => this.#list(request, call),
      cancelTask: (request, call) => this.#cancel(request, call),
      createPushConfig: (request, call) => this.#createPush(request, call),
      getPushConfig: (request, call) => this.#push().get(scopeOf(parts.name, call), request),
      listPushConfigs: (request, call) => this.#push().list(scopeOf(parts.name, call), request),
      deletePushConfig: async (request, call) => {
        await this.#push().delete(scopeOf(parts.name, call), request)
        return null
      },
      getCard: async () => parts.card(),
      getExtendedCard: (_request, call) => this.#extendedCard(call),
    }
  }

  async call<O extends UnaryOperation>(op: O, request: OperationRequest<O>, call: Call): Promise<OperationResult<O>> {
    const answer: (request: OperationRequest<O>, call: Call) => Promise<OperationResult<O>> = this.#answers[op]
    const result = await answer(request, call)
    await this.#tellLosses('to-caller', op, call, (codec) => codec.encodeResult(op, result).lost)
    return result
  }

  async stream<O extends StreamingOperation>(op: O, request: OperationRequest<O>, call: Call): Promise<EventFeed> {
    if (this.#parts.card().capabilities.streaming !== true)
      throw new A2AError('UnsupportedOperation', 'The agent behind this proxy does not support streaming.')
    const feed =
      op === 'subscribeTask'
        ? await this.#subscribe(request as SubscribeTaskRequest, call)
        : await this.#stream(request as SendMessageRequest, call)
    return this.#withLosses(feed, call)
  }

  close(): void {
    this.#follower.close()
  }

  async #send(request: SendMessageRequest, call: Call): Promise<SendMessageResult> {
    const outgoing = await this.#outgoing('sendMessage', request, call)
    const { turn, link } = outgoing
    const told = await this.#asking(link, () => this.#downstream.call('sendMessage', outgoing.request, mannerOf(call)))
    if ('message' in told) return { message: await this.#mirror.reply(turn, told.message) }
    const { record } = await this.#mirror.task(turn, told.task)
    await this.#registerPush(request, record, call)
    return { task: limitHistory(record.task, request.configuration?.historyLength) }
  }

  async #stream(request: SendMessageRequest, call: Call): Promise<EventFeed> {
    const outgoing = await this.#outgoing('streamMessage', request, call)
    const { turn, link } = outgoing
    const before = link && (await this.#parts.store.get(link.scope, link.taskId))
    const { first, rest } = await this.#asking(link, () =>
      this.#downstream.open('streamMessage', outgoing.request, mannerOf(call)),
    )
    try {
      if (first === undefined) throw new A2AError('InvalidAgentResponse', 'The agent answered with an empty stream.')
      if ('message' in first.event) {
        await rest.return()
        return replyFeed({ message: await this.#mirror.reply(turn, first.event.message) })
      }
      const begun = await this.#mirror.event(turn, first.event)
      this.#follower.follow(begun.link, turn, rest)
      await this.#registerPush(request, begun.created ?? begun.record, call)
      return this.#feed(begun, begun.created ?? before ?? begun.record, call)
    } catch (error) {
      await rest.return()
      throw error
    }
  }

  async #get(request: GetTaskRequest, call: Call): Promise<Task> {
    const record = await this.#refreshed(await this.#require(scopeOf(this.#parts.name, call), request.id), call)
    return limitHistory(record.task, request.historyLength)
  }

  async #list(request: ListTasksRequest, call: Call): Promise<ListTasksResult> {
    const scope = scopeOf(this.#parts.name, call)
    const { store } = this.#parts
    const seen = await listTasks(store, scope, request)
    // What the agent went on with while nobody watched is asked for, all at once; what it does not tell stays as known.
    const stale = seen.items.filter(
      ({ status, id }) => !isTerminal(status.state) && !this.#links.of(scope, id)?.follower,
    )
    await Promise.allSettled(stale.map(async ({ id }) => this.#refreshed(await this.#require(scope, id), call)))
    const page = stale.length === 0 ? seen : await listTasks(store, scope, request)
    return { tasks: [...page.items], nextPageToken: page.next, pageSize: page.pageSize, totalSize: page.total }
  }

  async #cancel(request: CancelTaskRequest, call: Call): Promise<Task> {
    const { task } = await this.#require(scopeOf(this.#parts.name, call), request.id)
    if (isTerminal(task.status.state))
      throw new A2AError('TaskNotCancelable', `Task ${task.id} cannot be canceled: it is ${task.status.state}.`, {
        metadata: { taskId: task.id, state: task.status.state },
      })
    const link = this.#linked(scopeOf(this.#parts.name, call), task.id)
    const forwarded = { ...request, id: link.downstreamTaskId }
    const told = await this.#asking(link, () => this.#downstream.call('cancelTask', forwarded, mannerOf(call)))
    const { record } = await this.#mirror.task(quietTurn(link), told, link)
    return record.task
  }

  async #subscribe(request: SubscribeTaskRequest, call: Call): Promise<EventFeed> {
    const scope = scopeOf(this.#parts.name, call)
    const record = await this.#require(scope, request.id)
    if (call.lastEventId !== undefined) {
      const link = this.#linked(scope, request.id)
      if (!isTerminal(record.task.status.state)) await this.#watch(link, call)
      const after = Math.min(Number.parseInt(call.lastEventId, 10) || 0, record.seq)
      return this.#cursorFeed(link, undefined, after)
    }
    if (isTerminal(record.task.status.state)) throw hasEnded(record.task)
    const link = this.#linked(scope, request.id)
    await this.#watch(link, call)
    const now = (await this.#parts.store.get(scope, request.id)) ?? record
    if (isTerminal(now.task.status.state)) throw hasEnded(now.task)
    return this.#feed({ link, record: now }, now, call)
  }

  #push(): PushService {
    if (this.#parts.push !== undefined) return this.#parts.push
    throw new A2AError('PushNotificationNotSupported', 'This proxy does not send push notifications for this agent.')
  }

  async #createPush(request: PushConfig, call: Call): Promise<PushConfig> {
    const scope = scopeOf(this.#parts.name, call)
    const created = await this.#push().create(scope, request, call.dialect.id)
    await this.#watchOpen(await this.#require(scope, request.taskId ?? ''), call)
    return created
  }

  /** The webhook that came with a message; it was checked before the message went out. */
  async #registerPush(request: SendMessageRequest, record: TaskRecord, call: Call): Promise<void> {
    const config = request.configuration?.taskPushNotificationConfig
    if (config === undefined) return
    await this.#push().register(scopeOf(this.#parts.name, call), record, config, call.dialect.id)
    await this.#watchOpen(record, call)
  }

  /** Webhooks are told what we see, so we have to look. */
  async #watchOpen({ task }: TaskRecord, call: Call): Promise<void> {
    const link = this.#links.of(scopeOf(this.#parts.name, call), task.id)
    const { state } = task.status
    if (link !== undefined && !isTerminal(state) && !isInterrupted(state)) await this.#watch(link, call)
  }

  /** Reads the agent's stream of a task, unless somebody already does. */
  async #watch(link: TaskLink, call: Call): Promise<void> {
    if (link.follower !== undefined) return
    const request = { id: link.downstreamTaskId }
    const turn = quietTurn(link)
    try {
      const { first, rest } = await this.#asking(link, () =>
        this.#downstream.open('subscribeTask', request, mannerOf(call)),
      )
      if (first === undefined) return
      await this.#mirror.event(turn, first.event, link)
      this.#follower.follow(link, turn, rest)
    } catch (error) {
      // It ended while nobody watched (1.0 §3.1.6).
      if (!(error instanceof A2AError) || error.kind !== 'UnsupportedOperation') throw error
      const record = await this.#refreshed(await this.#require(link.scope, link.taskId), call)
      if (!isTerminal(record.task.status.state)) throw error
    }
  }

  /** The task as the agent has it now, when we cannot know it from its stream. */
  async #refreshed(record: TaskRecord, call: Call): Promise<TaskRecord> {
    const link = this.#links.of(scopeOf(this.#parts.name, call), record.task.id)
    if (link === undefined || link.follower !== undefined || isTerminal(record.task.status.state)) return record
    try {
      const told = await this.#asking(link, () =>
        this.#downstream.call('getTask', { id: link.downstreamTaskId }, mannerOf(call)),
      )
      return (await this.#mirror.task(quietTurn(link), told, link)).record
    } catch (error) {
      if (!(error instanceof A2AError) || error.kind !== 'TaskNotFound') throw error
      return this.#mirror.fail(link, 'The agent no longer knows this task.', error)
    }
  }

  async #extendedCard(call: Call) {
    if (this.#parts.card().capabilities.extendedAgentCard !== true)
      throw new A2AError('UnsupportedOperation', 'This agent has no extended card.')
    return this.#parts.dressed(await this.#downstream.call('getExtendedCard', {}, mannerOf(call)))
  }

  async #outgoing(op: Operation, request: SendMessageRequest, call: Call): Promise<Outgoing> {
    const { message, clientTaskId } = request
    const webhook = request.configuration?.taskPushNotificationConfig
    if (webhook !== undefined) await this.#push().check(webhook, call.dialect.id)
    const scope = scopeOf(this.#parts.name, call)
    const link = await this.#continued(scope, message, clientTaskId)
    const forwarded = await this.#forwarded(scope, message, link)
    const configuration = configurationOf(request, call, await this.#downstream.generationFor(call.dialect.id))
    const turn: Turn = {
      ...{ scope, message },
      contextId: link?.contextId ?? (message.contextId || undefined),
      ...(clientTaskId === undefined ? {} : { taskId: clientTaskId }),
    }
    const { clientTaskId: _name, configuration: _given, ...rest } = request
    const outgoing = { ...rest, message: forwarded, ...(configuration === undefined ? {} : { configuration }) }
    await this.#tellLosses('to-agent', op, call, (codec) => codec.encodeRequest('sendMessage', outgoing).lost)
    return { turn, link, request: outgoing }
  }

  /** The task a message continues; one that does not exist for this caller does not exist. */
  async #continued(scope: Scope, message: Message, name: string | undefined): Promise<TaskLink | undefined> {
    const id = name ?? message.taskId
    if (!id) return undefined
    if (name !== undefined && (await this.#parts.store.get(scope, id)) === undefined) return undefined
    const { task } = await this.#require(scope, id)
    if (message.contextId && message.contextId !== task.contextId)
      throw new A2AError('InvalidParams', `Task ${id} belongs to another context than ${message.contextId}.`, {
        issues: [{ pointer: '/message/contextId', message: 'must be the contextId of the task' }],
      })
    return this.#linked(scope, id)
  }

  async #forwarded(scope: Scope, message: Message, link: TaskLink | undefined): Promise<Message> {
    const { taskId: _task, contextId, referenceTaskIds, ...rest } = message
    const { artifacts, app } = this.#parts
    const owner = { app, user: scope.subject }
    const parts = artifacts === undefined ? message.parts : await resolveReferences(message.parts, artifacts, owner)
    const forwarded: Message = { ...rest, parts }
    if (link !== undefined) forwarded.taskId = link.downstreamTaskId
    const context = link?.downstreamContextId ?? (contextId && this.#links.contextDownstream(scope, contextId))
    if (context) forwarded.contextId = context
    if (referenceTaskIds !== undefined)
      forwarded.referenceTaskIds = referenceTaskIds.map((id, index) => this.#referenced(scope, id, index))
    return forwarded
  }

  #referenced(scope: Scope, id: string, index: number): string {
    const link = this.#links.of(scope, id)
    if (link !== undefined) return link.downstreamTaskId
    throw new A2AError('InvalidParams', `The message refers to task ${id}, which this caller does not have.`, {
      issues: [{ pointer: `/message/referenceTaskIds/${index}`, message: 'must be a task of the caller' }],
    })
  }

  async #require(scope: Scope, id: string): Promise<TaskRecord> {
    const record = await this.#parts.store.get(scope, id)
    if (record === undefined) throw new A2AError('TaskNotFound', 'Task not found', { metadata: { taskId: id } })
    return record
  }

  #linked(scope: Scope, id: string): TaskLink {
    const link = this.#links.of(scope, id)
    if (link !== undefined) return link
    throw new A2AError('UnsupportedOperation', `Task ${id} is too old to be continued; begin a new one.`)
  }

  async #asking<T>(link: TaskLink | undefined, ask: () => Promise<T>): Promise<T> {
    try {
      return await ask()
    } catch (error) {
      throw link === undefined ? error : inOurIds(error, link)
    }
  }

  #feed({ link }: Mirrored, opening: TaskRecord, call: Call): EventFeed {
    const { task, seq } = opening
    if (call.dialect.streamsBeginWithTask) return this.#cursorFeed(link, { task }, seq, seq)
    const { id, contextId = '', status } = task
    return this.#cursorFeed(link, { statusUpdate: { taskId: id, contextId, status } }, seq, seq)
  }

  #cursorFeed(link: TaskLink, opening: StreamEvent | undefined, after: number, openingSeq?: number): EventFeed {
    const { store, bus } = this.#parts
    const at = { scope: link.scope, taskId: link.taskId, after }
    const cursor = new TaskCursor(store, bus, at, { isOver: () => link.follower === undefined })
    let isOpen = true
    link.readers++
    const close = () => {
      cursor.close()
      if (!isOpen) return
      isOpen = false
      link.readers--
      this.#noticeAbandoned(link)
    }
    return { opening, openingSeq, next: () => cursor.next(), close }
  }

  /** The last reader left while the agent is still at work. */
  #noticeAbandoned(link: TaskLink): void {
    const isAbandoned = link.readers === 0 && link.follower !== undefined
    if (!isAbandoned || !this.#parts.cancelsOnDisconnect) return
    void (async () => {
      const record = await this.#parts.store.get(link.scope, link.taskId)
      if (record === undefined || isTerminal(record.task.status.state)) return
      const told = await this.#downstream.call('cancelTask', { id: link.downstreamTaskId }, this.#parts.manner)
      await this.#mirror.task(quietTurn(link), told, link)
    })().catch((error: unknown) => this.#parts.onTrouble(error))
  }

  #withLosses(feed: EventFeed, call: Call): EventFeed {
    const tell = (event: StreamEvent) =>
      this.#tellLosses('to-caller', 'streamMessage', call, (codec) => codec.encodeEvent(event).lost)
    if (this.#parts.onLoss === undefined) return feed
    if (feed.opening !== undefined) void tell(feed.opening)
    const next = async (): Promise<readonly LoggedEvent[] | undefined> => {
      const events = await feed.next()
      for (const { event } of events ?? []) if (isStreamed(event)) await tell(event)
      return events
    }
    return { opening: feed.opening, openingSeq: feed.openingSeq, next, close: () => feed.close() }
  }

  async #tellLosses(
    direction: 'to-agent' | 'to-caller',
    operation: Operation,
    call: Call,
    lossesIn: (codec: CodecOf) => readonly Loss[],
  ): Promise<void> {
    const { onLoss } = this.#parts
    if (onLoss === undefined) return
    const theirs = await this.#downstream.generationFor(call.dialect.id)
    if (theirs === call.dialect.id) return
    const [from, to] = direction === 'to-agent' ? [call.dialect.id, theirs] : [theirs, call.dialect.id]
    const codec = dialectById(to).codec('jsonrpc')
    const losses = codec === undefined ? [] : lossesIn(codec)
    if (losses.length > 0) onLoss({ direction, operation, from, to, losses })
  }
}

type CodecOf = NonNullable<ReturnType<ReturnType<typeof dialectById>['codec']>>

function scopeOf(agent: string, call: Call): Scope {
  return { agent, tenant: call.tenant, subject: call.subject }
}

function mannerOf(call: Call): Manner {
  return { dialect: call.dialect.id, extensions: call.extensions }
}

/** Something happened to the task, but nobody said anything. */
function quietTurn(link: TaskLink): Turn {
  return { scope: link.scope, contextId: link.contextId }
}

/**
 * History is cut and webhooks are served on this side, where the whole of it is kept. What an absent `returnImmediately` means differs between
 * generations, so it is spelled out where they do.
 */
function configurationOf(
  request: SendMessageRequest,
  call: Call,
  theirs: DialectId,
): SendMessageRequest['configuration'] {
  const { historyLength: _history, taskPushNotificationConfig: _push, ...rest } = request.configuration ?? {}
  const { waitsByDefault } = call.dialect
  const isAmbiguous = rest.returnImmediately === undefined && dialectById(theirs).waitsByDefault !== waitsByDefault
  const configuration = isAmbiguous ? { ...rest, returnImmediately: !waitsByDefault } : rest
  return Object.keys(configuration).length === 0 ? undefined : configuration
}

function hasEnded({ id, status }: Task): A2AError {
  return new A2AError('UnsupportedOperation', `Task ${id} has ended (${status.state}); use GetTask.`, {
    metadata: { taskId: id },
  })
}

function replyFeed(opening: StreamEvent): EventFeed {
  return { opening, openingSeq: undefined, next: () => Promise.resolve(undefined), close() {} }
}
