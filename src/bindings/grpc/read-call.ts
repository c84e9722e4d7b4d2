// What the bytes of a call say, for whoever writes it down or plays it again.

import type { WireError } from '../../dialects/dialect.ts'
import type { JsonValue } from '../../model/json.ts'
import { FrameReader } from './frames.ts'
import { decodeMessage } from './proto/decode.ts'
import { type MessageType, schema } from './proto/schema.ts'
import { GRPC, readOutcome } from './status.ts'

const MAX_BYTES = 64 * 1024 * 1024

/** The message a call of this path takes; undefined when the bytes are none. */
export function requestJson(path: string, body: Buffer, encoding: string | undefined): JsonValue | undefined {
  const type = schema().rpc(path)?.request
  return type === undefined ? undefined : messagesIn(type, body, encoding)[0]
}

/** The messages it is answered with, as far as they can be read. */
export function answerJson(path: string, body: Buffer): JsonValue[] {
  const type = schema().rpc(path)?.response
  return type === undefined ? [] : messagesIn(type, body, undefined)
}

function messagesIn(type: MessageType, body: Buffer, encoding: string | undefined): JsonValue[] {
  try {
    return new FrameReader({ maxBytes: MAX_BYTES, encoding }).push(body).map((bytes) => decodeMessage(type, bytes))
  } catch {
    return []
  }
}

/** The error at the end of a call; undefined after a good one. */
export function errorAtEnd(trailers: readonly (readonly [string, string])[]): WireError | undefined {
  const { code, message, details } = readOutcome(trailers)
  return code === GRPC.ok ? undefined : { grpcCode: code, message, data: [...details] }
}
