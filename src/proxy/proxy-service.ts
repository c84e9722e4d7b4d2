// Answers for a proxied agent by asking it: ids are ours on this side and its own on the other, files become references
// and back, errors keep their kind and data. One call here is one call there.

import type { Call, EventFeed, Service, UnaryOperation } from '../bindings/service.ts'
import { A2AError } from '../model/errors.ts'
import type { StreamEvent } from '../model/event.ts'
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
import { isInterrupted, isTerminal } from '../model/state-machine.ts'
import type { Task } from '../model/task.ts'
import { limitHistory } from '../server/engine/history.ts'
import { listTasks } from '../server/engine/list-tasks.ts'
import { TaskCursor } from '../server/engine/task-cursor.ts'
import type { PushService } from '../server/push/push-service.ts'
import type { TaskRecord } from '../server/store/task-store.ts'
import type { Downstream, Manner } from './downstream.ts'
import { FileOutlet } from './file-outlet.ts'
import { inOurIds } from './map-error.ts'
import { type Outgoing, OutgoingMessages } from './outgoing-message.ts'
import { OwnTasks } from './own-tasks.ts'
import type { ProxyParts } from './proxy-parts.ts'
import { TaskFollower } from './task-follower.ts'
import { type TaskLink, TaskLinks } from './task-links.ts'
import { type Mirrored, TaskMirror, type Turn } from './task-mirror.ts'
import { TranslationLosses } from './translation-losses.ts'

type Answers = { [O in UnaryOperation]: (request: OperationRequest<O>, call: Call) => Promise<OperationResult<O>> }

export class ProxyService implements Service {
  readonly #parts: ProxyParts
  readonly #downstream: Downstream
  readonly #links = new TaskLinks()
  readonly #mirror: TaskMirror
  readonly #follower: TaskFollower
  readonly #tasks: OwnTasks
  readonly #outgoing: OutgoingMessages
  readonly #losses: TranslationLosses
  readonly #answers: Answers

