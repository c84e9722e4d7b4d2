// How a gRPC call says how it ended: a number and a text in the trailers, and what lies behind them as google.rpc.Status
// (1.0 §10.6).

import type { JsonObject } from '../../model/json.ts'
import { headerOf } from '../../trace/exchange.ts'
import { decodeMessage } from './proto/decode.ts'
import { encodeMessage } from './proto/encode.ts'
import { schema } from './proto/schema.ts'

/** google.rpc.Code by number. */
const GRPC_STATUS_NAMES = [
  ...['OK', 'CANCELLED', 'UNKNOWN', 'INVALID_ARGUMENT', 'DEADLINE_EXCEEDED', 'NOT_FOUND', 'ALREADY_EXISTS'],
  ...['PERMISSION_DENIED', 'RESOURCE_EXHAUSTED', 'FAILED_PRECONDITION', 'ABORTED', 'OUT_OF_RANGE', 'UNIMPLEMENTED'],
  ...['INTERNAL', 'UNAVAILABLE', 'DATA_LOSS', 'UNAUTHENTICATED'],
] as const

export const GRPC = {
  ...{ ok: 0, cancelled: 1, unknown: 2, invalidArgument: 3, deadlineExceeded: 4, resourceExhausted: 8 },
  ...{ unimplemented: 12, internal: 13, unavailable: 14 },
} as const

/** The HTTP status that says the same (google.rpc.Code). */
const HTTP_STATUS = [200, 499, 500, 400, 504, 404, 409, 403, 429, 400, 409, 400, 501, 500, 503, 500, 401] as const

const DETAILS = 'grpc-status-details-bin'
/** Headers have their limits; what is longer would not arrive. */
const MAX_DETAIL_BYTES = 6_000

export interface GrpcOutcome {
  code: number
  message: string
  details: readonly JsonObject[]
  /** What is wrong with the way it was said. */
  fault?: string
}

export function statusName(code: number): string {
  return GRPC_STATUS_NAMES[code] ?? `status ${code}`
}

export function httpStatusOf(code: number): number {
  return HTTP_STATUS[code] ?? 500
}

type Pairs = readonly (readonly [string, string])[]

export function readOutcome(trailers: Pairs): GrpcOutcome {
  const text = headerOf(trailers, 'grpc-status')
  const message = decodeText(headerOf(trailers, 'grpc-message') ?? '')
  if (text === undefined)
    return { code: GRPC.unknown, message: 'The call ended without grpc-status.', details: [], fault: 'no grpc-status' }
  if (!/^\d{1,2}$/.test(text))
    return { code: GRPC.unknown, message, details: [], fault: `grpc-status is ${JSON.stringify(text)}` }
  const packed = headerOf(trailers, DETAILS)
  const code = Number(text)
  if (packed === undefined) return { code, message, details: [] }
  try {
    const status = decodeMessage(schema().message('google.rpc.Status'), Buffer.from(packed, 'base64'))
    const { details } = status as { details?: JsonObject[] }
    return { code, message, details: details ?? [] }
  } catch {
    return { code, message, details: [], fault: `${DETAILS} is not a google.rpc.Status` }
  }
}

export function writeOutcome({ code, message, details }: GrpcOutcome): [string, string][] {
  const trailers: [string, string][] = [['grpc-status', String(code)]]
  if (message !== '') trailers.push(['grpc-message', encodeText(message)])
  if (details.length > 0) {
    const status = { code, message: message.slice(0, 1_000), details: [...details] }
    const packed = encodeMessage(schema().message('google.rpc.Status'), status, { skipsUnknown: true })
    if (packed.length <= MAX_DETAIL_BYTES) trailers.push([DETAILS, packed.toString('base64').replace(/=+$/, '')])
  }
  return trailers
}

/** grpc-message is percent-encoded UTF-8. */
function encodeText(text: string): string {
  const short = text.length > 1_000 ? `${text.slice(0, 1_000)}…` : text
  return Buffer.from(short.toWellFormed())
    .toString('latin1')
    .replace(/[^\x20-\x24\x26-\x7e]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)
}

function decodeText(text: string): string {
  const bytes = text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString('utf8')
}
