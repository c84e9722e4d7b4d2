// The writing side of a stream: text that is written in one turn of the event loop leaves as one chunk, and a slow reader
// is waited for instead of buffered for.

import type { ServerResponse } from 'node:http'
import { headerPairs } from './reply.ts'
import { unlessStalled } from './unless-stalled.ts'
import { noteUnreadStream } from './unread-bytes.ts'
import { flushAtTurnEnd } from './write-batch.ts'

/** A reader that stalls has so much waiting for it, and one event. */
const CHUNK_LENGTH = 64 * 1024

export class StreamWriter {
  readonly #res: ServerResponse
  /** A reader that takes nothing for this long is disconnected. */
  readonly #stallTimeoutMs: number
  #text = ''
  #isOpen = false
  #isFlushing = false
  #isEnding = false
  #hasTrailers = false

  constructor(res: ServerResponse, stallTimeoutMs: number) {
    this.#res = res
    this.#stallTimeoutMs = stallTimeoutMs
  }

  /** Sends the head with this turn, should nothing else be sent in it. */
  open(): void {
    if (!this.#isOpen) this.#flushSoon()
  }

  /** Text is collected; bytes are a chunk of their own. */
  write(piece: string | Uint8Array): void {
    if (typeof piece === 'string') {
      this.#text += piece
      this.#flushSoon()
    } else {
      this.#flush()
      this.#send(piece)
    }
  }

  /** Whether the reader should catch up before more is written. */
  get isFull(): boolean {
    return this.#text.length > CHUNK_LENGTH || this.#res.writableNeedDrain
  }

  /** Resolves when the reader has taken enough, or is gone. */
  async drained(): Promise<void> {
    this.#flush()
    if (this.#res.destroyed || !this.#res.writableNeedDrain) return
    await new Promise<void>((resolve) => unlessStalled(this.#res, 'drain', this.#stallTimeoutMs, resolve))
  }

  end(trailers?: readonly string[]): void {
    if (trailers !== undefined) this.#res.addTrailers(headerPairs(trailers))
    this.#hasTrailers = trailers !== undefined
    this.#isEnding = true
    this.#flushSoon()
  }

  /** Loses the connection once everything written has left. */
  cut(): void {
    flushAtTurnEnd(() => {
      this.#flush()
      const { socket } = this.#res
      if (socket === null) this.#res.destroy()
      else socket.destroySoon()
    })
  }

  #flushSoon(): void {
    if (this.#isFlushing) return
    this.#isFlushing = true
    flushAtTurnEnd(() => {
      this.#isFlushing = false
      this.#flush()
    })
  }

  #flush(): void {
    const text = this.#text
    this.#text = ''
    if (this.#res.destroyed) return
    if (this.#isEnding) this.#endWith(text)
    else if (text !== '') this.#send(text)
    else if (!this.#isOpen) this.#res.flushHeaders()
    this.#isOpen = true
  }

  #send(piece: string | Uint8Array): void {
    if (this.#res.destroyed) return
    const hasRoom = typeof piece === 'string' ? this.#sendText(piece) : this.#res.write(piece)
    if (!hasRoom) noteUnreadStream(this.#res)
  }

  #sendText(text: string): boolean {
    if (!this.#res.chunkedEncoding) return this.#res.write(text)
    const { chunk, encoding } = chunkOf(text)
    return asOnePiece(this.#res, () => this.#res.write(chunk, encoding))
  }

  #endWith(text: string): void {
    if (this.#res.chunkedEncoding && text !== '' && !this.#hasTrailers) {
      const { chunk, encoding } = chunkOf(text)
      asOnePiece(this.#res, () => this.#res.end(`${chunk}${LAST_CHUNK}`, encoding))
    } else this.#res.end(text)
    // The stream is over for everybody but its reader, who must not keep the rest of it for ever.
    if (this.#res.writableLength >= this.#res.writableHighWaterMark)
      unlessStalled(this.#res, 'finish', this.#stallTimeoutMs, () => {})
  }
}

const LAST_CHUNK = '0\r\n\r\n'

/** Text of one byte a character is copied, not encoded. */
function chunkOf(text: string): { chunk: string; encoding: 'latin1' | 'utf8' } {
  const length = Buffer.byteLength(text)
  return { chunk: `${length.toString(16)}\r\n${text}\r\n`, encoding: length === text.length ? 'latin1' : 'utf8' }
}

/** node:http hands over a chunk in four pieces, and the head in another; written as one text they are one copy and one write. */
function asOnePiece<T>(res: ServerResponse, write: () => T): T {
  res.chunkedEncoding = false
  try {
    return write()
  } finally {
    res.chunkedEncoding = true
  }
}
