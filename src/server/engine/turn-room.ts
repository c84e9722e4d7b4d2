// What the turns under way hold in memory, over all agents of a server: the message each began with, and the task it
// continues. Turns may last long and be many; a new one that does not fit is told to come back.

import { A2AError } from '../../model/errors.ts'

const RETRY_AFTER_SECONDS = 1

export class TurnRoom {
  readonly #maxBytes: number
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Throws when there is no room. */
  take(bytes: number): void {
    this.check(bytes)
    this.#bytes += bytes
  }

  /** The same, for those who have something to do before they take it. */
  check(bytes: number): void {
    // One turn alone is bounded by what a task may be.
    if (this.#bytes > 0 && this.#bytes + bytes > this.#maxBytes) throw this.#full(bytes)
  }

  giveBack(bytes: number): void {
    this.#bytes -= bytes
  }

  #full(bytes: number): A2AError {
    const count = (value: number) => value.toLocaleString('en-US')
    const message = `Running tasks hold ${count(this.#bytes)} of ${count(this.#maxBytes)} bytes, which leaves no room for ${count(bytes)} more; try again shortly.`
    return new A2AError('ResourceExhausted', message, { retryAfterSeconds: RETRY_AFTER_SECONDS })
  }
}
