// Whose bytes are wrong in a conversation that failed, from what the tap has seen: every request is held against the schemas
// of the version as the client's, every answer as the server's. The first that is wrong is the cause; the rest follows.

import { jsonIn } from '../bindings/endpoint-client.ts'
import { grpcProbe } from '../bindings/grpc/probe.ts'
import { isEnveloped, isHttp1 } from '../bindings/registry.ts'
import type { Dialect } from '../dialects/dialect.ts'
import { dialectById } from '../dialects/index.ts'
import { errorIssues, messageIssues } from '../dialects/message-schemas.ts'
import { Call, type ReceivedCall } from '../grade/call.ts'
import type { ClientExit } from '../grade/graded-client.ts'
import { stateNamed } from '../grade/intent.ts'
import type { Surface } from '../grade/scenario.ts'
import type { Issue } from '../model/issue.ts'
import { isJsonObject, type JsonObject, type JsonValue, objectAt, sameJson } from '../model/json.ts'
import { isStreaming, type Operation } from '../model/operation.ts'
import { type Exchange, type GrpcExchange, headerOf } from '../trace/exchange.ts'

export type Blame = 'client' | 'server' | 'both' | 'harness'

export interface Finding {
  readonly blame: Blame
  readonly why: string
  /** The bytes that show it. */
  readonly exchange?: Exchange
}

/** Told truthfully by the client, and not what was asked for. */
const UNFULFILLED = /FAILED|REJECTED|CANCELED/

const text = (body: Uint8Array): string => Buffer.from(body).toString('utf8')

/** Something in the bytes that the definitions do not allow, in the order of the conversation; undefined when all is legal. */
export function firstFault(exchanges: readonly Exchange[], surface: Surface, root: string): Finding | undefined {
  for (const [at, exchange] of exchanges.entries()) {
    const call = callOf(exchange, at, surface, root)
    if (isCardLookup(call)) continue
    const why = requestFault(call, surface)
    if (why !== undefined) return { blame: 'client', why, exchange }
    const answered =
      call.op === undefined ? undefined : (idFault(exchange, call) ?? answerFault(exchange, call.op, surface))
    if (answered !== undefined) return { blame: 'server', why: answered, exchange }
  }
  return undefined
}

/** Who is to blame for a conversation that did not come to its end. */
export function blameFor(
  exchanges: readonly Exchange[],
  surface: Surface,
  root: string,
  { outcome }: Pick<ClientExit, 'outcome'>,
): Finding {
  if (exchanges.length === 0) return { blame: 'harness', why: 'the client sent no request' }
  const fault = firstFault(exchanges, surface, root)
  if (fault !== undefined) return fault
  const calls = exchanges.filter((exchange, at) => !isCardLookup(callOf(exchange, at, surface, root)))
  const exchange = calls.at(-1)
  if (exchange === undefined)
    return {
      blame: 'client',
      why: 'the client read the card and called nothing',
      exchange: exchanges.at(-1) as Exchange,
    }
  if (exchange.response === undefined)
    return { blame: 'server', why: `the server did not answer (${exchange.failure ?? 'no answer'})`, exchange }
  const { body } = exchange.response
  const status = statusOf(exchange)
  if (status >= 500 && status !== NOT_IMPLEMENTED)
    return { blame: 'server', why: `the server answered ${grpcOr(exchange, String(status))}`, exchange }
  const state = stateNamed(outcome?.state)
  if (outcome?.outcome !== 'error' && state !== undefined && UNFULFILLED.test(state))
    return { blame: 'server', why: `the task of the server ended as ${state}`, exchange }
  const isRefused = status >= 400 || objectAt(jsonIn(text(body)) ?? null, 'error') !== undefined
  return isRefused
    ? { blame: 'both', why: 'the server refused a valid request with a valid error', exchange }
    : { blame: 'client', why: 'the server behaved correctly, and the client reports failure', exchange }
}

/** Over gRPC a legal way to refuse what the agent does not do. */
const NOT_IMPLEMENTED = 501

/** Of HTTP, or what the status of a call comes to there. */
function statusOf(exchange: Exchange): number {
  return exchange.protocol === 'grpc' ? grpcProbe.statusOf(exchange) : (exchange.response?.status ?? 0)
}

function grpcOr(exchange: Exchange, words: string): string {
  return exchange.protocol === 'grpc' ? grpcProbe.statusText(exchange) : words
}

function callOf(exchange: Exchange, at: number, { version }: Surface, root: string): Call {
  const { method, url, headers, body } = exchange.request
  const { pathname, search } = new URL(url)
  const received: ReceivedCall = {
    ...{ number: at + 1, method, url: `${pathname}${search}`, exchange, ending: 'answered' },
    headers: Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])),
    body: exchange.protocol === 'grpc' ? (exchange.request.message ?? '') : text(body),
  }
  return new Call(received, 'agent', root, [dialectById(version)])
}

/** Also where the card is not below the interface, or is not there at all. */
function isCardLookup({ isCard, method, path }: Call): boolean {
  return isCard || (method === 'GET' && path.includes('/.well-known/'))
}

