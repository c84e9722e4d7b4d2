// A well-behaved A2A client: one agent, whatever its generation and binding. It settles on one interface with its
// first answered call and stays there, because a task must not be spoken to in two dialects.

import { randomUUID } from 'node:crypto'
import type { TokenSource } from '../auth/session-tokens.ts'
import { defined } from '../base/defined.ts'
import type { CallOptions, EndpointClient, StreamItem, UnaryOperation } from '../bindings/endpoint-client.ts'
import { BINDINGS } from '../bindings/registry.ts'
import type { BindingId, DialectId, SpecRevision } from '../dialects/dialect.ts'
import {
  type Candidate,
  type Choice,
  chooseInterface,
  type InterfacePreference,
} from '../discovery/choose-interface.ts'
import { connectionFailure } from '../discovery/connection-failure.ts'
import { type CredentialOptions, Credentials, originOf } from '../discovery/credentials.ts'
import { type Attempt, type Discovery, discover, discoveryOf } from '../discovery/discover.ts'
import type { AgentCard } from '../model/card.ts'
import { A2AError, EXIT, ParleyError } from '../model/errors.ts'
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
import type { TlsOptions } from '../net/http-request.ts'
import { startOperation } from '../telemetry/operation-span.ts'
import { serverFacts } from '../telemetry/server-facts.ts'
import { loadTracing, tracing } from '../telemetry/tracing.ts'
import type { Exchange, RecordedRequest } from '../trace/exchange.ts'
import { type ReachPreference, reachForOrigin, reachForTarget } from './agent-reach.ts'
import { type Beginning, type ResumeOptions, resumed } from './resume.ts'
import { StreamCompleteness } from './stream-completeness.ts'
import { type WaitOptions, waitForTask } from './wait-for-task.ts'

export interface ClientOptions extends CredentialOptions, InterfacePreference, ReachPreference {
  /** Overrides the tenant of the chosen interface. */
  tenant?: string
  /** Until the response, or the first byte of a stream; 30 s unless given. */
  timeoutMs?: number
  /** URIs of extensions to activate. */
  extensions?: readonly string[]
  tls?: TlsOptions
  /** Where the access token comes from, instead of `bearer`: asked before every call, because tokens end. */
  tokens?: TokenSource
  /** Try the other interfaces and older generations when the agent does not know the first; true unless given. */
  fallback?: boolean
  /** The patch release of 1.0 whose error numbers are expected. */
  revision?: SpecRevision
  /** Every HTTP exchange, once it is complete. */
  onExchange?: (exchange: Exchange) => void
  onAttempt?: (attempt: Attempt) => void
}

export interface StreamOptions extends CallOptions, ResumeOptions {}

const DEFAULT_TIMEOUT_MS = 30_000

/** Operations every agent must know: when one is unknown, it is the dialect that is unknown. */
const CORE: ReadonlySet<Operation> = new Set(['sendMessage', 'streamMessage', 'getTask', 'cancelTask'])

export class A2AClient {
  readonly discovery: Discovery
  readonly choice: Choice
  readonly #options: ClientOptions
  readonly #http: HttpClient
  #credentials: Credentials
  #token: string | undefined
  readonly #endpoints = new Map<Candidate, EndpointClient>()
  #at = 0
  #isSettled = false

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
  static fromCard(card: JsonValue, options: ClientOptions & { origin?: string } = {}): A2AClient {
    const origin = options.origin === undefined ? undefined : originOf(options.origin)
    const discovery = discoveryOf(card, { source: 'the given card', origin })
    if (discovery === undefined) {
      throw new ParleyError('not-a-card', 'The given JSON is not an agent card of any known protocol version.')
    }
    return new A2AClient(discovery, options)
  }

  constructor(discovery: Discovery, options: ClientOptions = {}, given?: HttpClient) {
    const http = given ?? httpClientOf(options, reachForOrigin(discovery.origin, options))
    this.discovery = discovery
    this.#options = options
    this.#http = http
    this.#credentials = new Credentials(options, discovery.origin)
    this.choice = chooseInterface(discovery.interfaces, options)
    if (this.choice.candidates.length === 0) throw noInterface(this.choice)
  }

  /** The card in neutral form; undefined when it is too broken to be read, though its endpoints were found. */
  get card(): AgentCard | undefined {
    return this.discovery.card
  }

  /** What is spoken now; it may still change until the first call is answered. */
  get endpoint(): { url: string; binding: BindingId; dialect: DialectId } {
    const { url, binding, dialect } = this.#candidate(this.#at)
    return { url, binding, dialect: dialect.id }
  }

  sendMessage(request: SendMessageRequest, options?: CallOptions): Promise<SendMessageResult> {
    return this.#call('sendMessage', named(request), options)
  }

  getTask(request: GetTaskRequest, options?: CallOptions): Promise<Task> {
    return this.#call('getTask', request, options)
  }

