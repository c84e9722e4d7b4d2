// A well-behaved A2A client: one agent, whatever its generation and binding. It settles on one interface with its
// first answered call and stays there, because a task must not be spoken to in two dialects.

import { defined } from '../base/defined.ts'
import type { CallOptions, StreamItem, UnaryOperation } from '../bindings/endpoint-client.ts'
import type { BindingId, DialectId } from '../dialects/dialect.ts'
import type { Choice } from '../discovery/choose-interface.ts'
import { connectionFailure } from '../discovery/connection-failure.ts'
import { originOf } from '../discovery/credentials.ts'
import { type Discovery, discover, discoveryOf } from '../discovery/discover.ts'
import type { AgentCard } from '../model/card.ts'
import { ParleyError } from '../model/errors.ts'
import type { JsonValue } from '../model/json.ts'
import type {
  CancelTaskRequest,
  GetTaskRequest,
  ListPushConfigsRequest,
  ListPushConfigsResult,
  ListTasksRequest,
  ListTasksResult,
  Operation,
  OperationRequest,
  OperationResult,
  PushConfig,
  PushConfigKey,
  SendMessageRequest,
  SendMessageResult,
  StreamingOperation,
  SubscribeTaskRequest,
} from '../model/operation.ts'
import type { Task } from '../model/task.ts'
import type { Reach } from '../net/guard/reach.ts'
import { HttpClient } from '../net/http-client.ts'
import { loadTracing, tracing } from '../telemetry/tracing.ts'
import type { RecordedRequest } from '../trace/exchange.ts'
import { AgentEndpoints, DEFAULT_TIMEOUT_MS } from './agent-endpoints.ts'
import { reachForOrigin, reachForTarget } from './agent-reach.ts'
import { type CallSpan, startCallSpan } from './call-span.ts'
import type { ClientOptions, StreamOptions } from './client-options.ts'
import {
  type EventStream,
  type Interceptor,
  interceptedCall,
  interceptedStream,
  type OutgoingCall,
} from './interceptors.ts'
import { beginningOf, completed, withLists } from './request-forms.ts'
import { type Beginning, resumed } from './resume.ts'
import { StreamCompleteness } from './stream-completeness.ts'
import { type WaitOptions, waitForTask } from './wait-for-task.ts'

export type { ClientOptions, StreamOptions } from './client-options.ts'

/**
 * One agent, whatever its protocol version and binding.
 *
 * @example
 * ```ts
 * import { A2AClient, textOf } from 'a2a-parley/client'
 *
 * using client = await A2AClient.connect('localhost:9999/spec')
 * const result = await client.sendMessage({
 *   message: { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text: 'hello' }] },
 * })
 * if ('message' in result) console.log(textOf(result.message))
 * else console.log(result.task.status.state)
 * ```
 */
export class A2AClient {
  /** How the agent was found, and what its card says. */
  readonly discovery: Discovery
  /** @internal */
  readonly choice: Choice
  readonly #options: ClientOptions
  readonly #http: HttpClient
  readonly #endpoints: AgentEndpoints

  /** Finds the agent behind a host, a URL, a card URL or a card file. */
  static async connect(target: string, options: ClientOptions & { signal?: AbortSignal } = {}): Promise<A2AClient> {
    const http = httpClientOf(options, reachForTarget(target, options))
    await loadTracing()
    try {
      const timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS
      return new A2AClient(await discover(target, { ...options, http, timeoutMs }), options, http)
    } catch (error) {
      http.close()
      throw error
    }
  }

  /** For a card that is already at hand; credentials go to `origin` (and `allowOrigins`) only. */
  static fromCard(card: AgentCard | JsonValue, options: ClientOptions & { origin?: string } = {}): A2AClient {
    const origin = options.origin === undefined ? undefined : originOf(options.origin)
    const discovery = discoveryOf(card as JsonValue, { source: 'the given card', origin })
    if (discovery === undefined) {
      throw new ParleyError('not-a-card', 'The given JSON is not an agent card of any known protocol version.')
    }
    return new A2AClient(discovery, options)
  }