function requestFault(call: Call, surface: Surface): string | undefined {
  const dialect = dialectById(surface.version)
  if (call.op === undefined)
    return `the client called ${call.method} ${call.path}, which A2A ${surface.version} does not have`
  if (!isHttp1(surface.binding) && call.body === '') return `the bytes of the request are not a message of ${call.path}`
  // What REST has in paths and queries, and gRPC of 0.3 in names, is judged by `parley test`; messages are bodies alone.
  const isAllInBody = isEnveloped(surface.binding) || (!isHttp1(surface.binding) && dialect.versionHeader !== undefined)
  if (!isAllInBody && !call.isMessage) return undefined
  const issues = messageIssues(dialect.messages, 'requests', surface.binding, call.op, requestOf(call, surface))
  return issues === undefined || issues.length === 0 ? undefined : `the request ${said(issues)}`
}

/** Over REST, 0.3 may name the message as its proto does; over gRPC it does. */
function requestOf(call: Call, { binding }: Surface): JsonValue {
  if (isEnveloped(binding) || call.message === undefined) return call.params
  const { request: _request, ...rest } = call.params
  return { ...rest, message: call.message }
}

/** A response has the id of its request, and its type (JSON-RPC 2.0 §5); null only where the request could not be read. */
function idFault({ response }: Exchange, { id }: Call): string | undefined {
  const json = response === undefined ? undefined : jsonIn(text(response.body))
  if (id === undefined || !isJsonObject(json) || json.id === undefined || json.id === null) return undefined
  return sameJson(json.id, id)
    ? undefined
    : `the answer has the id ${JSON.stringify(json.id)}, not ${JSON.stringify(id)}`
}

function answerFault(exchange: Exchange, op: Operation, surface: Surface): string | undefined {
  const { response } = exchange
  if (response === undefined) return undefined
  const dialect = dialectById(surface.version)
  const body = text(response.body)
  const isCut = response.incomplete !== undefined
  if (exchange.protocol === 'grpc') return grpcFault(exchange, op, surface)
  if (headerOf(response.headers, 'content-type')?.startsWith('text/event-stream') === true) {
    const events = eventsIn(response.body)
    // The last of a stream that was cut may be half an event; a client that leaves cuts behind a whole one.
    const isHalf = isCut && !/(\r\n\r\n|\n\n|\r\r)$/.test(body)
    return (isHalf ? events.slice(0, -1) : events)
      .map((event) => resultFault(dialect, surface, op, event))
      .find((each) => each !== undefined)
  }
  if (isCut) return undefined
  const json = jsonIn(body)
  if (json === undefined) return response.status < 400 && body !== '' ? 'the answer is not JSON' : undefined
  if (response.status >= 400 && !isEnveloped(surface.binding)) return errorFault(dialect, surface, json)
  return resultFault(dialect, surface, op, json)
}

function grpcFault(exchange: GrpcExchange, op: Operation, surface: Surface): string | undefined {
  const dialect = dialectById(surface.version)
  const { frames = [], body = Buffer.alloc(0), incomplete } = exchange.response ?? {}
  const isRefused = statusOf(exchange) >= 400
  if (isRefused && frames.length === 0) return errorFault(dialect, surface, jsonIn(grpcProbe.textOf(exchange)) ?? null)
  if (body.length > 0 && frames.length === 0 && incomplete === undefined)
    return `the bytes of the answer are not a message of ${exchange.request.rpc}`
  const events = isStreaming(op) ? frames.map(({ data }) => jsonIn(data)) : [jsonIn(grpcProbe.textOf(exchange))]
  return events.map((json) => resultFault(dialect, surface, op, json)).find((each) => each !== undefined)
}

function resultFault(
  dialect: Dialect,
  surface: Surface,
  op: Operation,
  json: JsonValue | undefined,
): string | undefined {
  if (json === undefined) return 'an event of the stream is not JSON'
  const hasEnvelope = isEnveloped(surface.binding)
  if (hasEnvelope && !isJsonObject(json)) return 'the answer is not an object of JSON-RPC'
  const envelope = json as JsonObject
  if (hasEnvelope && envelope.error !== undefined) return errorFault(dialect, surface, json)
  if (hasEnvelope && envelope.result === undefined) return 'the answer has neither result nor error'
  const issues = messageIssues(dialect.messages, 'results', surface.binding, op, hasEnvelope ? envelope.result : json)
  return issues === undefined || issues.length === 0 ? undefined : `the answer ${said(issues)}`
}

function errorFault(dialect: Dialect, { binding }: Surface, json: JsonValue): string | undefined {
  const issues = errorIssues(dialect.messages, binding, json)
  return issues === undefined || issues.length === 0 ? undefined : `the error ${said(issues)}`
}

function said(issues: readonly Issue[]): string {
  const [first] = issues
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : ''
  return `does not match the schema: ${first?.pointer || '/'} ${first?.message}${more}`
}

function eventsIn(body: Uint8Array): (JsonValue | undefined)[] {
  return text(body)
    .split(/\r\n\r\n|\n\n|\r\r/)
    .map((frame) =>
      frame
        .split(/\r\n|\n|\r/)
        .flatMap((line) => /^data: ?(.*)$/.exec(line)?.[1] ?? [])
        .join('\n'),
    )
    .filter((data) => data !== '')
    .map((data) => jsonIn(data))
}