  /** Asks again and again until it is the client's turn or nobody's; for agents that answer before they are done. */
  waitForTask(request: GetTaskRequest, options?: WaitOptions): Promise<Task> {
    return waitForTask(() => this.getTask(request, options), options)
  }

  listTasks(request: ListTasksRequest = {}, options?: CallOptions): Promise<ListTasksResult> {
    return this.#call('listTasks', request, options)
  }

  cancelTask(request: CancelTaskRequest, options?: CallOptions): Promise<Task> {
    return this.#call('cancelTask', request, options)
  }

  createPushConfig(request: PushConfig, options?: CallOptions): Promise<PushConfig> {
    return this.#call('createPushConfig', request, options)
  }

  getPushConfig(request: PushConfigKey, options?: CallOptions): Promise<PushConfig> {
    return this.#call('getPushConfig', request, options)
  }

  async listPushConfigs(request: ListPushConfigsRequest, options?: CallOptions): Promise<ListPushConfigsResult> {
    const result: Partial<ListPushConfigsResult> = await this.#call('listPushConfigs', request, options)
    return { ...result, configs: result.configs ?? [] } // ProtoJSON leaves an empty list out.
  }

  async deletePushConfig(request: PushConfigKey, options?: CallOptions): Promise<void> {
    await this.#call('deletePushConfig', request, options)
  }

  getExtendedCard(options?: CallOptions): Promise<AgentCard> {
    return this.#call('getExtendedCard', {}, options)
  }

  /** With `resume`, a broken connection continues as a subscription to the task. */
  streamMessage(request: SendMessageRequest, options: StreamOptions = {}): AsyncGenerator<StreamItem, void, undefined> {
    const open = this.#stream('streamMessage', request, options)
    return options.resume === true
      ? this.#resumed(open, { taskId: undefined, isContinuation: request.message.taskId !== undefined }, options)
      : open
  }

  /** The task as it is, then what happens to it. */
  subscribeTask(
    request: SubscribeTaskRequest,
    options: StreamOptions = {},
  ): AsyncGenerator<StreamItem, void, undefined> {
    const open = this.#stream('subscribeTask', request, options)
    return options.resume === true ? this.#resumed(open, { taskId: request.id }, options) : open
  }

  /** The HTTP request an operation would send, without sending it. */
  prepare<O extends UnaryOperation | StreamingOperation>(op: O, request: OperationRequest<O>): RecordedRequest {
    return this.#endpoint(this.#at).prepare(op, this.#placed(request))
  }

  /** Ends idle connections; calls and streams under way are left to end by themselves. */
  close(): void {
    this.#http.close()
  }

  [Symbol.dispose](): void {
    this.close()
  }

