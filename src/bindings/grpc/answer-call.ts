// The serving half of the gRPC binding (1.0 §10): which generation and operation a call is for, and the answer as one
// message or as a stream of them. Loaded by whoever listens for gRPC.

import type { MaybePromise } from '../../base/maybe-promise.ts'
import type { Codec, Dialect } from '../../dialects/dialect.ts'
import { A2AError } from '../../model/errors.ts'
import { tooLong } from '../../model/ids.ts'
import { isJsonObject, type JsonValue } from '../../model/json.ts'
import { isStreaming, type Operation, type OperationRequest, type StreamingOperation } from '../../model/operation.ts'
import type { HeaderList, Reply } from '../../net/serve/reply.ts'
import type { RequestHeaders, ServerRequest } from '../../net/serve/request.ts'
import { decodeRequest, invalidParams } from '../answer-operation.ts'
import { callOf, extensionsOf, tenantFor } from '../http.ts'
import type { BindingMount, CallerFacts } from '../mount.ts'
import type { EventFeed, UnaryOperation } from '../service.ts'
import { deadlineExceeded, EventBytes, LONGEST_TIMER_MS } from './event-bytes.ts'
import { FRAMED, messageIn, PREFIX_BYTES, withPrefix } from './frames.ts'
import { decodeMessage, NotDecodable } from './proto/decode.ts'
import { encodeMessage } from './proto/encode.ts'
import { type MessageType, type Rpc, schema } from './proto/schema.ts'
import { GOOD_END, GrpcRefusal, notKnown, PLAIN_HEAD, refusalReply } from './refusal.ts'
import { GRPC } from './status.ts'

/** What can be called: the rpcs of the generations that are served. */
interface ServedRpc {
  readonly op: Operation
  readonly rpc: Rpc
  readonly dialect: Dialect
  readonly codec: Codec
}

const served = new WeakMap<BindingMount, ReadonlyMap<string, ServedRpc>>()

function rpcsOf(mount: BindingMount): ReadonlyMap<string, ServedRpc> {
  let found = served.get(mount)
  if (found === undefined) {
    found = new Map(mount.dialects.flatMap(rpcsIn))
    served.set(mount, found)
  }
  return found
}

function rpcsIn(dialect: Dialect): [string, ServedRpc][] {
  const { grpc, codecs } = dialect
  const codec = codecs.grpc
  if (grpc === undefined || codec === undefined) return []
  return Object.entries(grpc.rpcs).flatMap(([op, name]): [string, ServedRpc][] => {
    const rpc = schema().rpc(`/${grpc.service}/${name}`)
    return rpc === undefined ? [] : [[rpc.path, { op: op as Operation, rpc, dialect, codec }]]
  })
}

/** Every way it ends is told to the caller. */
export function serveGrpc(request: ServerRequest, mount: BindingMount, caller: CallerFacts): MaybePromise<Reply> {
  const asked = rpcsOf(mount).get(caller.path)
  const dialect = asked?.dialect ?? mount.fallback
  try {
    if (asked === undefined) throw notKnown(caller.path, servicesOf(mount))
    const waitMs = waitOf(request.headers)
    const answered = answer(request, mount, { ...asked, caller, waitMs }).catch((error: unknown) =>
      refusalReply(error, dialect, mount),
    )
    return waitMs === undefined
      ? answered
      : inTime(answered, waitMs, () => refusalReply(deadlineExceeded(), dialect, mount))
  } catch (error) {
    return refusalReply(error, dialect, mount)
  }
}

export function refuseGrpc(request: ServerRequest, mount: BindingMount, dialect: Dialect, error: A2AError): Reply {
  const { path } = request
  const spoken = mount.dialects.find(({ grpc }) => grpc !== undefined && path.includes(`/${grpc.service}/`))
  return refusalReply(error, spoken ?? dialect, mount)
}

function servicesOf({ dialects }: BindingMount): string[] {
  return dialects.flatMap(({ grpc }) => grpc?.service ?? [])
}

interface AskedCall extends ServedRpc {
  readonly caller: CallerFacts
  /** How long the caller waits; undefined for as long as it takes. */
  readonly waitMs: number | undefined
}

