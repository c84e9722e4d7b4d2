// The framing of gRPC: a flag, a length and so many bytes. Reads it from chunks of any size, within limits.

import { gunzipSync, gzipSync } from 'node:zlib'
import type { RequestHeaders } from '../../net/serve/request.ts'

export const PREFIX_BYTES = 5
/** How messages are encoded that are sent: with room for the prefix, and without what the generation does not have. */
export const FRAMED = { headroom: PREFIX_BYTES, skipsUnknown: true } as const
const COMPRESSED = 1

export class BadFrame extends Error {
  readonly problem: 'too-large' | 'encoding' | 'broken'

  constructor(problem: BadFrame['problem'], message: string) {
    super(message)
    this.problem = problem
  }
}

export interface FrameLimits {
  /** Of one message, after decompression. */
  maxBytes: number
  /** The grpc-encoding of the sender. */
  encoding: string | undefined
}

/** Writes the prefix into the headroom of an encoded message. */
export function withPrefix(message: Buffer, isCompressed = false): Buffer {
  message[0] = isCompressed ? COMPRESSED : 0
  message.writeUInt32BE(message.length - PREFIX_BYTES, 1)
  return message
}

/** The same message in gzip, with its prefix. */
export function zipped(framed: Buffer): Buffer {
  const packed = gzipSync(framed.subarray(PREFIX_BYTES))
  return withPrefix(Buffer.concat([Buffer.alloc(PREFIX_BYTES), packed]), true)
}

export class FrameReader {
  readonly #limits: FrameLimits
  #chunks: Buffer[] = []
  #size = 0

  constructor(limits: FrameLimits) {
    this.#limits = limits
  }

  /** Whether a message has begun that has not ended. */
  get isInside(): boolean {
    return this.#size > 0
  }

  /** The messages that are complete now; throws BadFrame. */
  push(chunk: Buffer): Buffer[] {
    this.#chunks.push(chunk)
    this.#size += chunk.length
    const messages: Buffer[] = []
    while (this.#size >= PREFIX_BYTES) {
      const head = this.#joined(PREFIX_BYTES)
      const flag = head[0] ?? 0
      const length = head.readUInt32BE(1)
      if (length > this.#limits.maxBytes) throw tooLarge(length, this.#limits.maxBytes)
      if (this.#size < PREFIX_BYTES + length) break
      const whole = this.#joined(PREFIX_BYTES + length)
      messages.push(this.#unpacked(flag, whole.subarray(PREFIX_BYTES, PREFIX_BYTES + length)))
      this.#drop(whole, PREFIX_BYTES + length)
    }
    return messages
  }

  /** The first buffer, made to hold at least so many bytes. */
  #joined(size: number): Buffer {
    const [first] = this.#chunks
    if (first !== undefined && first.length >= size) return first
    const whole = Buffer.concat(this.#chunks, this.#size)
    this.#chunks = [whole]
    return whole
  }

  #drop(first: Buffer, size: number): void {
    this.#size -= size
    if (first.length === size) this.#chunks.shift()
    else this.#chunks[0] = first.subarray(size)
  }

  #unpacked(flag: number, message: Buffer): Buffer {
    if (flag === 0) return message
    const { encoding, maxBytes } = this.#limits
    if (flag !== COMPRESSED) throw new BadFrame('broken', `A message has the flag ${flag}; it must be 0 or 1.`)
    if (encoding === undefined || encoding === 'identity')
      throw new BadFrame('broken', 'A message is marked as compressed, but grpc-encoding names no compression.')
    if (encoding !== 'gzip') throw new BadFrame('encoding', `The compression ${encoding} is not known here; use gzip.`)
    try {
      return gunzipSync(message, { maxOutputLength: maxBytes })
    } catch (error) {
      if (error instanceof RangeError) throw tooLarge(undefined, maxBytes)
      throw new BadFrame('broken', 'A message is marked as gzip but is not.')
    }
  }
}

function tooLarge(length: number | undefined, limit: number): BadFrame {
  const size = length === undefined ? 'unpacks to more than' : `has ${length} bytes, and at most`
  const allowed = `${limit} ${length === undefined ? 'bytes' : 'are read'}`
  return new BadFrame('too-large', `A message ${size} ${allowed}.`)
}

/** The one message of a call that takes one. */
export function messageIn(body: Buffer, headers: RequestHeaders, maxBytes: number): Buffer {
  const encoding = headers['grpc-encoding']
  const reader = new FrameReader({ maxBytes, encoding: typeof encoding === 'string' ? encoding : undefined })
  const [message, second] = reader.push(body)
  if (reader.isInside) throw cutMessage()
  if (message === undefined) throw new BadFrame('broken', 'The call takes a message, and none came.')
  if (second !== undefined) throw new BadFrame('broken', 'The call takes one message, and more came.')
  return message
}

export function cutMessage(): BadFrame {
  return new BadFrame('broken', 'The call ended in the middle of a message.')
}
