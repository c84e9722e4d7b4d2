// The serving half of a binding as an object: which requests are its own, and how they are answered.

import type { MaybePromise } from '../base/maybe-promise.ts'
import type { BindingId, Dialect } from '../dialects/dialect.ts'
import type { A2AError } from '../model/errors.ts'
import type { JsonValue } from '../model/json.ts'
import type { Operation } from '../model/operation.ts'
import type { Reply } from '../net/serve/reply.ts'
import type { RequestHeaders, ServerRequest } from '../net/serve/request.ts'
import type { BindingMount, CallerFacts } from './mount.ts'
import type { RecordedHalf } from './recorded-call.ts'

/** A request as far as it says which operation it asks for. */
export interface AskedRequest {
  readonly method: string
  /** Below the mount. */
  readonly path: string
  /** The body, if it is JSON. */
  json(): JsonValue | undefined
}

export interface ServedBinding {
  readonly id: BindingId
  /** As cards spell it: `protocolBinding` of 1.0, `transport` of 0.3. */
  readonly cardName: string
  /** Whether it is listened for elsewhere than the others; such interfaces come last in cards. */
  readonly hasOwnPort: boolean
  /** Whether a request at this path below the mount is for this binding; the first in the registry that says so has it. */
  accepts(request: ServerRequest, mount: BindingMount, path: string): boolean
  serve(request: ServerRequest, mount: BindingMount, caller: CallerFacts): MaybePromise<Reply>
  /** Tells an error that precedes the body, such as missing credentials. */
  refuse(request: ServerRequest, mount: BindingMount, dialect: Dialect, error: A2AError): Reply
  /** The operation a request of this generation asks for; undefined when it is none of this binding. */
  operationOf(dialect: Dialect, request: AskedRequest): Operation | undefined
  readonly recorded: RecordedHalf
  /** Where bodies are no JSON: what they say. */
  readonly inJson?: BodiesInJson
}

export interface BodiesInJson {
  /** Undefined when the bytes are no request of this path. */
  request(path: string, body: Buffer, headers: RequestHeaders): JsonValue | undefined
  /** The messages of an answer, as far as they can be read. */
  answer(path: string, body: Buffer): readonly MessageInBody[]
}

export interface MessageInBody {
  readonly json: JsonValue
  /** Of its last byte in the body. */
  readonly end: number
}
