// What both bindings do once they know the operation: decode, ask the service, and answer with one result or with a
// stream. They differ only in what surrounds the payload.

import type { MaybePromise } from '../base/maybe-promise.ts'
import type { Codec, Dialect } from '../dialects/dialect.ts'
import { A2AError } from '../model/errors.ts'
import { idIssue, tooLong } from '../model/ids.ts'
import type { Issue } from '../model/issue.ts'
import type { JsonValue } from '../model/json.ts'
import {
  isStreaming,
  type Operation,
  type OperationRequest,
  type OperationResult,
  type StreamingOperation,
} from '../model/operation.ts'
import type { Reply } from '../net/serve/reply.ts'
import type { ServerRequest } from '../net/serve/request.ts'
import { EventText } from './event-text.ts'
import { callOf, extensionHeaders, extensionsOf, reply, streamHeaders, tenantFor } from './http.ts'
import type { BindingMount, CallerFacts } from './mount.ts'
import type { EventFeed, UnaryOperation } from './service.ts'

export interface OperationCall {
  op: Operation
  dialect: Dialect
  codec: Codec
  /** The request as the codec reads it. */
  wire: JsonValue | undefined
  caller: CallerFacts
  /** The tenant the request names; '' for none. */
  tenant: string
  mediaType: string
  /** What the binding puts around each payload. */
  envelope: { before: string; after: string }
  /** How an operation without a result is answered. */
  nothing: string
  /** Beyond those every answer has. */
  headers: readonly string[]
}

export function answerOperation(
  request: ServerRequest,
  mount: BindingMount,
  operation: OperationCall,
): MaybePromise<Reply> {
  const { op, dialect, codec, caller } = operation
  const asked = decodeRequest(codec, op, operation.wire)
  const longTenant = tooLong('/tenant', operation.tenant)
  if (longTenant !== undefined) throw invalidParams([longTenant])
  const extensions = extensionsOf(request, dialect)
  const call = callOf(request, dialect, {
    subject: caller.subject,
    tenant: tenantFor(caller.tenant, operation.tenant),
    extensions,
  })
  const activated = extensions.length === 0 ? extensions : mount.activated(extensions)
  if (isStreaming(op))
    return mount.service
      .stream(op, asked as OperationRequest<StreamingOperation>, call)
      .then((feed) => streamReply(mount, operation, op, feed, activated))
  return mount.service
    .call(op, asked as OperationRequest<UnaryOperation>, call)
    .then((result) => resultReply(mount, operation, result, activated))
}

function streamReply(
  mount: BindingMount,
  { dialect, codec, envelope, caller }: OperationCall,
  op: StreamingOperation,
  feed: EventFeed,
  activated: readonly string[],
): Reply {
  const { onInternalError } = mount
  const text = new EventText({ feed, op, dialect, codec, envelope, endsAtMs: caller.expiresAtMs, onInternalError })
  return { status: 200, headers: streamHeaders(dialect, activated), body: { kind: 'events', feed: text } }
}

function resultReply(
  mount: BindingMount,
  { op, dialect, codec, envelope, nothing, mediaType, headers }: OperationCall,
  result: OperationResult<Operation>,
  activated: readonly string[],
): Reply {
  const encoded = codec.encodeResult(op, result).wire
  const body = envelope.before + (encoded === null ? nothing : textOf(encoded)) + envelope.after
  checkSize(body, mount.limits.unreadBytesPerSocket)
  const all = activated.length === 0 ? headers : [...headers, ...extensionHeaders(dialect, activated)]
  return reply({ status: 200, mediaType, body, dialect, headers: all })
}

export function decodeRequest<O extends Operation>(
  codec: Codec,
  op: O,
  wire: JsonValue | undefined,
): OperationRequest<O> {
  const decoded = codec.decodeRequest(op, wire)
  if (decoded.ok) {
    const issue = idIssue(decoded.value)
    if (issue === undefined) return decoded.value
    throw invalidParams([issue])
  }
  if (decoded.reason === 'not-in-dialect')
    throw new A2AError('UnsupportedOperation', 'This protocol version does not have that operation.')
  throw invalidParams(decoded.issues)
}

/** More would not be read, and each may repeat what was sent. */
const MOST_ISSUES = 20

export function invalidParams(issues: readonly Issue[]): A2AError {
  const [first] = issues
  const where = first === undefined ? '' : `: ${first.pointer || 'the request'} ${first.message}`
  return new A2AError('InvalidParams', `Invalid parameters${where}`, { issues: issues.slice(0, MOST_ISSUES) })
}

function textOf(wire: JsonValue): string {
  try {
    return JSON.stringify(wire)
  } catch (error) {
    if (error instanceof RangeError) throw tooLarge('be longer than a JSON text can be')
    throw error
  }
}

/** Most bytes that a UTF-16 code unit takes in UTF-8. */
const MOST_BYTES = 3

/** An answer that may not wait for its reader is not begun. */
function checkSize(body: string, limit: number): void {
  if (body.length * MOST_BYTES <= limit) return
  const bytes = Buffer.byteLength(body)
  if (bytes > limit)
    throw tooLarge(`have ${bytes.toLocaleString('en-US')} bytes, and at most ${limit.toLocaleString('en-US')} are sent`)
}

function tooLarge(what: string): A2AError {
  return new A2AError(
    'ResourceExhausted',
    `The answer would ${what}; ask for less of it, with historyLength or pageSize.`,
  )
}
