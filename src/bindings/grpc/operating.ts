// What operators of gRPC services expect beside the service itself: health checks, and reflection, so that grpcurl works
// without a file. Nothing of A2A.

import type { JsonObject, JsonValue } from '../../model/json.ts'
import { PREFIX_BYTES, withPrefix } from './frames.ts'
import { GrpcRefusal, type IncomingCall } from './incoming.ts'
import { decodeMessage, NotDecodable } from './proto/decode.ts'
import { fileContaining, fileDescriptor, withImports } from './proto/descriptor.ts'
import { encodeMessage } from './proto/encode.ts'
import { type Rpc, schema } from './proto/schema.ts'
import { GRPC } from './status.ts'

const NOT_FOUND = 5
const MAX_QUESTION_BYTES = 16 * 1024
const OK = { code: GRPC.ok, message: '', details: [] }
const HEALTH = 'grpc.health.v1.Health'
const REFLECTION = ['grpc.reflection.v1.ServerReflection', 'grpc.reflection.v1alpha.ServerReflection']
const WATCH_EVERY_MS = 1_000

export interface Operated {
  /** Names of the services that are served, with their packages. */
  readonly services: readonly string[]
  isServing(): boolean
}

/** Undefined for what is none of these. */
export function operatingRpc(path: string): ((call: IncomingCall, about: Operated) => Promise<void>) | undefined {
  if (path === `/${HEALTH}/Check`) return check
  if (path === `/${HEALTH}/Watch`) return watch
  return REFLECTION.some((service) => path === `/${service}/ServerReflectionInfo`) ? reflect : undefined
}

function rpcOf({ path }: IncomingCall): Rpc {
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
  if (name !== '' && ![...services, HEALTH, ...REFLECTION].includes(name)) return 'SERVICE_UNKNOWN'
  return isServing() ? 'SERVING' : 'NOT_SERVING'
}

async function check(call: IncomingCall, about: Operated): Promise<void> {
  const rpc = rpcOf(call)
  const status = statusFor(read(rpc, await call.message(MAX_QUESTION_BYTES)).service, about)
  if (status === 'SERVICE_UNKNOWN') throw new GrpcRefusal(NOT_FOUND, 'There is no such service here.')
  call.answer(said(rpc, { status }))
}

async function watch(call: IncomingCall, about: Operated): Promise<void> {
  const rpc = rpcOf(call)
  const { service } = read(rpc, await call.message(MAX_QUESTION_BYTES))
  let last = ''
  const tell = () => {
    const status = statusFor(service, about)
    if (status !== last) call.write(said(rpc, { status }))
    last = status
  }
  tell()
  const timer = setInterval(tell, WATCH_EVERY_MS).unref()
  call.stream.once('close', () => clearInterval(timer))
}

async function reflect(call: IncomingCall, about: Operated): Promise<void> {
  const rpc = rpcOf(call)
  await new Promise<void>((resolve, reject) => {
    call.messages(
      MAX_QUESTION_BYTES,
      (bytes) => {
        const originalRequest = read(rpc, bytes)
        call.write(said(rpc, { validHost: '', originalRequest, ...reflected(originalRequest, about) }))
      },
      (error) => (error === undefined ? resolve() : reject(error)),
    )
  })
  call.end(OK)
}

function reflected(question: JsonObject, { services }: Operated): JsonObject {
  const { fileByFilename, fileContainingSymbol, listServices } = question
  if (typeof listServices === 'string') {
    const all = [...services, HEALTH, ...REFLECTION]
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