  async #call<O extends UnaryOperation>(op: O, request: OperationRequest<O>, options?: CallOptions) {
    const run = (asked: CallOptions | undefined) =>
      this.#attempt<OperationResult<O>>(op, (endpoint) => endpoint.call(op, this.#placed(request), asked))
    const span = this.#span(op, request, options)
    if (span === undefined) return run(options)
    const result = await span.run(() => run({ ...options, ...defined({ trace: span.trace }) }))
    span.seeResult(result)
    span.end()
    return result
  }

  /** Undefined when nobody collects spans. */
  #span<O extends Operation>(op: O, request: OperationRequest<O>, options: CallOptions | undefined) {
    const spans = tracing()
    if (spans === undefined) return undefined
    const { url, binding, dialect } = this.endpoint
    const facts = { agentName: this.card?.name, tenant: this.#options.tenant, protocolVersion: dialect }
    const { href = url } = URL.parse(BINDINGS[binding].describeEndpoint(url)) ?? {}
    return startOperation(spans, op, request, {
      kind: 'client',
      facts: { ...facts, ...serverFacts(href) },
      parent: options?.trace,
    })
  }

  async *#stream<O extends StreamingOperation>(op: O, request: OperationRequest<O>, options: CallOptions) {
    for await (const items of this.batches(op, request, options)) yield* items
  }

  /** The events of a stream, those together that came together, for whoever passes them on. */
  async *batches<O extends StreamingOperation>(
    op: O,
    request: OperationRequest<O>,
    options: CallOptions,
  ): AsyncGenerator<readonly StreamItem[], void, undefined> {
    const asked = 'message' in request ? { ...request, ...named(request) } : request
    const span = this.#span(op, request, options)
    const traced = span === undefined ? options : { ...options, ...defined({ trace: span.trace }) }
    const open = () =>
      this.#attempt(op, async (endpoint) => {
        const stream = endpoint.batches(op, this.#placed(asked), traced)
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

  #resumed(open: AsyncGenerator<StreamItem, void, undefined>, beginning: Beginning, options: StreamOptions) {
    return resumed(open, beginning, options, {
      subscribe: (id, lastEventId) =>
        this.#stream('subscribeTask', { id }, lastEventId === undefined ? options : { ...options, lastEventId }),
      getTask: (id) => this.getTask({ id }, options),
    })
  }

  /** Runs on the current candidate; while none has answered yet, moves on where the agent does not know it. */
  async #attempt<T>(op: Operation, run: (endpoint: EndpointClient) => Promise<T>): Promise<T> {
    if (op === 'sendMessage' || op === 'streamMessage') this.#checkExtensions()
    let first: unknown
    for (;;) {
      await this.#freshen()
      const at = this.#at
      const endpoint = this.#endpoint(at)
      try {
        const result = await run(endpoint)
        this.#isSettled = true
        return result
      } catch (error) {
        const failure = connectionFailure(error) ?? error
        if (this.#mayRenew(failure)) continue
        if (!this.#isUnknownHere(op, failure)) {
          // Any other error in A2A shows that the agent understood.
          if (failure instanceof A2AError) this.#isSettled = true
          throw failure
        }
        first ??= failure
        const next = at + 1
        if (this.#isSettled || this.#options.fallback === false || next >= this.choice.candidates.length) {
          if (!this.#isSettled) this.#at = 0
          throw first
        }
        if (this.#at === at) this.#at = next
      }
    }
  }

  /** Calls made from here on carry the token of now. */
  async #freshen(): Promise<void> {
    const { tokens } = this.#options
    if (tokens === undefined) return
    const token = await tokens.token()
    if (token === this.#token) return
    this.#token = token
    this.#credentials = new Credentials({ ...this.#options, bearer: token }, this.discovery.origin)
    this.#endpoints.clear()
  }

  #mayRenew(failure: unknown): boolean {
    if (!(failure instanceof A2AError) || failure.kind !== 'Unauthenticated' || this.#token === undefined) return false
    return this.#options.tokens?.refused(this.#token) === true
  }

  /** A client that does not follow a required extension must not call (1.0 §4.4.4). */
  #checkExtensions(): void {
    const { extensions: active = [] } = this.#options
    const required = this.card?.capabilities.extensions?.filter((each) => each.required === true) ?? []
    const missing = required.find(({ uri }) => uri !== undefined && !active.includes(uri))
    if (missing === undefined) return
    throw new A2AError(
      'ExtensionSupportRequired',
      `The card requires the extension ${missing.uri}; name it among the extensions of the client if you follow it.`,
    )
  }

  #isUnknownHere(op: Operation, error: unknown): boolean {
    if (!(error instanceof A2AError)) return false
    if (error.kind === 'VersionNotSupported') return true
    if (error.kind !== 'MethodNotFound' || !CORE.has(op)) return false
    return op !== 'streamMessage' || this.card?.capabilities.streaming !== false
  }

  #candidate(at: number): Candidate {
    const candidate = this.choice.candidates[at]
    if (candidate === undefined) throw noInterface(this.choice)
    return candidate
  }

  #endpoint(at: number): EndpointClient {
    const candidate = this.#candidate(at)
    const known = this.#endpoints.get(candidate)
    if (known !== undefined) return known
    const { extensions, revision, timeoutMs = DEFAULT_TIMEOUT_MS } = this.#options
    const { url, dialect } = candidate
    const options = {
      url,
      dialect,
      http: this.#http,
      headers: this.#credentials.headersFor(
        BINDINGS[candidate.binding].describeEndpoint(url, this.#http.defaults.tls),
        this.card,
        hasOwnPort(candidate),
      ),
      timeoutMs,
      ...defined({ extensions, revision }),
    }
    const made = BINDINGS[candidate.binding].client(options)
    this.#endpoints.set(candidate, made)
    return made
  }

  /** A request without a tenant goes to the tenant of the interface (1.0 §4.4.6). */
  #placed<R extends { tenant?: string }>(request: R): R {
    const tenant = request.tenant ?? this.#options.tenant ?? this.#candidate(this.#at).tenant
    return tenant === undefined ? request : { ...request, tenant }
  }
}

/** A binding that cannot share the port of the card. */
function hasOwnPort({ binding }: Candidate): boolean {
  return !BINDINGS[binding].probe.isHttp1
}

/** The `tasks/send` generation lets the client name tasks; the others have no place for the name. */
function named(request: SendMessageRequest): SendMessageRequest {
  return request.clientTaskId === undefined
    ? { ...request, clientTaskId: request.message.taskId ?? randomUUID() }
    : request
}

export function httpClientOf({ tls, onExchange }: ClientOptions, reach: Reach | undefined): HttpClient {
  return new HttpClient({
    ...defined({ tls, onExchange, reach }),
  })
}

function noInterface({ passedOver }: Choice): ParleyError {
  const reasons = passedOver.map(({ declared, because }) => `${declared.url}: ${because}`).join('; ')
  return new ParleyError(
    'no-usable-interface',
    `The card names no interface that can be used${reasons === '' ? '' : ` (${reasons})`}.`,
    { exitCode: EXIT.unreachable },
  )
}
