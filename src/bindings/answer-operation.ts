// What both bindings do once they know the operation: decode, ask the service, and answer with one result or with a
// stream. They differ only in what surrounds the payload.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Codec, Dialect } from '../dialects/dialect.ts'
import { A2AError } from '../model/errors.ts'
import { idIssue, tooLong } from '../model/ids.ts'
import type { Issue } from '../model/issue.ts'
import type { JsonValue } from '../model/json.ts'
import { isStreaming, type Operation, type OperationRequest, type StreamingOperation } from '../model/operation.ts'
import { pumpEvents } from './event-pump.ts'
import { callOf, extensionHeaders, extensionsOf, reply, streamHeaders, tenantFor } from './http.ts'
import type { BindingMount, CallerFacts } from './mount.ts'
import type { UnaryOperation } from './service.ts'

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

export async function answerOperation(
  req: IncomingMessage,
  res: ServerResponse,
  mount: BindingMount,
  operation: OperationCall,
): Promise<void> {
  const { op, dialect, codec, caller, envelope } = operation
  const request = decodeRequest(codec, op, operation.wire)
  const longTenant = tooLong('/tenant', operation.tenant)
  if (longTenant !== undefined) throw invalidParams([longTenant])
  const extensions = extensionsOf(req, dialect)
  const call = callOf(req, dialect, {
    subject: caller.subject,
    tenant: tenantFor(caller.tenant, operation.tenant),
    extensions,
  })
  const activated = extensions.length === 0 ? extensions : mount.activated(extensions)
  if (isStreaming(op)) {
    const feed = await mount.service.stream(op, request as OperationRequest<StreamingOperation>, call)
    res.writeHead(200, streamHeaders(dialect, activated))
    const { keepAlive, stallTimeoutMs } = mount
    const endsAtMs = caller.expiresAtMs
    // Not awaited: a stream may last for days, and nothing that led to it is needed any more.
    pumpEvents({ res, feed, op, dialect, codec, envelope, keepAlive, stallTimeoutMs, endsAtMs }).catch((error) => {
      if (!(error instanceof A2AError)) mount.onInternalError(error)
      res.destroy()
    })
    return
  }
  const result = await mount.service.call(op, request as OperationRequest<UnaryOperation>, call)
  const encoded = codec.encodeResult(op, result).wire
  const body = envelope.before + (encoded === null ? operation.nothing : textOf(encoded)) + envelope.after
  checkSize(body, mount.limits.unreadBytesPerSocket)
  const headers =
    activated.length === 0 ? operation.headers : [...operation.headers, ...extensionHeaders(dialect, activated)]
  reply(res, { status: 200, mediaType: operation.mediaType, body, dialect, headers })
}

function decodeRequest<O extends Operation>(codec: Codec, op: O, wire: JsonValue | undefined): OperationRequest<O> {
  const decoded = codec.decodeRequest(op, wire)
  if (decoded.ok) {
    const issue = idIssue(decoded.value)
    if (issue === undefined) return decoded.value
    throw invalidParams([issue])
  }
  if (decoded.reason === 'not-in-dialect')
    throw new A2AError('UnsupportedOperation', 'This protocol generation does not have that operation.')
  throw invalidParams(decoded.issues)
}

/** Nobody reads more, and each may repeat what was sent. */
const MOST_ISSUES = 20

function invalidParams(issues: readonly Issue[]): A2AError {
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
