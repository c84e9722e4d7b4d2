// Answers the operations of one mounted agent: checks what its card promises (1.0 §3.3.4: extension, capability,
// content), then lets the engine act. Bindings call it; it knows no wire.

import type { Call, EventFeed, Service, UnaryOperation } from '../bindings/service.ts'
import type { AgentCard, AgentExtension } from '../model/card.ts'
import { A2AError } from '../model/errors.ts'
import type { StreamEvent } from '../model/event.ts'
import type {
  OperationRequest,
  OperationResult,
  OperationTypes,
  PushConfig,
  SendMessageRequest,
  SendMessageResult,
  StreamingOperation,
} from '../model/operation.ts'
import { ANONYMOUS, type Scope } from '../model/scope.ts'
import type { Task } from '../model/task.ts'
import { acceptsParts } from './content-types.ts'
import { limitHistory } from './engine/history.ts'
import { eventNumber } from './engine/resume-point.ts'
import type { TaskEngine, TurnOptions } from './engine/task-engine.ts'
import type { PushService } from './push/push-service.ts'
import type { TaskRecord } from './store/task-store.ts'

/** A longer card, and who may see it. */
export interface ExtendedCard {
  /** The card as it is now. */
  card(): AgentCard
  /** Whether the caller may see it; open agents check the Authorization header here. */
  isVisibleTo(call: Call): boolean
}

export interface ServiceDeps {
  name: string
  card: AgentCard
  engine: TaskEngine
  push?: PushService
  extendedCard?: ExtendedCard
}

type Answers = { [O in UnaryOperation]: (request: OperationRequest<O>, call: Call) => Promise<OperationResult<O>> }

export class AgentService implements Service {
  readonly #deps: ServiceDeps
  readonly #answers: Answers

  constructor(deps: ServiceDeps) {
    this.#deps = deps
    const { engine } = deps
    this.#answers = {
      sendMessage: (request, call) => this.#send(request, call),
      getTask: async (request, call) => {
        if (!this.#showsStatuses(call)) return engine.get(this.#scope(call), request)
        return this.#presentTask(await engine.record(this.#scope(call), request), call, request.historyLength)
      },
      listTasks: async (request, call) => {
        const page = await engine.list(this.#scope(call), request)
        return { tasks: [...page.items], nextPageToken: page.next, pageSize: page.pageSize, totalSize: page.total }
      },
      cancelTask: async (request, call) => {
        const task = await engine.cancel(this.#scope(call), request)
        deps.push?.follow(this.#scope(call), task.id)
        deps.push?.trace(this.#scope(call), task.id, call.trace)
        // Nothing follows the end.
        return this.#presentTask({ task, seq: Number.POSITIVE_INFINITY }, call)
      },
      createPushConfig: async (request, call) => {
        const created = await this.#push().create(this.#scope(call), request, call.dialect.id, call.page)
        this.#push().trace(this.#scope(call), request.taskId ?? '', call.trace)
        return created
      },
      getPushConfig: (request, call) => this.#push().get(this.#scope(call), request),
      listPushConfigs: (request, call) => this.#push().list(this.#scope(call), request),
      deletePushConfig: async (request, call) => {
        await this.#push().delete(this.#scope(call), request)
        return null
      },
      getCard: async () => deps.card,
      getExtendedCard: async (_request, call) => this.#extendedCard(call),
    }
  }

  call<O extends UnaryOperation>(op: O, request: OperationRequest<O>, call: Call): Promise<OperationResult<O>> {
    const answer: (request: OperationRequest<O>, call: Call) => Promise<OperationResult<O>> = this.#answers[op]
    return answer(request, call)
  }

  async stream<O extends StreamingOperation>(op: O, request: OperationRequest<O>, call: Call): Promise<EventFeed> {
    if (this.#deps.card.capabilities.streaming !== true)
      throw new A2AError('UnsupportedOperation', 'This agent does not support streaming.')
    if (op === 'subscribeTask') return this.#subscribe(request as OperationTypes['subscribeTask']['request'], call)
    const scope = this.#scope(call)
    const sent = request as SendMessageRequest
    const options = this.#admit(scope, sent, call)
    if (hasPush(sent))
      await this.#push().check(sent.configuration.taskPushNotificationConfig, call.dialect.id, call.page)
    const started = await this.#deps.engine.stream(scope, sent, options)
    if ('message' in started) return replyFeed(started)
    // Where streams do not begin with the task, the log does: its first event is the first status.
    if (!call.dialect.streamsBeginWithTask) return followOnly(started.cursor)
    const { task, seq } = started.record
    return feedOf(call, { task: limitHistory(task, sent.configuration?.historyLength), seq }, started.cursor)
  }

  async #send(request: SendMessageRequest, call: Call): Promise<SendMessageResult> {
    const scope = this.#scope(call)
    const options = this.#admit(scope, request, call)
    if (hasPush(request))
      await this.#push().check(request.configuration.taskPushNotificationConfig, call.dialect.id, call.page)
    const { returnImmediately, historyLength } = request.configuration ?? {}
    const waits = returnImmediately === undefined ? call.dialect.waitsByDefault : !returnImmediately
    const outcome = await this.#deps.engine.send(scope, request, waits, options)
    if ('message' in outcome) return outcome
    const { task, seq } = outcome.record
    const presented = this.#presentTask({ task: limitHistory(task, historyLength), seq }, call, historyLength)
    return { task: presented instanceof Promise ? await presented : presented }
  }

  async #subscribe(request: OperationTypes['subscribeTask']['request'], call: Call): Promise<EventFeed> {
    const scope = this.#scope(call)
    if (call.lastEventId !== undefined) {
      const cursor = await this.#deps.engine.resume(scope, request.id, eventNumber(call.lastEventId))
      return followOnly(cursor)
    }
    const { record, cursor } = await this.#deps.engine.subscribe(scope, request.id)
    return feedOf(call, record, cursor)
  }

  /** The task as the generation tells it: some promise the past statuses with it (`stateTransitionHistory`). */
  #presentTask({ task, seq }: TaskRecord, call: Call, historyLength?: number): Task | Promise<Task> {
    const { withStatusHistory } = call.dialect
    if (withStatusHistory === undefined || !this.#showsStatuses(call)) return task
    // Not what happened since the task was read: the last status of the history is that of the task.
    return this.#deps.engine.statuses(this.#scope(call), task.id, seq).then((statuses) => {
      const shown = historyLength === undefined ? statuses : statuses.slice(statuses.length - historyLength)
      return withStatusHistory(task, shown)
    })
  }

  #showsStatuses({ dialect }: Call): boolean {
    return dialect.withStatusHistory !== undefined && 'stateTransitionHistory' in this.#deps.card.capabilities
  }