  constructor(discovery: Discovery, options?: ClientOptions)
  /** @internal */
  constructor(discovery: Discovery, options: ClientOptions, given: HttpClient)
  constructor(discovery: Discovery, options: ClientOptions = {}, given?: HttpClient) {
    const http = given ?? httpClientOf(options, reachForOrigin(discovery.origin, options))
    this.discovery = discovery
    this.#options = options
    this.#http = http
    this.#endpoints = new AgentEndpoints(discovery, options, http)
    this.choice = this.#endpoints.choice
  }

  /** The card in neutral form; undefined when it is too broken to be read, though its endpoints were found. */
  get card(): AgentCard | undefined {
    return this.discovery.card
  }

  /** What is spoken now; it may still change until the first call is answered. */
  get endpoint(): { url: string; binding: BindingId; dialect: DialectId } {
    const { url, binding, dialect } = this.#endpoints.candidate
    return { url, binding, dialect: dialect.id }
  }

  /**
   * Any operation with one answer, by its name.
   *
   * @example
   * ```ts
   * import { A2AClient } from 'a2a-parley/client'
   *
   * using client = await A2AClient.connect('localhost:9999/spec')
   * const task = await client.call('getTask', { id: '…', historyLength: 5 })
   * console.log(task.status.state)
   * ```
   */
  async call<O extends UnaryOperation>(
    op: O,
    request: OperationRequest<O>,
    options: CallOptions = {},
  ): Promise<OperationResult<O>> {
    const send = interceptedCall(this.#interceptors, op, (call) => this.#call(call))
    const result = await send({ op, request: completed(op, request), options })
    return withLists(op, result)
  }

  /** Any operation with a stream of events, by its name. With `resume`, a broken connection continues as a subscription. */
  stream<O extends StreamingOperation>(op: O, request: OperationRequest<O>, options: StreamOptions = {}): EventStream {
    const { resume: _, ...each } = options
    const open = this.#intercepted(op, completed(op, request), each)
    if (options.resume !== true) return open
    return this.#resumed(open, beginningOf(request), options)
  }

  /** Sends a message; the answer is a message, or the task it became. */
  sendMessage(request: SendMessageRequest, options?: CallOptions): Promise<SendMessageResult> {
    return this.call('sendMessage', request, options)
  }

  /** The task as it is now. */
  getTask(request: GetTaskRequest, options?: CallOptions): Promise<Task> {
    return this.call('getTask', request, options)
  }

  /** Asks again and again until the task has ended or waits for the client; for agents that answer before they are done. */
  waitForTask(request: GetTaskRequest, options?: WaitOptions): Promise<Task> {
    return waitForTask(() => this.getTask(request, options), options)
  }

  /** One page of the caller's tasks, those that changed last first. */
  listTasks(request: ListTasksRequest = {}, options?: CallOptions): Promise<ListTasksResult> {
    return this.call('listTasks', request, options)
  }

  /** Asks the agent to stop; the answer is the task afterwards. */
  cancelTask(request: CancelTaskRequest, options?: CallOptions): Promise<Task> {
    return this.call('cancelTask', request, options)
  }

  /** Asks for webhook calls about a task. */
  createPushConfig(request: PushConfig, options?: CallOptions): Promise<PushConfig> {
    return this.call('createPushConfig', request, options)
  }

  /** One webhook of a task. */
  getPushConfig(request: PushConfigKey, options?: CallOptions): Promise<PushConfig> {
    return this.call('getPushConfig', request, options)
  }

  /** The webhooks of a task. */
  listPushConfigs(request: ListPushConfigsRequest, options?: CallOptions): Promise<ListPushConfigsResult> {
    return this.call('listPushConfigs', request, options)
  }

  /** Ends the calls to a webhook. */
  async deletePushConfig(request: PushConfigKey, options?: CallOptions): Promise<void> {
    await this.call('deletePushConfig', request, options)
  }

  /** The card for callers the agent knows. */
  getExtendedCard(options?: CallOptions): Promise<AgentCard> {
    return this.call('getExtendedCard', {}, options)
  }

  /** With `resume`, a broken connection continues as a subscription to the task. */
  streamMessage(request: SendMessageRequest, options?: StreamOptions): EventStream {
    return this.stream('streamMessage', request, options)
  }

  /** The task as it is, then what happens to it. */
  subscribeTask(request: SubscribeTaskRequest, options?: StreamOptions): EventStream {
    return this.stream('subscribeTask', request, options)
  }

  /** The HTTP request an operation would send, without sending it. */
  prepare<O extends UnaryOperation | StreamingOperation>(op: O, request: OperationRequest<O>): RecordedRequest {
    return this.#endpoints.current.prepare(op, this.#endpoints.placed(request))
  }

  /** Ends idle connections; calls and streams under way are left to end by themselves. */
  close(): void {
    this.#http.close()
  }

  [Symbol.dispose](): void {
    this.close()
  }

  get #interceptors(): readonly Interceptor[] {
    return this.#options.interceptors ?? []
  }

