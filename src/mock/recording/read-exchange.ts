// One recorded exchange as what it meant: an operation, its request, and its answer, in neutral terms. What no
// generation understands is told, not guessed.

import { defined } from '../../base/defined.ts'
import type { AskedCall, RecordedHalf, SelectDialect } from '../../bindings/recorded-call.ts'
import { SERVED_BINDINGS } from '../../bindings/serving.ts'
import type { DialectId, WireError } from '../../dialects/dialect.ts'
import { dialectById, MODEL_GENERATION } from '../../dialects/index.ts'
import { selectDialect } from '../../dialects/select.ts'
import { A2AError } from '../../model/errors.ts'
import type { StreamEvent } from '../../model/event.ts'
import { isStreaming, type Operation, type OperationRequest, type OperationResult } from '../../model/operation.ts'
import {
  type Exchange,
  headerOf,
  isGrpcRequest,
  isGrpcResponse,
  type RecordedFrame,
  type RecordedGrpcResponse,
  type RecordedResponse,
} from '../../trace/exchange.ts'
import { parsePayload } from '../wire/payload.ts'

export interface RecordedEvent {
  /** Since the request was sent. */
  readonly atMs: number
  readonly seq: number | undefined
  readonly event: StreamEvent
}

export type RecordedAnswer =
  | { readonly is: 'result'; readonly atMs: number; readonly result: OperationResult<Operation> }
  | { readonly is: 'error'; readonly atMs: number; readonly error: A2AError }
  /** How it ended: by the agent, by a lost connection, or because the recorded client left. */
  | { readonly is: 'stream'; readonly events: readonly RecordedEvent[]; readonly end: 'ended' | 'cut' | 'left' }
  /** The connection was lost before an answer. */
  | { readonly is: 'cut' }

export interface RecordedCall {
  /** Of the exchange in its recording, from 1. */
  readonly number: number
  /** Of the exchange, as its recorder counted. */
  readonly id: string
  readonly startedMs: number
  readonly op: Operation
  readonly request: OperationRequest<Operation>
  readonly answer: RecordedAnswer
}

export type ReadExchange = { ok: true; call: RecordedCall } | { ok: false; why: string }

type Asked = AskedCall & Required<Pick<RecordedHalf, 'unwrap' | 'errorAtEnd'>>

/** `dialects` are the generations the recorded agent may have spoken. */
export function readExchange(exchange: Exchange, number: number, dialects: readonly DialectId[]): ReadExchange {
  const asked = whatWasAsked(exchange, dialects)
  if (asked === undefined) return { ok: false, why: `${exchange.request.method} is not an A2A request` }
  const { op, codec, dialect, wire } = asked
  const request = codec.decodeRequest(op, wire)
  if (!request.ok) return { ok: false, why: `its request is not a ${op} of A2A ${dialect.id}` }
  const answer = readAnswer(exchange, asked)
  if (answer === undefined) return { ok: false, why: `its answer to ${op} is not valid A2A ${dialect.id}` }
  return {
    ok: true,
    call: { number, id: exchange.id, startedMs: Date.parse(exchange.startedAt), op, request: request.value, answer },
  }
}

function whatWasAsked({ request }: Exchange, dialects: readonly DialectId[]): Asked | undefined {
  const { pathname: path, searchParams } = new URL(request.url)
  const version = headerOf(request.headers, 'a2a-version') ?? searchParams.get('A2A-Version') ?? undefined
  const asked = {
    ...{ method: request.method, path, query: Object.fromEntries(searchParams) },
    body: parsePayload(isGrpcRequest(request) ? (request.message ?? '') : Buffer.from(request.body).toString('utf8')),
  }
  const select: SelectDialect = (facts) => {
    const selected = selectDialect({ version, ...facts }, { dialects, unversionedAs: MODEL_GENERATION })
    return selected instanceof A2AError ? undefined : selected
  }
  for (const { recorded } of SERVED_BINDINGS) {
    const call = recorded.asked(asked, select, dialects.map(dialectById))
    if (call !== undefined)
      return {
        ...call,
        unwrap: (body, status) => recorded.unwrap(body, status),
        errorAtEnd: (trailers) => recorded.errorAtEnd?.(trailers),
      }
  }
  return undefined
}

