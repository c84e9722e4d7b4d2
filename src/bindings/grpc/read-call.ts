// What the bytes of a call say, for whoever writes it down or plays it again.

import type { WireError } from '../../dialects/dialect.ts'
import type { JsonValue } from '../../model/json.ts'
import type { MessageInBody } from '../served-binding.ts'
import { FrameReader, PREFIX_BYTES } from './frames.ts'
import { decodeMessage } from './proto/decode.ts'
import { type MessageType, schema } from './proto/schema.ts'
import { GRPC, readOutcome } from './status.ts'

const MAX_BYTES = 64 * 1024 * 1024

/** The message a call of this path takes; undefined when the bytes are none. */
export function requestJson(path: string, body: Buffer, encoding: string | undefined): JsonValue | undefined {
  const type = schema().rpc(path)?.request
  return type === undefined ? undefined : messagesIn(type, body, encoding)[0]?.json
}

/** The messages it is answered with, as far as they can be read. */
export function answerJson(path: string, body: Buffer, encoding?: string): MessageInBody[] {
  const type = schema().rpc(path)?.response
  return type === undefined ? [] : messagesIn(type, body, encoding)
}

function messagesIn(type: MessageType, body: Buffer, encoding: string | undefined): MessageInBody[] {
  const reader = new FrameReader({ maxBytes: MAX_BYTES, encoding })
  const found: MessageInBody[] = []
  try {
    for (let at = 0; at + PREFIX_BYTES <= body.length; ) {
      const end = at + PREFIX_BYTES + body.readUInt32BE(at + 1)
      for (const bytes of reader.push(body.subarray(at, end))) found.push({ json: decodeMessage(type, bytes), end })
      at = end
    }
  } catch {
    // What cannot be read is in the bytes, for whoever wants to see it.
  }
  return found
}

/** The error at the end of a call; undefined after a good one. */
export function errorAtEnd(trailers: readonly (readonly [string, string])[]): WireError | undefined {
  const { code, message, details } = readOutcome(trailers)
  return code === GRPC.ok ? undefined : { grpcCode: code, message, data: [...details] }
}
