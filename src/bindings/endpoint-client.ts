// What the client half of every binding offers: calls and streams to one endpoint in one dialect. The halves share
// the headers they send and the way they refuse an answer that is not A2A.

import type { BindingId, Decoded, Dialect, SpecRevision } from '../dialects/dialect.ts'
import { A2AError } from '../model/errors.ts'
import type { StreamEvent } from '../model/event.ts'
import type { Issue } from '../model/issue.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts'
import type { Operation, OperationRequest, OperationResult, StreamingOperation } from '../model/operation.ts'
import { isTerminal } from '../model/state-machine.ts'
import type { HttpClient } from '../net/http-client.ts'
import type { HeaderPairs } from '../net/http-request.ts'
import type { HttpResponse } from '../net/http-response.ts'
import { parseJson } from '../net/json.ts'
import { DEFAULT_LIMITS } from '../net/limits.ts'
import { type TraceContext, traceHeaders } from '../telemetry/trace-context.ts'
import type { Exchange, RecordedRequest } from '../trace/exchange.ts'

/** The operations with one answer. */
export type UnaryOperation = Exclude<Operation, StreamingOperation | 'getCard'>

export interface EndpointOptions {
  /** The interface URL exactly as the card declares it. */
  url: string
  dialect: Dialect
  http: HttpClient
  /** Added to every request; they never replace a header the protocol sets. */
  headers?: HeaderPairs
  /** URIs of extensions to activate (1.0 §4.6.2). */
  extensions?: readonly string[]
  timeoutMs?: number
  revision?: SpecRevision
}

/** Options of one call. */
export interface CallOptions {
  /** Gives the call up; it rejects with the reason of the signal. */
  signal?: AbortSignal
  /**
   * Milliseconds until the answer, or the first byte of a stream.
   * @default that of the client
   */
  timeoutMs?: number
  /** The trace the call belongs to: `context.trace` of an agent. With OpenTelemetry, the active span by default. */
  trace?: TraceContext
  /** Streams only: continue after this event, where the server numbers its events. */
  lastEventId?: string
  /** Sent with this call alone; they never replace a header the protocol sets. */
  headers?: HeaderPairs
}

/** An event of a stream, with its id. */
export interface StreamItem {
  /** The event itself. */
  event: StreamEvent
  /** The SSE id, where the server sends one. */
  id?: string
  /**
   * Its JSON in the form of 1.0, where it was read from its text as it came.
   *
   * @internal
   */
  text?: string
}

export interface EndpointClient {
  readonly binding: BindingId
  readonly dialect: Dialect
  readonly url: string
  /** The HTTP request a call would send. */
  prepare(op: UnaryOperation | StreamingOperation, request: OperationRequest<Operation>): RecordedRequest
  call<O extends UnaryOperation>(
    op: O,
    request: OperationRequest<O>,
    options?: CallOptions,
  ): Promise<OperationResult<O>>
  /** Ends after a message or a terminal state, or when the server ends it; leaving the loop closes the connection. */
  stream<O extends StreamingOperation>(
    op: O,
    request: OperationRequest<O>,
    options?: CallOptions,
  ): AsyncGenerator<StreamItem, void, undefined>
  /** The same, those together that came together, for whoever passes them on. */
  batches<O extends StreamingOperation>(
    op: O,
    request: OperationRequest<O>,
    options?: CallOptions,
  ): AsyncGenerator<readonly StreamItem[], void, undefined>
}

/**
 * The peer answered, and the answer is not A2A of this generation. `exchange` is the evidence.
 *
 * @example
 * ```ts
 * import { A2AClient, InvalidPeerResponse } from 'a2a-parley/client'
 *
 * using client = await A2AClient.connect('localhost:9999/spec')
 * try {
 *   await client.listTasks({})
 * } catch (error) {
 *   if (error instanceof InvalidPeerResponse) console.error(error.issues)
 *   throw error
 * }
 * ```
 */
export class InvalidPeerResponse extends A2AError {
  /** Where the answer breaks its definition. */
  readonly issues: readonly Issue[]
  /** What was sent and received, byte for byte. */
  readonly exchange: Exchange
  /** The same without anything of what was answered, for logs: an answer may echo a secret. */
  readonly plain: string

  constructor(message: string, exchange: Exchange, issues: readonly Issue[] = [], plain: string = message) {
    super('InvalidAgentResponse', message, { issues })
    this.issues = issues
    this.exchange = exchange
    this.plain = plain
  }
}

/** The peer answered with an HTTP status that says it all. */
export class HttpStatusError extends A2AError {
  readonly status: number

  constructor(status: number, { kind, message, options }: Pick<A2AError, 'kind' | 'message' | 'options'>) {
    super(kind, message, options)
    this.status = status
  }
}

