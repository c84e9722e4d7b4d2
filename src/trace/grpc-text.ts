// The two halves of a gRPC call as text: the message as ProtoJSON, the bytes it came in as hexadecimal digits, and the
// trailers, which say how it ended.

import type { RecordedGrpcRequest, RecordedGrpcResponse } from './exchange.ts'

const MAX_SHOWN_BYTES = 1_024
const MAX_SHOWN_CHARACTERS = 4_000
const MAX_SHOWN_FRAMES = 20

export function grpcText({ message, body }: RecordedGrpcRequest): string {
  return [shown(message ?? 'bytes that are no message of this rpc'), hexLine(body)].join('\n')
}

export function grpcAnswerText({ frames = [], body, trailers, unknownFields = [] }: RecordedGrpcResponse): string {
  const messages = frames.slice(0, MAX_SHOWN_FRAMES).map(({ atMs, data }) => `+${atMs} ms ${shown(data)}`)
  const more = frames.length > MAX_SHOWN_FRAMES ? [`… ${frames.length} messages in all`] : []
  const unknown = unknownFields.length === 0 ? [] : [`unknown fields: ${unknownFields.join(', ')}`]
  const ends = trailers.map(([name, value]) => `${name}: ${value}`)
  return [...messages, ...more, hexLine(body), ...unknown, 'trailers:', ...ends].join('\n')
}

/** Every byte in two digits: the prefix of five, then the message, then the next. */
export function hexLine(body: Uint8Array): string {
  const hex = Buffer.from(body.buffer, body.byteOffset, Math.min(body.byteLength, MAX_SHOWN_BYTES)).toString('hex')
  return `bytes: ${hex}${body.length > MAX_SHOWN_BYTES ? `… (${body.length} bytes in all)` : ''}`
}

function shown(text: string): string {
  return text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}…` : text
}