  constructor(parts: ProxyParts) {
    const { store, bus, downstream, artifacts, app } = parts
    this.#parts = parts
    this.#downstream = downstream
    this.#tasks = new OwnTasks(parts.name, store, this.#links)
    this.#outgoing = new OutgoingMessages(parts, this.#tasks, this.#links)
    this.#losses = new TranslationLosses(parts)
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
      getPushConfig: (request, call) => this.#push().get(this.#tasks.scopeOf(call), request),
      listPushConfigs: (request, call) => this.#push().list(this.#tasks.scopeOf(call), request),
      deletePushConfig: async (request, call) => {
        await this.#push().delete(this.#tasks.scopeOf(call), request)
        return null
      },
      getCard: async () => parts.card(),
      getExtendedCard: (_request, call) => this.#extendedCard(call),
    }
  }

  async call<O extends UnaryOperation>(op: O, request: OperationRequest<O>, call: Call): Promise<OperationResult<O>> {
    const answer: (request: OperationRequest<O>, call: Call) => Promise<OperationResult<O>> = this.#answers[op]
    const result = await answer(request, call)
    await this.#losses.tell('to-caller', op, call, (codec) => codec.encodeResult(op, result).lost)
    return result
  }

  async stream<O extends StreamingOperation>(op: O, request: OperationRequest<O>, call: Call): Promise<EventFeed> {
    if (this.#parts.card().capabilities.streaming !== true)
      throw new A2AError('UnsupportedOperation', 'The agent behind this proxy does not support streaming.')
    const feed =
      op === 'subscribeTask'
        ? await this.#subscribe(request as SubscribeTaskRequest, call)
        : await this.#stream(request as SendMessageRequest, call)
    return this.#losses.watch(feed, call)
  }

  close(): void {
    this.#follower.close()
  }

  async #send(request: SendMessageRequest, call: Call): Promise<SendMessageResult> {
    const outgoing = await this.#prepare('sendMessage', request, call)
    const { turn, link } = outgoing
    const told = await this.#asking(link, () => this.#downstream.call('sendMessage', outgoing.request, mannerOf(call)))
    if ('message' in told) return { message: await this.#mirror.reply(turn, told.message) }
    const { record } = await this.#mirror.task(turn, told.task)
    await this.#registerPush(request, record, call)
    return { task: limitHistory(record.task, request.configuration?.historyLength) }
  }

  async #stream(request: SendMessageRequest, call: Call): Promise<EventFeed> {
    const outgoing = await this.#prepare('streamMessage', request, call)
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
    const record = await this.#refreshed(await this.#tasks.require(this.#tasks.scopeOf(call), request.id), call)
    return limitHistory(record.task, request.historyLength)
  }

  async #list(request: ListTasksRequest, call: Call): Promise<ListTasksResult> {
    const scope = this.#tasks.scopeOf(call)
    const { store } = this.#parts
    const seen = await listTasks(store, scope, request)
    // What the agent went on with while nobody watched is asked for, all at once; what it does not tell stays as known.
    const stale = seen.items.filter(
      ({ status, id }) => !isTerminal(status.state) && !this.#links.of(scope, id)?.follower,
    )
    await Promise.allSettled(stale.map(async ({ id }) => this.#refreshed(await this.#tasks.require(scope, id), call)))
    const page = stale.length === 0 ? seen : await listTasks(store, scope, request)
    return { tasks: [...page.items], nextPageToken: page.next, pageSize: page.pageSize, totalSize: page.total }
  }

  async #cancel(request: CancelTaskRequest, call: Call): Promise<Task> {
    const { task } = await this.#tasks.require(this.#tasks.scopeOf(call), request.id)
    if (isTerminal(task.status.state))
      throw new A2AError('TaskNotCancelable', `Task ${task.id} cannot be canceled: it is ${task.status.state}.`, {
        metadata: { taskId: task.id, state: task.status.state },
      })
    const link = this.#tasks.linkOf(this.#tasks.scopeOf(call), task.id)
    const forwarded = { ...request, id: link.downstreamTaskId }
    const told = await this.#asking(link, () => this.#downstream.call('cancelTask', forwarded, mannerOf(call)))
    const { record } = await this.#mirror.task(quietTurn(link), told, link)
    return record.task
  }

  async #subscribe(request: SubscribeTaskRequest, call: Call): Promise<EventFeed> {
    const scope = this.#tasks.scopeOf(call)
    const record = await this.#tasks.require(scope, request.id)
    if (call.lastEventId !== undefined) {
      const link = this.#tasks.linkOf(scope, request.id)
      if (!isTerminal(record.task.status.state)) await this.#watch(link, call)
      const after = Math.min(Number.parseInt(call.lastEventId, 10) || 0, record.seq)
      return this.#cursorFeed(link, undefined, after)
    }
    if (isTerminal(record.task.status.state)) throw hasEnded(record.task)
    const link = this.#tasks.linkOf(scope, request.id)
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
    const scope = this.#tasks.scopeOf(call)
    const created = await this.#push().create(scope, request, call.dialect.id)
    await this.#watchOpen(await this.#tasks.require(scope, request.taskId ?? ''), call)
    return created
  }

  /** The webhook that came with a message; it was checked before the message went out. */
  async #registerPush(request: SendMessageRequest, record: TaskRecord, call: Call): Promise<void> {
    const config = request.configuration?.taskPushNotificationConfig
    if (config === undefined) return
    await this.#push().register(this.#tasks.scopeOf(call), record, config, call.dialect.id)
    await this.#watchOpen(record, call)
  }

  /** Webhooks are told what we see, so we have to look. */
  async #watchOpen({ task }: TaskRecord, call: Call): Promise<void> {
    const link = this.#links.of(this.#tasks.scopeOf(call), task.id)
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
      const record = await this.#refreshed(await this.#tasks.require(link.scope, link.taskId), call)
      if (!isTerminal(record.task.status.state)) throw error
    }
  }

  /** The task as the agent has it now, when we cannot know it from its stream. */
  async #refreshed(record: TaskRecord, call: Call): Promise<TaskRecord> {
    const link = this.#links.of(this.#tasks.scopeOf(call), record.task.id)
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

  /** Everything that could be refused here is refused before the agent hears of it. */
  async #prepare(op: Operation, request: SendMessageRequest, call: Call): Promise<Outgoing> {
    const webhook = request.configuration?.taskPushNotificationConfig
    if (webhook !== undefined) await this.#push().check(webhook, call.dialect.id)
    const outgoing = await this.#outgoing.prepare(request, call)
    await this.#losses.tell('to-agent', op, call, (codec) => codec.encodeRequest('sendMessage', outgoing.request).lost)
    return outgoing
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
}

function mannerOf(call: Call): Manner {
  return { dialect: call.dialect.id, extensions: call.extensions }
}

/** Something happened to the task, but nobody said anything. */
function quietTurn(link: TaskLink): Turn {
  return { scope: link.scope, contextId: link.contextId }
}

function hasEnded({ id, status }: Task): A2AError {
  return new A2AError('UnsupportedOperation', `Task ${id} has ended (${status.state}); use GetTask.`, {
    metadata: { taskId: id },
  })
}

function replyFeed(opening: StreamEvent): EventFeed {
  return { opening, openingSeq: undefined, next: () => Promise.resolve(undefined), close() {} }
}
