// How many checks run at a time. An agent that takes one turn at a time gains nothing from eight of them, and those at
// the end of its queue would run out of time; so fewer run at a time once it is known how fast it is.

import type { Pace } from './pace.ts'

export const DEFAULT_CONCURRENCY = 8
/** A queue may use up half of the time a call is given. */
const SHARE_OF_TIMEOUT = 0.5

export class Throughput {
  readonly #isFixed: boolean
  readonly #timeoutMs: number
  #limit: number

  /** `wanted`: what the user asked for, which stays as it is. */
  constructor(timeoutMs: number, wanted?: number) {
    this.#timeoutMs = timeoutMs
    this.#isFixed = wanted !== undefined
    this.#limit = wanted ?? DEFAULT_CONCURRENCY
  }

  get limit(): number {
    return this.#limit
  }

  learned({ isSerial, perTurnMs }: Pace): void {
    if (isSerial) this.#reduceTo(Math.floor((this.#timeoutMs * SHARE_OF_TIMEOUT) / perTurnMs))
  }

  /** A message was not answered in time, by an agent that lives: perhaps it had too many of them. */
  ranLate(): void {
    this.#reduceTo(Math.floor(this.#limit / 2))
  }

  /** The agent asked to be left alone for a while. */
  wasLimited(): void {
    this.#reduceTo(Math.floor(this.#limit / 2))
  }

  #reduceTo(limit: number): void {
    if (!this.#isFixed) this.#limit = Math.max(1, Math.min(this.#limit, limit))
  }
}