  async #call<O extends UnaryOperation>({ op, request, options }: OutgoingCall<O>): Promise<OperationResult<O>> {
    const run = (asked: CallOptions) =>
      this.#endpoints.attempt(op, asked, (endpoint, checked) =>
        endpoint.call(op, this.#endpoints.placed(request), checked),
      )
    const span = this.#span(op, request, options)
    if (span === undefined) return run(options)
    const result = await span.run(() => run({ ...options, ...defined({ trace: span.trace }) }))
    span.seeResult(result)
    span.end()
    return result
  }

  #span<O extends Operation>(op: O, request: OperationRequest<O>, options: CallOptions): CallSpan | undefined {
    if (tracing() === undefined) return undefined
    return startCallSpan(op, request, options, { ...this.endpoint, card: this.card, tenant: this.#options.tenant })
  }

  #intercepted<O extends StreamingOperation>(op: O, request: OperationRequest<O>, options: CallOptions): EventStream {
    return interceptedStream(this.#interceptors, op, (call) => this.#stream(call))({ op, request, options })
  }

  async *#stream<O extends StreamingOperation>({ op, request, options }: OutgoingCall<O>): EventStream {
    for await (const items of this.batches(op, request, options)) yield* items
  }

  /**
   * The events of a stream, those together that came together, for whoever passes them on. Not intercepted.
   *
   * @internal
   */
  async *batches<O extends StreamingOperation>(
    op: O,
    request: OperationRequest<O>,
    options: CallOptions,
  ): AsyncGenerator<readonly StreamItem[], void, undefined> {
    const asked = completed(op, request)
    const span = this.#span(op, request, options)
    const traced = span === undefined ? options : { ...options, ...defined({ trace: span.trace }) }
    const open = () =>
      this.#endpoints.attempt(op, traced, async (endpoint, checked) => {
        const stream = endpoint.batches(op, this.#endpoints.placed(asked), checked)
        return { stream, first: await stream.next() }
      })
    const opened = await (span === undefined ? open() : span.run(open))
    const { stream } = opened
    try {
      const turn = new StreamCompleteness()
      for (let step = opened.first; step.done !== true; step = await stream.next()) {
        for (const { event } of step.value) {
          turn.see(event)
          span?.seeEvent(event)
        }
        yield step.value
      }
      const early = turn.earlyEnd()
      if (early !== undefined) throw early
    } catch (error) {
      span?.fail(error)
      throw connectionFailure(error) ?? error
    } finally {
      span?.end()
      await stream.return()
    }
  }

  #resumed(open: EventStream, beginning: Beginning, options: StreamOptions): EventStream {
    return resumed(open, beginning, options, {
      subscribe: (id, lastEventId) =>
        this.#intercepted('subscribeTask', { id }, lastEventId === undefined ? options : { ...options, lastEventId }),
      getTask: (id) => this.getTask({ id }, options),
    })
  }
}

export function httpClientOf({ tls, fetch, onExchange }: ClientOptions, reach: Reach | undefined): HttpClient {
  return new HttpClient({
    ...defined({ tls, fetch, onExchange, reach }),
  })
}