/** Headers of one A2A request. */
export function requestHeaders(
  options: EndpointOptions,
  own: { accept: string; contentType: string | undefined } & Pick<CallOptions, 'lastEventId' | 'headers' | 'trace'>,
): [string, string][] {
  const { dialect, extensions = [] } = options
  const headers: [string, string][] = [['Accept', own.accept]]
  if (own.contentType !== undefined) headers.push(['Content-Type', own.contentType])
  if (dialect.versionHeader !== undefined) headers.push(['A2A-Version', dialect.versionHeader])
  if (extensions.length > 0) for (const name of dialect.extensionHeaders) headers.push([name, extensions.join(', ')])
  if (own.lastEventId !== undefined) headers.push(['Last-Event-ID', own.lastEventId])
  headers.push(...traceHeaders(own.trace))
  return withGiven(headers, own.headers, options.headers)
}

/** What the protocol sets comes first and wins; headers of one call win against those of the client. */
export function withGiven(
  headers: [string, string][],
  ...given: readonly (HeaderPairs | undefined)[]
): [string, string][] {
  const taken = new Set(headers.map(([name]) => name.toLowerCase()))
  for (const pairs of given) {
    if (pairs === undefined) continue
    const added = pairs.filter(([name]) => !taken.has(name.toLowerCase()))
    for (const [name, value] of added) {
      headers.push([name, value])
      taken.add(name.toLowerCase())
    }
  }
  return headers
}

export function unsupportedHere(op: Operation, dialect: Dialect, binding: BindingId): A2AError {
  return new A2AError('UnsupportedOperation', `A2A ${dialect.id} has no ${op} over ${binding}.`)
}

export function isEventStream(response: HttpResponse): boolean {
  return response.contentType?.essence === 'text/event-stream'
}

/** The JSON of a body, or undefined when it is empty, broken, or beyond what one answer may hold. */
export function jsonIn(text: string): JsonValue | undefined {
  const parsed = parseJson(text, DEFAULT_LIMITS)
  return parsed.ok ? parsed.value : undefined
}

export function notA2A(response: HttpResponse, url: string, body: string, expected: string): InvalidPeerResponse {
  const type = response.contentType?.essence ?? 'untyped content'
  const told = (seen: string) => `${url} answered HTTP ${response.status} with ${seen} instead of ${expected}.`
  if (body === '') return new InvalidPeerResponse(told('an empty body'), response.exchange)
  return new InvalidPeerResponse(told(`${type} starting ${excerpt(body)}`), response.exchange, [], told(type))
}

/** The error behind an HTTP status whose body says nothing in A2A. */
export function httpError({ status }: HttpResponse, url: string, options: EndpointOptions): HttpStatusError {
  const message = `${url} answered HTTP ${status}.`
  // No A2A error is told without a body, so an unknown path means: this dialect is not served here.
  if (status === 404 || status === 405)
    return new HttpStatusError(status, { kind: 'MethodNotFound', message, options: {} })
  return new HttpStatusError(status, options.dialect.errors(options.revision).decode({ status, message }))
}

export function decodedOrThrow<T>(decoded: Decoded<T>, what: string, dialect: Dialect, exchange: Exchange): T {
  if (decoded.ok) return decoded.value
  const issues = decoded.reason === 'invalid' ? decoded.issues : []
  const first = issues[0]
  const detail = first === undefined ? '' : `: ${first.pointer === '' ? 'it' : first.pointer} ${first.message}`
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : ''
  throw new InvalidPeerResponse(`The ${what} is not valid A2A ${dialect.id}${detail}${more}.`, exchange, issues)
}

/** Nothing of the same turn can follow: the client need not wait for the server to hang up. */
export function endsTurn(event: StreamEvent): boolean {
  if ('message' in event) return true
  if ('statusUpdate' in event) return isTerminal(event.statusUpdate.status.state)
  return 'task' in event && isTerminal(event.task.status.state)
}

/**
 * The task a stream is about: the one subscribed to, else the first it names, because an agent may answer a follow-up
 * with a new task. Events of another one are not ours.
 */
export class StreamSubject {
  #taskId: string | undefined

  constructor(request: OperationRequest<StreamingOperation>) {
    this.#taskId = 'id' in request ? request.id : undefined
  }

  check(event: StreamEvent, exchange: Exchange): void {
    const taskId = taskIdOf(event)
    if (taskId === undefined) return
    this.#taskId ??= taskId
    if (taskId === this.#taskId) return
    throw new InvalidPeerResponse(`A stream of task ${this.#taskId} sent an event of task ${taskId}.`, exchange)
  }
}

function taskIdOf(event: StreamEvent): string | undefined {
  if ('task' in event) return event.task.id
  if ('statusUpdate' in event) return event.statusUpdate.taskId
  return 'artifactUpdate' in event ? event.artifactUpdate.taskId : undefined
}

/** Encoded requests are objects in every dialect; anything else would be a codec's bug. */
export function objectWire(wire: JsonValue): JsonObject {
  if (isJsonObject(wire)) return wire
  throw new TypeError('an encoded request must be a JSON object')
}

function excerpt(body: string): string {
  return JSON.stringify(body.slice(0, 60))
}
