// The writing side of a stream: what is said in one turn of the event loop leaves as one chunk, and a slow reader is
// waited for instead of buffered for.

import type { ServerResponse } from 'node:http'
import { atTurnEnd } from './turn-end.ts'
import { noteUnreadStream } from './unread-bytes.ts'

/** A reader that stalls has so much waiting for it, and one event. */
const CHUNK_LENGTH = 64 * 1024

export class StreamWriter {
  readonly #res: ServerResponse
  /** A reader that takes nothing for this long is disconnected. */
  readonly #stallTimeoutMs: number
  #text = ''
  #isLeaving = false
  #isEnding = false

  constructor(res: ServerResponse, stallTimeoutMs: number) {
    this.#res = res
    this.#stallTimeoutMs = stallTimeoutMs
  }

  write(text: string): void {
    this.#text += text
    this.#leave()
  }

  /** Whether the reader should catch up before more is written. */
  get isFull(): boolean {
    return this.#text.length > CHUNK_LENGTH || this.#res.writableNeedDrain
  }

  /** Resolves when the reader has taken enough, or is gone. */
  async drained(): Promise<void> {
    this.#flush()
    if (this.#res.destroyed || !this.#res.writableNeedDrain) return
    await new Promise<void>((resolve) => this.#unlessStalled('drain', resolve))
  }

  end(): void {
    this.#isEnding = true
    this.#leave()
  }

  #leave(): void {
    if (this.#isLeaving) return
    this.#isLeaving = true
    atTurnEnd(() => {
      this.#isLeaving = false
      this.#flush()
    })
  }

  #flush(): void {
    const text = this.#text
    this.#text = ''
    if (this.#res.destroyed) return
    if (this.#isEnding) this.#endWith(text)
    else if (text !== '' && !this.#res.write(text)) noteUnreadStream(this.#res)
  }

  #endWith(text: string): void {
    this.#res.end(text)
    // The stream is over for everybody but its reader, who must not keep the rest of it for ever.
    if (this.#res.writableLength >= this.#res.writableHighWaterMark) this.#unlessStalled('finish', () => {})
  }

  /** Calls `then` when the reader has taken what there is, or is gone, by itself or because it took too long. */
  #unlessStalled(taken: 'drain' | 'finish', then: () => void): void {
    const res = this.#res
    const stalled = setTimeout(() => res.destroy(), this.#stallTimeoutMs)
    const done = () => {
      clearTimeout(stalled)
      res.off(taken, done)
      res.off('close', done)
      then()
    }
    res.once(taken, done)
    res.once('close', done)
  }
}
