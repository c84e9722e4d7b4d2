// What came back, taken apart without judging it: the parsed body, the result or the error inside, and the exchange
// with the raw bytes as evidence.

import type { RawError } from '../../bindings/probe.ts'
import { BINDINGS } from '../../bindings/registry.ts'
import type { BindingId } from '../../dialects/dialect.ts'
import type { JsonObject, JsonValue } from '../../model/json.ts'
import type { Operation } from '../../model/operation.ts'
import { type Exchange, headerOf } from '../../trace/exchange.ts'
import { rawError } from './error-table.ts'
import { excessOf } from './json-limits.ts'

export interface Answer {
  readonly op: Operation | undefined
  readonly exchange: Exchange
  /** The request in words, for findings. */
  readonly about: string
  /** HTTP status, over gRPC the one that says the same; 0 when there was no response. */
  readonly status: number
  /** `HTTP 404`, `gRPC NOT_FOUND`: for findings. */
  readonly statusText: string
  /** The media type without parameters, in lower case. */
  readonly mediaType: string
  readonly text: string
  /** The whole body, or the first event of a body that is an event stream; undefined when it is not JSON. */
  readonly body: JsonValue | undefined
  /** The JSON-RPC envelope, when the body is an object. */
  readonly envelope: JsonObject | undefined
  /** `result` of JSON-RPC, or the body of a successful REST response. */
  readonly result: JsonValue | undefined
  /** Where `result` lies in the body. */
  readonly resultPointer: string
  readonly error: RawError | undefined
  /** The task that is not found although its end was seen before. */
  readonly forgotten?: string
}

export function header(answer: { exchange: Exchange }, name: string): string | undefined {
  return answer.exchange.response === undefined ? undefined : headerOf(answer.exchange.response.headers, name)
}

export function readAnswer(
  binding: BindingId,
  op: Operation | undefined,
  exchange: Exchange,
  about = 'the request',
): Answer {
  const { probe } = BINDINGS[binding]
  const { response } = exchange
  const [status, statusText] = [probe.statusOf(exchange), probe.statusText(exchange)]
  const text = response === undefined ? '' : new TextDecoder().decode(response.body)
  const mediaType =
    (headerOf(response?.headers ?? [], 'content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
  const body = parsed(probe.textOf(exchange))
  const inside = probe.read(body, status)
  const { error } = inside
  return {
    ...{ op, exchange, about, status, statusText, mediaType, text, body },
    ...inside,
    error: error === undefined ? undefined : rawError(error.json, { httpStatus: status, statusText }, error.pointer),
  }
}

/**
 * The agent broke down instead of answering. The number of a JSON-RPC error says so, whatever HTTP status is around it;
 * a server error without one says so, too.
 */
export function isInternalError({ error, status }: Pick<Answer, 'error' | 'status'>): boolean {
  if (error?.code !== undefined && error.code < 0) return error.code === -32603
  return status >= 500
}

/** Undefined when it is not JSON, or more than anybody could mean. */
export function parsed(text: string): JsonValue | undefined {
  if (excessOf(text) !== undefined) return undefined
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return undefined
  }
}