async function answer(request: ServerRequest, mount: BindingMount, asked: AskedCall): Promise<Reply> {
  const { op, rpc, dialect, codec, caller } = asked
  const { headers } = request
  checkMetadata(headers)
  const { limits } = mount
  const arriving = request.body.read({ ...limits, bodyBytes: limits.bodyBytes + PREFIX_BYTES })
  const body = arriving instanceof Promise ? await arriving : arriving
  checkVersion(headers, dialect, mount)
  const wire = jsonIn(rpc.request, messageIn(body, headers, limits.bodyBytes))
  const wanted = decodeRequest(codec, op, wire)
  const named = isJsonObject(wire) && typeof wire.tenant === 'string' ? wire.tenant : ''
  const longTenant = named === '' ? undefined : tooLong('/tenant', named)
  if (longTenant !== undefined) throw invalidParams([longTenant])
  const extensions = extensionsOf(request, dialect)
  const call = callOf(request, dialect, {
    subject: caller.subject,
    tenant: tenantFor(caller.tenant, named),
    extensions,
  })
  const head = extensions.length === 0 ? PLAIN_HEAD : headWith(dialect, mount.activated(extensions))
  if (isStreaming(op)) {
    const feed = await mount.service.stream(op, wanted as OperationRequest<StreamingOperation>, call)
    return streamReply(mount, asked, op, feed, head)
  }
  const result = await mount.service.call(op, wanted as OperationRequest<UnaryOperation>, call)
  const json = codec.encodeResult(op, result).wire ?? {}
  const bytes = withPrefix(encodeMessage(rpc.response, json, FRAMED))
  if (bytes.length > limits.unreadBytesPerSocket)
    throw new A2AError('ResourceExhausted', 'The answer is too large; ask for less, with historyLength or pageSize.')
  return { status: 200, headers: head, body: bytes, trailers: GOOD_END }
}

function streamReply(
  mount: BindingMount,
  { rpc, dialect, codec, caller, waitMs }: AskedCall,
  op: StreamingOperation,
  feed: EventFeed,
  headers: HeaderList,
): Reply {
  const deadlineMs = waitMs === undefined ? undefined : Date.now() + waitMs
  const endsAtMs = caller.expiresAtMs
  const bytes = new EventBytes({ feed, op, dialect, codec, type: rpc.response, mount, endsAtMs, deadlineMs })
  return { status: 200, headers, body: { kind: 'messages', feed: bytes, trailers: () => bytes.trailers() } }
}

function headWith(dialect: Dialect, activated: readonly string[]): HeaderList {
  const [name] = dialect.extensionHeaders
  return activated.length === 0 || name === undefined
    ? PLAIN_HEAD
    : [...PLAIN_HEAD, name.toLowerCase(), activated.join(',')]
}

/** The package of the service says the generation; metadata that says another is refused (1.0 §3.6.2, §10.2). */
function checkVersion(headers: RequestHeaders, dialect: Dialect, mount: BindingMount): void {
  const version = headers['a2a-version']
  if (typeof version !== 'string' || version === dialect.versionHeader || version.trim() === '') return
  const selected = mount.select({ version: version.trim(), method: undefined, hasV1Prefix: false })
  if (selected instanceof A2AError) throw selected
  if (selected === dialect) return
  throw new A2AError(
    'VersionNotSupported',
    `This service speaks A2A ${dialect.id}, and the call says A2A ${version.slice(0, 20)}.`,
    { metadata: { supportedVersions: dialect.id } },
  )
}

function jsonIn(type: MessageType, bytes: Buffer): JsonValue {
  try {
    return decodeMessage(type, bytes)
  } catch (error) {
    if (error instanceof NotDecodable)
      throw new A2AError('InvalidParams', `The message cannot be read: ${error.message}`)
    throw error
  }
}

/** Metadata whose name ends in -bin is base64. */
function checkMetadata(headers: RequestHeaders): void {
  for (const name in headers) {
    if (!name.endsWith('-bin')) continue
    for (const part of String(headers[name]).split(','))
      if (!/^\s*[A-Za-z0-9+/]*={0,2}\s*$/.test(part) || part.replace(/[=\s]/g, '').length % 4 === 1)
        throw new GrpcRefusal(GRPC.invalidArgument, `The metadata ${name.slice(0, 60)} is not base64.`)
  }
}

const TIMEOUT_UNITS: Readonly<Record<string, number>> = {
  ...{ H: 3_600_000, M: 60_000, S: 1_000, m: 1, u: 0.001, n: 0.000_001 },
}

/** How long the caller waits. Throws when that is over already. */
function waitOf(headers: RequestHeaders): number | undefined {
  const text = headers['grpc-timeout']
  if (typeof text !== 'string') return undefined
  const [, digits = '', unit = ''] = /^(\d{1,8})([HMSmun])$/.exec(text) ?? []
  const factor = TIMEOUT_UNITS[unit]
  if (factor === undefined)
    throw new GrpcRefusal(GRPC.invalidArgument, `grpc-timeout is not a duration: ${text.slice(0, 20)}.`)
  const ms = Number(digits) * factor
  if (ms <= 0) throw deadlineExceeded()
  return ms
}

/** Ends the wait when the caller's deadline is over; what was begun goes on. */
function inTime(answered: Promise<Reply>, waitMs: number, late: () => Reply): Promise<Reply> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(late()), Math.min(waitMs, LONGEST_TIMER_MS))
    void answered.then((reply) => {
      clearTimeout(timer)
      resolve(reply)
    })
  })
}
