// Answers of scripted agents over gRPC, down to the byte: messages as the proto has them, and how a call ends (1.0 §10).

import { FRAMED, withPrefix, zipped } from '../bindings/grpc/frames.ts'
import { encodeMessage } from '../bindings/grpc/proto/encode.ts'
import { schema } from '../bindings/grpc/proto/schema.ts'
import { endOnly, GOOD_END, outcomeHeaders, PLAIN_HEAD } from '../bindings/grpc/refusal.ts'
import type { GrpcOutcome } from '../bindings/grpc/status.ts'
import type { JsonValue } from '../model/json.ts'
import type { Feed, HeaderList, Piece, Reply } from '../net/serve/reply.ts'
import type { Call } from './call.ts'

/** One message of the answer, with its prefix; `more` stands behind the fields that the schema has. */
export function grpcMessage(call: Call, wire: JsonValue, more: Buffer = Buffer.alloc(0)): Buffer {
  const type = schema().rpc(call.path)?.response
  if (type === undefined) throw new Error(`There is no ${call.path}.`)
  const bytes = encodeMessage(type, wire, FRAMED)
  return withPrefix(Buffer.concat([bytes, more]))
}

/** A field that no version has: its number, and a text. */
export function unknownField(number: number, text: string): Buffer {
  const value = Buffer.from(text)
  return Buffer.concat([varint(number * 8 + 2), varint(value.length), value])
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
  return Buffer.from([...bytes, rest])
}

export function grpcAnswer(message: Buffer, end: HeaderList = GOOD_END): Reply {
  return { status: 200, headers: PLAIN_HEAD, body: message, trailers: end }
}

/** The same in gzip. */
export function zippedAnswer(message: Buffer): Reply {
  const headers = [...PLAIN_HEAD, 'grpc-encoding', 'gzip']
  return { status: 200, headers, body: zipped(message), trailers: GOOD_END }
}

export function grpcStream(feed: Feed<Piece>, end: HeaderList = GOOD_END): Reply {
  return { status: 200, headers: PLAIN_HEAD, body: { kind: 'messages', feed, trailers: () => end } }
}

/** Nothing but the end. */
export function grpcEnd(outcome: GrpcOutcome): Reply {
  return endOnly(outcomeHeaders(outcome))
}

/** Headers first, and the end behind them, as servers do it that had begun to answer. */
export function grpcLateEnd(outcome: GrpcOutcome): Reply {
  return { status: 200, headers: PLAIN_HEAD, trailers: outcomeHeaders(outcome) }
}

export function endOfCall(code: number, message: string): HeaderList {
  return outcomeHeaders({ code, message, details: [] })
}