  /** Everything the card says must hold before a message reaches the agent. */
  #admit(scope: Scope, request: SendMessageRequest, call: Call): TurnOptions {
    const { card, push } = this.#deps
    for (const extension of card.capabilities.extensions ?? NO_EXTENSIONS)
      if (extension.required && extension.uri && !call.extensions.includes(extension.uri))
        throw new A2AError('ExtensionSupportRequired', `This agent requires the extension ${extension.uri}.`, {
          metadata: { extension: extension.uri },
        })
    if (hasPush(request) && push === undefined) throw pushNotSupported()
    const refused = acceptsParts(card, request.message.parts)
    if (refused !== undefined) throw contentTypeNotSupported(refused.slice(0, LONGEST_TYPE))
    const options: TurnOptions = { extensions: call.extensions }
    if (call.trace !== undefined) options.trace = call.trace
    if (push === undefined) return options
    if (hasPush(request)) {
      const { taskPushNotificationConfig } = request.configuration
      options.onTask = async (record) => {
        await push.register(scope, record, taskPushNotificationConfig, call.dialect.id)
        push.trace(scope, record.task.id, call.trace)
      }
    } else if (request.message.taskId || request.clientTaskId) {
      options.onTask = async ({ task }) => {
        push.follow(scope, task.id)
        push.trace(scope, task.id, call.trace)
      }
    }
    return options
  }

  #push(): PushService {
    if (this.#deps.push === undefined) throw pushNotSupported()
    return this.#deps.push
  }

  #extendedCard(call: Call): AgentCard {
    const { card, extendedCard } = this.#deps
    if (card.capabilities.extendedAgentCard !== true)
      throw new A2AError('UnsupportedOperation', 'This agent has no extended card.')
    if (extendedCard === undefined)
      throw new A2AError('ExtendedAgentCardNotConfigured', 'The extended card of this agent is not configured.')
    if (!extendedCard.isVisibleTo(call)) {
      // Whoever is known already would not become entitled by authenticating again (1.0 §3.3.2).
      if (call.subject !== ANONYMOUS) throw new A2AError('PermissionDenied', 'You may not see the extended card.')
      throw new A2AError('Unauthenticated', 'The extended card is only for authenticated callers.', {
        challenge: 'Bearer realm="a2a"',
      })
    }
    return extendedCard.card()
  }

  #scope(call: Call): Scope {
    return { agent: this.#deps.name, tenant: call.tenant, subject: call.subject }
  }
}

const NO_EXTENSIONS: readonly AgentExtension[] = []

type WithPush = { configuration: { taskPushNotificationConfig: PushConfig } }

/** Whether the message brings the address of a webhook along. */
function hasPush(request: SendMessageRequest): request is SendMessageRequest & WithPush {
  return request.configuration?.taskPushNotificationConfig !== undefined
}

/** As much of a media type as is repeated to whoever sent it. */
const LONGEST_TYPE = 200

function contentTypeNotSupported(mediaType: string): A2AError {
  return new A2AError('ContentTypeNotSupported', `This agent does not accept ${mediaType}.`, {
    metadata: { mediaType },
  })
}

function pushNotSupported(): A2AError {
  return new A2AError('PushNotificationNotSupported', 'This agent does not send push notifications.')
}

function replyFeed(reply: StreamEvent): EventFeed {
  return { opening: reply, openingSeq: undefined, next: () => Promise.resolve(undefined), close() {} }
}

function followOnly(cursor: Pick<EventFeed, 'next' | 'close'>): EventFeed {
  return { opening: undefined, openingSeq: undefined, next: () => cursor.next(), close: () => cursor.close() }
}

function feedOf(call: Call, { task, seq }: TaskRecord, cursor: Pick<EventFeed, 'next' | 'close'>): EventFeed {
  const opening: StreamEvent = call.dialect.streamsBeginWithTask ? { task } : { statusUpdate: statusOf(task) }
  return { opening, openingSeq: seq, next: () => cursor.next(), close: () => cursor.close() }
}

function statusOf(task: Task) {
  return { taskId: task.id, contextId: task.contextId ?? '', status: task.status }
}
