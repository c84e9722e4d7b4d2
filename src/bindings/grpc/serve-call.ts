// The serving half of the gRPC binding (1.0 §10): which generation and operation a call is for, who calls, and the answer as
// one message or as a stream of them.

import type { Codec, Dialect } from '../../dialects/dialect.ts'
import { A2AError } from '../../model/errors.ts'
import { isStreamed, type StreamEvent } from '../../model/event.ts'
import { tooLong } from '../../model/ids.ts'
import { isJsonObject, type JsonValue } from '../../model/json.ts'
import { isStreaming, type Operation, type OperationRequest, type StreamingOperation } from '../../model/operation.ts'
import { decodeRequest, invalidParams } from '../answer-operation.ts'
import { tenantFor, toA2AError } from '../http.ts'
import type { BindingMount } from '../mount.ts'
import type { Call, EventFeed, UnaryOperation } from '../service.ts'
import { PREFIX_BYTES, withPrefix } from './frames.ts'
import { checkMetadata, GrpcRefusal, type IncomingCall } from './incoming.ts'
import { decodeMessage, NotDecodable } from './proto/decode.ts'
import { encodeMessage } from './proto/encode.ts'
import { type MessageType, type Rpc, schema } from './proto/schema.ts'
import { GRPC } from './status.ts'

export interface GrpcCaller {
  readonly subject: string
  /** The only tenant the credentials are good for; '' when they do not say. */
  readonly tenant: string
  readonly expiresAtMs?: number | undefined
}

export interface GrpcMount {
  readonly binding: BindingMount
  readonly dialects: readonly Dialect[]
  /** Who is calling, or why nobody may; told at once where nothing has to be looked up. */
  authenticate(call: IncomingCall): GrpcCaller | A2AError | Promise<GrpcCaller | A2AError>
  /** Whether the server is well, for health checks. */
  isServing(): boolean
  /** For the operator's counters. */
  onRequest(): void
  /** A reader that takes nothing for this long is disconnected; it can subscribe again. */
  readonly stallTimeoutMs: number
}

/** What can be called: the rpcs of the generations that are served. */
export interface ServedRpc {
  readonly op: Operation
  readonly rpc: Rpc
  readonly dialect: Dialect
  readonly codec: Codec
}

export function servedRpcs(dialects: readonly Dialect[]): ReadonlyMap<string, ServedRpc> {
  const served = new Map<string, ServedRpc>()
  for (const dialect of dialects) {
    const codec = dialect.codecs.grpc
    if (dialect.grpc === undefined || codec === undefined) continue
    for (const [op, name] of Object.entries(dialect.grpc.rpcs)) {
      const rpc = schema().rpc(`/${dialect.grpc.service}/${name}`)
      if (rpc !== undefined) served.set(rpc.path, { op: op as Operation, rpc, dialect, codec })
    }
  }
  return served
}

/** Every way it ends is told to the caller. */
export async function serveCall(call: IncomingCall, served: ServedRpc, mount: GrpcMount): Promise<void> {
  try {
    await answer(call, served, mount)
  } catch (error) {
    endWith(call, error, served.dialect, mount.binding)
  }
}

export function endWith(call: IncomingCall, error: unknown, dialect: Dialect, mount: BindingMount): void {
  if (error instanceof GrpcRefusal) {
    call.end({ code: error.code, message: error.message, details: [] })
    return
  }
  const told = toA2AError(error, mount)
  mount.onRefusal(told)
  const { challenge } = told.options
  call.end(
    dialect.errors(mount.revision).encodeGrpc(told),
    challenge === undefined ? {} : { 'www-authenticate': challenge },
  )
}

async function answer(call: IncomingCall, { op, rpc, dialect, codec }: ServedRpc, mount: GrpcMount): Promise<void> {
  const { binding } = mount
  checkMetadata(call.headers)
  call.watchDeadline()
  const arriving = call.message(binding.limits.bodyBytes)
  // Whoever is refused first is not waited for.
  arriving.catch(() => {})
  checkVersion(call, dialect, mount)
  const found = mount.authenticate(call)
  const caller = found instanceof Promise ? await found : found
  if (caller instanceof A2AError) throw caller
  const wire = jsonIn(rpc.request, await arriving)
  const request = decodeRequest(codec, op, wire)
  const named = isJsonObject(wire) && typeof wire.tenant === 'string' ? wire.tenant : ''
  const longTenant = tooLong('/tenant', named)
  if (longTenant !== undefined) throw invalidParams([longTenant])
  const extensions = listIn(call, dialect)
  const context: Call = {
    ...{ dialect, subject: caller.subject, tenant: tenantFor(caller.tenant, named), extensions },
    ...(call.headers.authorization === undefined ? {} : { authorization: call.headers.authorization }),
  }
  const activated = extensions.length === 0 ? extensions : binding.activated(extensions)
  const [extensionHeader] = dialect.extensionHeaders
  if (activated.length > 0 && extensionHeader !== undefined)
    call.answerHeaders[extensionHeader.toLowerCase()] = activated.join(',')
  if (isStreaming(op)) {
    const feed = await binding.service.stream(op, request as OperationRequest<StreamingOperation>, context)
    const { stallTimeoutMs } = mount
    await pump(call, feed, { op, rpc, dialect, codec, stallTimeoutMs, endsAtMs: caller.expiresAtMs })
    return
  }
  const result = await binding.service.call(op, request as OperationRequest<UnaryOperation>, context)
  const bytes = encoded(rpc.response, codec.encodeResult(op, result).wire ?? {})
  if (bytes.length > binding.limits.unreadBytesPerSocket)
    throw new A2AError('ResourceExhausted', 'The answer is too large; ask for less, with historyLength or pageSize.')
  call.answer(bytes)
}

