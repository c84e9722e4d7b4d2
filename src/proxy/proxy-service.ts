// Answers for a proxied agent by forwarding to it: ids are ours on this side and its own on the other, files become references
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
import type { Scope } from '../model/scope.ts'
import { isTerminal } from '../model/state-machine.ts'
import type { Task } from '../model/task.ts'
import { limitHistory } from '../server/engine/history.ts'
import { listTasks } from '../server/engine/list-tasks.ts'
import { checkResumePoint, eventNumber } from '../server/engine/resume-point.ts'
import { TaskCursor } from '../server/engine/task-cursor.ts'
import type { PushService } from '../server/push/push-service.ts'
import type { TaskRecord } from '../server/store/task-store.ts'
import { AbandonedFollows } from './abandoned-follows.ts'
import { ArtifactExtractor } from './artifact-extractor.ts'
import { CallerTasks } from './caller-tasks.ts'
import type { Downstream } from './downstream.ts'
import { FollowTurns } from './follow-turns.ts'
import { type Mirrored, MirrorWriter } from './mirror-writer.ts'
import { type Outgoing, OutgoingMessages } from './outgoing-messages.ts'
import type { ProxyDeps } from './proxy-deps.ts'
import { withRewrittenErrorIds } from './rewritten-error-ids.ts'
import { StreamFollower } from './stream-follower.ts'
import { TaskIdLinks, type TaskLink } from './task-id-links.ts'
import { forwardOptionsOf, isAtWork, quietTurn, TaskRefresher } from './task-refresher.ts'
import { TranslationLosses } from './translation-losses.ts'

type Answers = { [O in UnaryOperation]: (request: OperationRequest<O>, call: Call) => Promise<OperationResult<O>> }

export class ProxyService implements Service {
  readonly #deps: ProxyDeps
  readonly #downstream: Downstream
  readonly #links: TaskIdLinks
  readonly #mirror: MirrorWriter
  readonly #follower: StreamFollower
  readonly #turns: FollowTurns
  readonly #abandoned: AbandonedFollows
  readonly #watch: TaskRefresher
  readonly #tasks: CallerTasks
  readonly #outgoing: OutgoingMessages
  readonly #losses: TranslationLosses
  readonly #answers: Answers

