// What both bindings do once they know the operation: decode, ask the service, and answer with one result or with a
// stream. They differ only in what surrounds the payload.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Codec, Dialect } from '../dialects/dialect.ts'
import { A2AError } from '../model/errors.ts'
import type { JsonValue } from '../model/json.ts'
import { isStreaming, type Operation, type OperationRequest, type StreamingOperation } from '../model/operation.ts'
import { pumpEvents } from './event-pump.ts'
import { callHeaders, extensionHeaders, extensionsOf, reply, streamHeaders, tenantFor } from './http.ts'
import type { BindingMount, CallerFacts } from './mount.ts'
import type { Call, UnaryOperation } from './service.ts'

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
  { op, dialect, codec, wire, caller, tenant, mediaType, envelope, nothing, ...rest }: OperationCall,
): Promise<void> {
  const request = decodeRequest(codec, op, wire)
  const extensions = extensionsOf(req, dialect)
  const call: Call = {
    ...{ dialect, extensions, subject: caller.subject, tenant: tenantFor(caller.tenant, tenant) },
    ...callHeaders(req),
  }
  const activated = extensions.length === 0 ? extensions : mount.activated(extensions)
  if (isStreaming(op)) {
    const feed = await mount.service.stream(op, request as OperationRequest<StreamingOperation>, call)
    res.writeHead(200, streamHeaders(dialect, activated))
    const { keepAlive, stallTimeoutMs } = mount
    await pumpEvents({
      ...{ res, feed, op, dialect, codec, envelope },
      ...{ keepAlive, stallTimeoutMs, endsAtMs: caller.expiresAtMs },
    })
    return
  }
  const result = await mount.service.call(op, request as OperationRequest<UnaryOperation>, call)
  const encoded = codec.encodeResult(op, result).wire
  const payload = encoded === null ? nothing : JSON.stringify(encoded)
  const headers = [...rest.headers, ...extensionHeaders(dialect, activated)]
  reply(res, { status: 200, mediaType, body: envelope.before + payload + envelope.after, dialect, headers })
}

function decodeRequest<O extends Operation>(codec: Codec, op: O, wire: JsonValue | undefined): OperationRequest<O> {
  const decoded = codec.decodeRequest(op, wire)
  if (decoded.ok) return decoded.value
  if (decoded.reason === 'not-in-dialect')
    throw new A2AError('UnsupportedOperation', 'This protocol generation does not have that operation.')
  const [first] = decoded.issues
  const where = first === undefined ? '' : `: ${first.pointer || 'the request'} ${first.message}`
  throw new A2AError('InvalidParams', `Invalid parameters${where}`, { issues: decoded.issues })
}
