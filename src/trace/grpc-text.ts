// The bytes of a gRPC call as text.

const MAX_SHOWN_BYTES = 1_024

/** Every byte in two digits: the prefix of five, then the message, then the next. */
export function hexText(body: Uint8Array): string {
  const hex = Buffer.from(body.buffer, body.byteOffset, Math.min(body.byteLength, MAX_SHOWN_BYTES)).toString('hex')
  return body.length > MAX_SHOWN_BYTES ? `${hex}… (${body.length} bytes in all)` : hex
}
