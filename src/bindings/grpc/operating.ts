// What operators of gRPC services expect beside the service itself: health checks, and reflection, so that grpcurl works
// without a file. Nothing of A2A.

import type { MaybePromise } from '../../base/maybe-promise.ts'
import type { JsonObject, JsonValue } from '../../model/json.ts'
import { DEFAULT_LIMITS } from '../../net/limits.ts'
import type { Http2Request } from '../../net/serve/http2-request.ts'
import type { Feed, HeaderList, Reply } from '../../net/serve/reply.ts'
import { cutMessage, FrameReader, messageIn, PREFIX_BYTES, withPrefix } from './frames.ts'
import { decodeMessage, NotDecodable } from './proto/decode.ts'
import { fileContaining, fileDescriptor, withImports } from './proto/descriptor.ts'
import { encodeMessage } from './proto/encode.ts'
import { type Rpc, schema } from './proto/schema.ts'
import { GOOD_END, GrpcRefusal, PLAIN_HEAD, refusalHeaders } from './refusal.ts'
import { GRPC } from './status.ts'

const NOT_FOUND = 5
const MAX_QUESTION_BYTES = 16 * 1024
const SMALL = { ...DEFAULT_LIMITS, bodyBytes: MAX_QUESTION_BYTES }
const HEALTH = 'grpc.health.v1.Health'
const REFLECTION = ['grpc.reflection.v1.ServerReflection', 'grpc.reflection.v1alpha.ServerReflection']
const WATCH_EVERY_MS = 1_000

export interface Operated {
  /** Names of the services that are served, with their packages. */
  services(): readonly string[]
  isServing(): boolean
}

/** Undefined for what is none of these. */
export function operatingRpc(path: string): ((call: Http2Request, about: Operated) => MaybePromise<Reply>) | undefined {
  if (path === `/${HEALTH}/Check`) return check
  if (path === `/${HEALTH}/Watch`) return watch
  return REFLECTION.some((service) => path === `/${service}/ServerReflectionInfo`) ? reflect : undefined
}

function rpcOf({ headers }: Http2Request): Rpc {
  const path = String(headers[':path'])
  const rpc = schema().rpc(path)
  if (rpc === undefined) throw new GrpcRefusal(GRPC.unimplemented, `There is no ${path} here.`)
  return rpc
}

function read(rpc: Rpc, bytes: Buffer): JsonObject {
  try {
    return decodeMessage(rpc.request, bytes) as JsonObject
  } catch (error) {
    if (error instanceof NotDecodable) throw new GrpcRefusal(GRPC.invalidArgument, error.message)
    throw error
  }
}

function said(rpc: Rpc, json: JsonValue): Buffer {
  return withPrefix(encodeMessage(rpc.response, json, { headroom: PREFIX_BYTES }))
}

function statusFor(service: JsonValue | undefined, { services, isServing }: Operated): string {
  const name = typeof service === 'string' ? service : ''
  if (name !== '' && ![...services(), HEALTH, ...REFLECTION].includes(name)) return 'SERVICE_UNKNOWN'
  return isServing() ? 'SERVING' : 'NOT_SERVING'
}

async function questionIn(call: Http2Request, rpc: Rpc): Promise<JsonObject> {
  const body = await call.body.read(SMALL)
  return read(rpc, messageIn(body, call.headers, MAX_QUESTION_BYTES))
}

async function check(call: Http2Request, about: Operated): Promise<Reply> {
  const rpc = rpcOf(call)
  const status = statusFor((await questionIn(call, rpc)).service, about)
  if (status === 'SERVICE_UNKNOWN') throw new GrpcRefusal(NOT_FOUND, 'There is no such service here.')
  return { status: 200, headers: PLAIN_HEAD, body: said(rpc, { status }), trailers: GOOD_END }
}

async function watch(call: Http2Request, about: Operated): Promise<Reply> {
  const rpc = rpcOf(call)
  const { service } = await questionIn(call, rpc)
  const told = new ToldMessages()
  let last = ''
  const tell = () => {
    const status = statusFor(service, about)
    if (status !== last) told.say(said(rpc, { status }))
    last = status
  }
  tell()
  const timer = setInterval(tell, WATCH_EVERY_MS).unref()
  call.onClose(() => clearInterval(timer))
  return told.reply()
}

/** Questions are answered as they come: whoever asks the next one waits for the answer to this one. */
function reflect(call: Http2Request, about: Operated): Reply {
  const rpc = rpcOf(call)
  const told = new ToldMessages()
  const encoding = call.headers['grpc-encoding']
  const reader = new FrameReader({
    maxBytes: MAX_QUESTION_BYTES,
    encoding: typeof encoding === 'string' ? encoding : undefined,
  })
  call.pieces(
    (piece) => {
      if (told.isOver) return
      try {
        for (const bytes of reader.push(piece)) {
          const originalRequest = read(rpc, bytes)
          told.say(said(rpc, { validHost: '', originalRequest, ...reflected(originalRequest, about) }))
        }
      } catch (error) {
        told.end(refusalHeaders(error))
      }
    },
    () => told.end(reader.isInside ? refusalHeaders(cutMessage()) : GOOD_END),
  )
  return told.reply()
}

/** Messages that are said when there is something to say. */
class ToldMessages implements Feed<Uint8Array> {
  readonly #waiting: Uint8Array[] = []
  #wake: (() => void) | undefined
  #end: HeaderList | undefined

  get isOver(): boolean {
    return this.#end !== undefined
  }

  say(message: Uint8Array): void {
    this.#waiting.push(message)
    this.#wake?.()
  }

  end(end: HeaderList): void {
    this.#end ??= end
    this.#wake?.()
  }

  async next(): Promise<Uint8Array | undefined> {
    while (this.#waiting.length === 0 && this.#end === undefined)
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    return this.#waiting.shift()
  }

  close(): void {
    this.end(GOOD_END)
  }

  reply(): Reply {
    return {
      status: 200,
      headers: PLAIN_HEAD,
      body: { kind: 'messages', feed: this, trailers: () => this.#end ?? GOOD_END },
    }
  }
}

function reflected(question: JsonObject, { services }: Operated): JsonObject {
  const { fileByFilename, fileContainingSymbol, listServices } = question
  if (typeof listServices === 'string') {
    const all = [...services(), HEALTH, ...REFLECTION]
    return { listServicesResponse: { service: all.map((name) => ({ name })) } }
  }
  const name =
    typeof fileByFilename === 'string'
      ? fileByFilename
      : typeof fileContainingSymbol === 'string'
        ? fileContaining(fileContainingSymbol)
        : undefined
  const files = name === undefined || fileDescriptor(name) === undefined ? [] : withImports(name)
  if (files.length === 0)
    return { errorResponse: { errorCode: NOT_FOUND, errorMessage: 'There is no such file here.' } }
  const fileDescriptorProto = files.map((file) => fileDescriptor(file)?.toString('base64') ?? '')
  return { fileDescriptorResponse: { fileDescriptorProto } }
}