  constructor(deps: ProxyDeps) {
    const { store, bus, downstream, artifacts, app } = deps
    this.#deps = deps
    this.#downstream = downstream
    const outletFor = (scope: Scope, session: string, taskId?: string): ArtifactExtractor => {
      const recall = taskId === undefined ? undefined : async () => (await store.get(scope, taskId))?.task
      return new ArtifactExtractor(artifacts, { app, user: scope.subject, session }, recall)
    }
    this.#links = new TaskIdLinks({ kept: deps.links, outletFor })
    this.#tasks = new CallerTasks(deps.name, store, this.#links)
    this.#outgoing = new OutgoingMessages(deps, this.#tasks, this.#links)
    this.#losses = new TranslationLosses(deps)
    this.#mirror = new MirrorWriter({ store, bus, links: this.#links, limits: deps.limits, outletFor })
    const turns = new FollowTurns(deps.links?.follows)
    this.#turns = turns
    this.#follower = new StreamFollower({
      ...{ mirror: this.#mirror, store, bus, turns, asksAfterCut: deps.asksAfterCut, onTrouble: deps.onTrouble },
      onUnsettled: (link) => this.#abandoned.add(link),
      getTask: (link) => downstream.call('getTask', { id: link.downstreamTaskId }, deps.forwardOptions),
      cancelTask: (link) => downstream.call('cancelTask', { id: link.downstreamTaskId }, deps.forwardOptions),
    })
    const parts = { links: this.#links, mirror: this.#mirror, follower: this.#follower, turns }
    this.#watch = new TaskRefresher(deps, parts)
    this.#abandoned = new AbandonedFollows({
      ...{ name: deps.name, store, bus, kept: deps.links, links: this.#links, turns, push: deps.push },
      ...{ lookMs: deps.lookMs, onTrouble: deps.onTrouble },
      subscribe: (link) => this.#watch.subscribe(link, deps.forwardOptions),
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
      getCard: async () => deps.card(),
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
    if (this.#deps.card().capabilities.streaming !== true)
      throw new A2AError('UnsupportedOperation', 'The agent behind this proxy does not support streaming.')
    const feed =
      op === 'subscribeTask'
        ? await this.#subscribe(request as SubscribeTaskRequest, call)
        : await this.#stream(request as SendMessageRequest, call)
    return this.#losses.watch(feed, call)
  }

  /** After a start with tasks of an earlier one. */
  resume(): Promise<void> {
    this.#abandoned.start()
    return this.#watch.resume()
  }

  close(): void {
    this.#abandoned.stop()
    this.#follower.close()
  }

  async #send(request: SendMessageRequest, call: Call): Promise<SendMessageResult> {
    const outgoing = await this.#prepare('sendMessage', request, call)
    const { turn, link } = outgoing
    const theirs = await withRewrittenErrorIds(link, () =>
      this.#downstream.call('sendMessage', outgoing.request, forwardOptionsOf(call)),
    )
    if ('message' in theirs) return { message: await this.#mirror.reply(turn, theirs.message) }
    const { record } = await this.#mirror.task(turn, theirs.task)
    await this.#registerPush(request, record, call)
    return { task: limitHistory(record.task, request.configuration?.historyLength) }
  }

  async #stream(request: SendMessageRequest, call: Call): Promise<EventFeed> {
    const outgoing = await this.#prepare('streamMessage', request, call)
    const { turn, link } = outgoing
    const before = link && (await this.#deps.store.get(link.scope, link.taskId))
    const { first, ...stream } = await withRewrittenErrorIds(link, () =>
      this.#downstream.open('streamMessage', outgoing.request, forwardOptionsOf(call)),
    )
    try {
      if (first === undefined) throw new A2AError('InvalidAgentResponse', 'The agent answered with an empty stream.')
      if ('message' in first.event) {
        await stream.rest.return()
        return replyFeed({ message: await this.#mirror.reply(turn, first.event.message) })
      }
      // Before anything is written, so that whoever followed it until now notices.
      if (link !== undefined) await this.#turns.take(link, true)
      const begun = await this.#mirror.event(turn, first.event)
      if (begun.link !== link) await this.#turns.take(begun.link, true)
      this.#follower.follow(begun.link, turn, stream)
      await this.#registerPush(request, begun.created ?? begun.record, call)
      return this.#feed(begun, begun.created ?? before ?? begun.record, call)
    } catch (error) {
      await stream.rest.return()
      throw error
    }
  }

  async #get(request: GetTaskRequest, call: Call): Promise<Task> {
    const record = await this.#refreshed(this.#tasks.scopeOf(call), request.id, call)
    return limitHistory(record.task, request.historyLength)
  }

  async #list(request: ListTasksRequest, call: Call): Promise<ListTasksResult> {
    const scope = this.#tasks.scopeOf(call)
    const { store } = this.#deps
    const seen = await listTasks(store, scope, request, this.#deps.limits.pageBytes)
    // What the agent went on with while it was not followed is asked for, all at once; what it does not tell stays as known.
    const open = seen.items.filter(({ status }) => !isTerminal(status.state))
    const links = await Promise.all(open.map(async ({ id }) => this.#links.of(scope, id)))
    const stale = open.filter((_, n) => links[n]?.follower === undefined)
    await Promise.allSettled(stale.map(({ id }) => this.#refreshed(scope, id, call)))
    const page = stale.length === 0 ? seen : await listTasks(store, scope, request, this.#deps.limits.pageBytes)
    return { tasks: [...page.items], nextPageToken: page.next, pageSize: page.pageSize, totalSize: page.total }
  }

  async #refreshed(scope: Scope, id: string, call: Call): Promise<TaskRecord> {
    const record = await this.#tasks.require(scope, id)
    return this.#watch.refreshed(await this.#links.of(scope, id), record, forwardOptionsOf(call))
  }

  async #cancel(request: CancelTaskRequest, call: Call): Promise<Task> {
    const { task } = await this.#tasks.require(this.#tasks.scopeOf(call), request.id)
    if (isTerminal(task.status.state))
      throw new A2AError('TaskNotCancelable', `Task ${task.id} cannot be canceled: it is ${task.status.state}.`, {
        metadata: { taskId: task.id, state: task.status.state },
      })
    const link = await this.#tasks.linkOf(this.#tasks.scopeOf(call), task.id)
    const forwarded = { ...request, id: link.downstreamTaskId }
    const theirs = await withRewrittenErrorIds(link, () =>
      this.#downstream.call('cancelTask', forwarded, forwardOptionsOf(call)),
    )
    const { record } = await this.#mirror.task(quietTurn(link), theirs, link)
    return record.task
  }

  async #subscribe(request: SubscribeTaskRequest, call: Call): Promise<EventFeed> {
    const scope = this.#tasks.scopeOf(call)
    const record = await this.#tasks.require(scope, request.id)
    if (call.lastEventId !== undefined) {
      const link = await this.#tasks.linkOf(scope, request.id)
      if (!isTerminal(record.task.status.state)) await this.#watch.follow(link, forwardOptionsOf(call))
      const after = checkResumePoint(eventNumber(call.lastEventId), record)
      return this.#cursorFeed(link, undefined, after)
    }
    if (isTerminal(record.task.status.state)) throw hasEnded(record.task)
    const link = await this.#tasks.linkOf(scope, request.id)
    await this.#watch.follow(link, forwardOptionsOf(call))
    const now = (await this.#deps.store.get(scope, request.id)) ?? record
    if (isTerminal(now.task.status.state)) throw hasEnded(now.task)
    return this.#feed({ link, record: now }, now, call)
  }

  #push(): PushService {
    if (this.#deps.push !== undefined) return this.#deps.push
    throw new A2AError('PushNotificationNotSupported', 'This proxy does not send push notifications for this agent.')
  }

  async #createPush(request: PushConfig, call: Call): Promise<PushConfig> {
    const scope = this.#tasks.scopeOf(call)
    const created = await this.#push().create(scope, request, call.dialect.id, call.page)
    this.#push().trace(scope, request.taskId ?? '', call.trace)
    await this.#watchOpen(await this.#tasks.require(scope, request.taskId ?? ''), call)
    return created
  }

  /** The webhook that came with a message; it was checked before the message went out. */
  async #registerPush(request: SendMessageRequest, record: TaskRecord, call: Call): Promise<void> {
    const config = request.configuration?.taskPushNotificationConfig
    if (config === undefined) return
    await this.#push().register(this.#tasks.scopeOf(call), record, config, call.dialect.id)
    this.#push().trace(this.#tasks.scopeOf(call), record.task.id, call.trace)
    await this.#watchOpen(record, call)
  }

  /** Webhooks are told what we see, so we have to look. */
  async #watchOpen(record: TaskRecord, call: Call): Promise<void> {
    const link = await this.#links.of(this.#tasks.scopeOf(call), record.task.id)
    if (link !== undefined && isAtWork(record)) await this.#watch.follow(link, forwardOptionsOf(call))
  }

  async #extendedCard(call: Call) {
    if (this.#deps.card().capabilities.extendedAgentCard !== true)
      throw new A2AError('UnsupportedOperation', 'This agent has no extended card.')
    return this.#deps.dressed(await this.#downstream.call('getExtendedCard', {}, forwardOptionsOf(call)))
  }

  /** Everything that could be refused here is refused before the agent hears of it. */
  async #prepare(op: Operation, request: SendMessageRequest, call: Call): Promise<Outgoing> {
    const webhook = request.configuration?.taskPushNotificationConfig
    if (webhook !== undefined) await this.#push().check(webhook, call.dialect.id, call.page)
    const outgoing = await this.#outgoing.prepare(request, call)
    await this.#losses.tell('to-agent', op, call, (codec) => codec.encodeRequest('sendMessage', outgoing.request).lost)
    return outgoing
  }

  #feed({ link }: Mirrored, opening: TaskRecord, call: Call): EventFeed {
    const { task, seq } = opening
    if (call.dialect.streamsBeginWithTask) return this.#cursorFeed(link, { task }, seq, seq)
    const { id, contextId = '', status } = task
    return this.#cursorFeed(link, { statusUpdate: { taskId: id, contextId, status } }, seq, seq)
  }

  #cursorFeed(link: TaskLink, opening: StreamEvent | undefined, after: number, openingSeq?: number): EventFeed {
    const { store, bus, cancelsOnDisconnect, onTrouble } = this.#deps
    const at = { scope: link.scope, taskId: link.taskId, after }
    const cursor = new TaskCursor(store, bus, at, {
      isOver: () => link.follower === undefined && !link.isElsewhere,
      ...(this.#turns.isShared && { onQuiet: () => this.#watch.lookElsewhere(link) }),
    })
    let isOpen = true
    link.readers++
    const close = () => {
      cursor.close()
      if (!isOpen) return
      isOpen = false
      link.readers--
      const isAbandoned = link.readers === 0 && link.follower !== undefined
      if (isAbandoned && cancelsOnDisconnect) void this.#watch.cancelAbandoned(link).catch(onTrouble)
    }
    return { opening, openingSeq, next: () => cursor.next(), close }
  }
}

function hasEnded({ id, status }: Task): A2AError {
  return new A2AError('UnsupportedOperation', `Task ${id} has ended (${status.state}); use GetTask.`, {
    metadata: { taskId: id },
  })
}

function replyFeed(opening: StreamEvent): EventFeed {
  return { opening, openingSeq: undefined, next: () => Promise.resolve(undefined), close() {} }
}