/** The package of the service says the generation; metadata that says another is refused (1.0 §3.6.2, §10.2). */
function checkVersion(call: IncomingCall, dialect: Dialect, { binding }: GrpcMount): void {
  const version = call.headers['a2a-version']
  if (typeof version !== 'string' || version.trim() === '') return
  const selected = binding.select({ version: version.trim(), method: undefined, hasV1Prefix: false })
  if (selected instanceof A2AError) throw selected
  if (selected === dialect) return
  throw new A2AError(
    'VersionNotSupported',
    `This service speaks A2A ${dialect.id}, and the call says A2A ${version.slice(0, 20)}.`,
    { metadata: { supportedVersions: dialect.id } },
  )
}

function listIn({ headers }: IncomingCall, dialect: Dialect): readonly string[] {
  for (const name of dialect.extensionHeaders) {
    const value = headers[name.toLowerCase()]
    if (typeof value === 'string') return value.split(',').flatMap((uri) => uri.trim() || [])
  }
  return NO_EXTENSIONS
}

const NO_EXTENSIONS: readonly string[] = []

function jsonIn(type: MessageType, bytes: Buffer): JsonValue {
  try {
    return decodeMessage(type, bytes)
  } catch (error) {
    if (error instanceof NotDecodable)
      throw new A2AError('InvalidParams', `The message cannot be read: ${error.message}`)
    throw error
  }
}

function encoded(type: MessageType, json: JsonValue): Buffer {
  return withPrefix(encodeMessage(type, json, { headroom: PREFIX_BYTES, skipsUnknown: true }))
}

interface PumpOptions {
  op: StreamingOperation
  rpc: Rpc
  dialect: Dialect
  codec: Codec
  stallTimeoutMs: number
  /** When the caller's credentials end, and the stream with them. */
  endsAtMs: number | undefined
}

/** The bytes of an event, however many read it. */
const bytesOf = new WeakMap<object, { codec: Codec; bytes: Buffer }>()

async function pump(call: IncomingCall, feed: EventFeed, options: PumpOptions): Promise<void> {
  const { op, rpc, dialect, codec, stallTimeoutMs, endsAtMs } = options
  const onClose = () => feed.close()
  call.stream.once('close', onClose)
  let hasExpired = false
  const expire = () => {
    hasExpired = true
    feed.close()
  }
  const expiry = endsAtMs === undefined ? undefined : setTimeout(expire, Math.min(endsAtMs - Date.now(), 2 ** 31 - 1))
  const say = (event: StreamEvent): Buffer => {
    const known = bytesOf.get(event)
    if (known?.codec === codec) return known.bytes
    const bytes = encoded(rpc.response, codec.encodeEvent(event).wire)
    bytesOf.set(event, { codec, bytes })
    return bytes
  }
  const isLast = (event: StreamEvent | undefined) =>
    event !== undefined &&
    ('message' in event || ('statusUpdate' in event && dialect.endsStream(op, event.statusUpdate.status.state)))
  try {
    if (feed.opening !== undefined) call.write(say(feed.opening))
    for (let isOpen = !isLast(feed.opening); isOpen && !call.isOver; ) {
      const events = await feed.next()
      if (events === undefined) break
      for (const { event } of events) {
        if (!isStreamed(event)) continue
        const hasRoom = call.write(say(event))
        isOpen = !isLast(event)
        if (!isOpen) break
        if (!hasRoom && !(await call.drained(stallTimeoutMs))) {
          call.cut()
          return
        }
      }
    }
    if (hasExpired) throw new A2AError('Unauthenticated', 'The credentials of the stream have expired.')
    call.end({ code: GRPC.ok, message: '', details: [] })
  } finally {
    clearTimeout(expiry)
    call.stream.off('close', onClose)
    feed.close()
  }
}