function readAnswer(exchange: Exchange, asked: Asked): RecordedAnswer | undefined {
  const { response, failure, durationMs: atMs = 0 } = exchange
  if (response === undefined) return { is: 'cut' }
  if (isGrpcResponse(response)) return readGrpcAnswer(exchange, response, asked)
  if (isStreaming(asked.op) && response.frames !== undefined)
    return readStream(response.frames, asked, endOf(response, failure))
  if (failure !== undefined) return { is: 'cut' }
  const { op, codec } = asked
  const body = parsePayload(Buffer.from(response.body).toString('utf8'))
  const unwrapped = asked.unwrap(body, response.status)
  if (!unwrapped.ok) return { is: 'error', atMs, error: errorOf(unwrapped.error, asked, response) }
  const result = codec.decodeResult(op, unwrapped.payload)
  return result.ok ? { is: 'result', atMs, result: result.value } : undefined
}

/** Every message is a frame, also where there is only one, and errors are told at the end. */
function readGrpcAnswer(
  { failure, durationMs: atMs = 0 }: Exchange,
  response: RecordedGrpcResponse,
  asked: Asked,
): RecordedAnswer | undefined {
  const { frames = [], trailers } = response
  const fault = trailers.length === 0 ? undefined : asked.errorAtEnd(trailers)
  if (fault !== undefined && (frames.length === 0 || !isStreaming(asked.op)))
    return { is: 'error', atMs, error: errorOf(fault, asked, response) }
  if (isStreaming(asked.op)) return readStream(frames, asked, fault === undefined ? endOf(response, failure) : 'cut')
  const [only] = frames
  if (failure !== undefined || only === undefined) return { is: 'cut' }
  const result = asked.codec.decodeResult(asked.op, parsePayload(only.data))
  return result.ok ? { is: 'result', atMs, result: result.value } : undefined
}

function endOf({ incomplete }: RecordedResponse, failure: string | undefined): 'ended' | 'cut' | 'left' {
  if (failure !== undefined) return 'cut'
  return incomplete === undefined ? 'ended' : 'left'
}

function readStream(
  frames: readonly RecordedFrame[],
  asked: Asked,
  end: 'ended' | 'cut' | 'left',
): RecordedAnswer | undefined {
  const events: RecordedEvent[] = []
  for (const { atMs, id, data } of frames) {
    const unwrapped = asked.unwrap(parsePayload(data), undefined)
    if (!unwrapped.ok)
      return events.length === 0 ? { is: 'error', atMs, error: errorOf(unwrapped.error, asked) } : undefined
    const decoded = asked.codec.decodeEvent(unwrapped.payload ?? null)
    if (!decoded.ok) return undefined
    events.push({ atMs, seq: id !== undefined && /^\d+$/.test(id) ? Number(id) : undefined, event: decoded.value })
  }
  return { is: 'stream', events, end }
}

function errorOf(fault: WireError, { dialect }: Asked, response?: RecordedResponse): A2AError {
  const { kind, message, options } = dialect.errors().decode(fault)
  const challenge = response && headerOf(endsOf(response), 'www-authenticate')
  const retryAfter = Number(response && headerOf(response.headers, 'retry-after'))
  return new A2AError(kind, message, {
    ...options,
    ...defined({ challenge }),
    ...(Number.isInteger(retryAfter) ? { retryAfterSeconds: retryAfter } : {}),
  })
}

/** Where a binding tells an error: in the headers, or at the end. */
function endsOf(response: RecordedResponse): RecordedResponse['headers'] {
  return isGrpcResponse(response) ? response.trailers : response.headers
}
