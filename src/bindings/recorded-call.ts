// Reading a call back from what lay on the wire: which operation it was, and what its answer holds. For recordings that are
// played again.

import type { Codec, Dialect, WireError } from '../dialects/dialect.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts'
import type { Operation } from '../model/operation.ts'
import type { RequestFacts } from './mount.ts'

export interface RecordedAsk {
  readonly method: string
  /** The whole path: the agent may have lived below any. */
  readonly path: string
  readonly query: { readonly [name: string]: string }
  /** If it is JSON. */
  readonly body: JsonValue | undefined
}

/** The generation these facts belong to; undefined when the recorded agent did not speak it. */
export type SelectDialect = (facts: Omit<RequestFacts, 'version'>) => Dialect | undefined

export interface AskedCall {
  readonly op: Operation
  readonly dialect: Dialect
  readonly codec: Codec
  /** The request as the codec reads it. */
  readonly wire: JsonValue | undefined
}

export type Unwrapped = { ok: true; payload: JsonValue | undefined } | { ok: false; error: WireError }

export interface RecordedHalf {
  /** Loads what reading takes, if that is more than is there anyway. */
  load?(): Promise<void>
  /** Undefined when the request is none of this binding; `dialects` are those the recorded agent may have spoken. */
  asked(request: RecordedAsk, select: SelectDialect, dialects: readonly Dialect[]): AskedCall | undefined
  /** Takes the payload out of what the binding puts around it; without a status, one event of a stream. */
  unwrap(body: JsonValue | undefined, status: number | undefined): Unwrapped
  /** The error in the trailers, where a call ends with them. */
  errorAtEnd?(trailers: readonly (readonly [string, string])[]): WireError | undefined
}

export function wireErrorOf(error: JsonObject, status: number | undefined): WireError {
  const { code, message, data = error.details } = error
  return {
    message: typeof message === 'string' ? message : '',
    // JSON-RPC codes are negative; REST repeats the HTTP status there.
    ...(typeof code === 'number' && code < 0 ? { code } : {}),
    ...(status !== undefined && status >= 400 ? { status } : {}),
    ...(data === undefined ? {} : { data }),
  }
}

/** The `error` member both bindings have where something went wrong. */
export function errorIn(body: JsonValue | undefined, status: number | undefined): WireError | undefined {
  return isJsonObject(body) && isJsonObject(body.error) ? wireErrorOf(body.error, status) : undefined
}
