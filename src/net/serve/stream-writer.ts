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
    if (!this.#res.destroyed && !this.#res.write(piece)) noteUnreadStream(this.#res)
  }

  #endWith(text: string): void {
    this.#res.end(text)
    // The stream is over for everybody but its reader, who must not keep the rest of it for ever.
    if (this.#res.writableLength >= this.#res.writableHighWaterMark)
      unlessStalled(this.#res, 'finish', this.#stallTimeoutMs, () => {})
  }
}
