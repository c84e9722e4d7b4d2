// How a call is refused, and how it ends: the status of gRPC as headers of an answer (1.0 §10.6).

import type { Dialect } from '../../dialects/dialect.ts'
import { HttpFault } from '../../net/serve/http-fault.ts'
import type { HeaderList, NoReply, Reply } from '../../net/serve/reply.ts'
import { toA2AError } from '../http.ts'
import type { BindingMount } from '../mount.ts'
import { BadFrame } from './frames.ts'
import { GRPC, type GrpcOutcome, writeOutcome } from './status.ts'

const CONTENT_TYPE = ['content-type', 'application/grpc+proto'] as const
/** The head of an answer without more to say. */
export const PLAIN_HEAD: HeaderList = [...CONTENT_TYPE]
export const GOOD_END: HeaderList = ['grpc-status', '0']
const ENCODINGS = ['grpc-accept-encoding', 'identity,gzip'] as const

/** A call that ends with this status instead of an answer. */
export class GrpcRefusal extends Error {
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

/** What ends a call, whatever went wrong; our own bugs are logged, and told in two words. */
export function endOf(error: unknown, dialect: Dialect, mount: BindingMount): HeaderList {
  const known = knownEnd(error)
  if (known !== undefined) return known
  const told = toA2AError(error, mount)
  mount.onRefusal(told)
  const { challenge } = told.options
  const end = outcomeHeaders(dialect.errors(mount.revision).encodeGrpc(told))
  return challenge === undefined ? end : [...end, 'www-authenticate', challenge]
}

/** The same for calls that are none of A2A. */
export function refusalHeaders(error: unknown): HeaderList {
  return knownEnd(error) ?? outcomeHeaders(refused(GRPC.internal, 'Internal error'))
}

/** The end of a call that broke a rule of gRPC. */
function knownEnd(error: unknown): HeaderList | undefined {
  if (error instanceof GrpcRefusal) return outcomeHeaders(refused(error.code, error.message))
  if (error instanceof BadFrame) {
    const end = outcomeHeaders(refused(CODE_OF_PROBLEM[error.problem], error.message))
    return error.problem === 'encoding' ? [...ENCODINGS, ...end] : end
  }
  if (!(error instanceof HttpFault)) return undefined
  return outcomeHeaders(refused(error.reason === 'too-large' ? GRPC.resourceExhausted : GRPC.cancelled, error.message))
}

const CODE_OF_PROBLEM = { 'too-large': GRPC.resourceExhausted, broken: GRPC.internal, encoding: GRPC.unimplemented }

function refused(code: number, message: string): GrpcOutcome {
  return { code, message, details: [] }
}

export function outcomeHeaders(outcome: GrpcOutcome): HeaderList {
  return writeOutcome(outcome).flat()
}

/** An answer that is nothing but its end: headers and trailers in one. */
export function endOnly(end: HeaderList): Reply {
  return { status: 200, headers: [...CONTENT_TYPE, ...end] }
}

export function refusalReply(error: unknown, dialect: Dialect, mount: BindingMount): Reply {
  return endOnly(endOf(error, dialect, mount))
}

/** google.rpc.Code for the statuses of HTTP, as clients of gRPC read them where there is nothing else. */
const CODE_OF_HTTP: ReadonlyMap<number, number> = new Map([
  ...([
    [400, 3],
    [401, 16],
    [403, 7],
    [404, 5],
    [408, 4],
    [409, 10],
    [413, 8],
    [429, 8],
    [499, 1],
  ] as const),
  ...([
    [501, 12],
    [502, 14],
    [503, 14],
    [504, 4],
  ] as const),
])

/** What whoever stands in front of the agent answers in plain HTTP, as a call can be told. */
export function inGrpc(reply: Reply | NoReply): Reply | NoReply {
  if ('ending' in reply) return reply
  const { status, body } = reply
  if (status === 200 || (typeof body === 'object' && !(body instanceof Uint8Array))) return reply
  const text = body === undefined ? '' : typeof body === 'string' ? body : Buffer.from(body).toString('utf8')
  const code = CODE_OF_HTTP.get(status) ?? (status >= 500 ? GRPC.internal : GRPC.unknown)
  return endOnly(outcomeHeaders(refused(code, messageIn(text) || `HTTP ${status}`)))
}

function messageIn(text: string): string {
  try {
    const { error } = JSON.parse(text) as { error?: { message?: unknown } }
    return typeof error?.message === 'string' ? error.message : text
  } catch {
    return text
  }
}

export function notKnown(path: string, services: readonly string[]): GrpcRefusal {
  const [, service = ''] = path.split('/')
  const isKnown = services.includes(service)
  const known = isKnown ? `${service} has no such method` : `there is no service ${service.slice(0, 100)} here`
  const serves = services.length === 0 ? '' : `; it serves ${services.join(' and ')}`
  return new GrpcRefusal(GRPC.unimplemented, `${path.slice(0, 200)} is unknown: ${known}${serves}.`)
}

export function tooMuchMetadata(limit: number): GrpcRefusal {
  return new GrpcRefusal(GRPC.resourceExhausted, `The metadata has more than ${limit} bytes.`)
}
