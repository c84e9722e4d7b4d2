// Slows guessing down: after ten failures within a minute an address, or one and the same wrong credential from
// wherever, is refused unheard until the minute is over. A credential that was good before still passes, so that
// one guesser behind a shared address does not lock its neighbours out.

import { dropOldest } from '../../base/bounded.ts'

const WINDOW_MS = 60_000
const MAX_FAILURES_PER_MINUTE = 10
/** Beyond this many keys the oldest is forgotten: the limiter itself must not become a memory leak. */
const MAX_KEYS = 10_000

interface Window {
  readonly endsAtMs: number
  failures: number
}

export class FailureLimiter {
  readonly #now: () => number
  readonly #maxFailures: number
  readonly #windows = new Map<string, Window>()
  readonly #proven = new Set<string>()

  constructor(now: () => number = Date.now, maxFailures: number = MAX_FAILURES_PER_MINUTE) {
    this.#now = now
    this.#maxFailures = maxFailures
  }

  /** Seconds to wait, or undefined when the attempt may be made. */
  blockedForSeconds(address: string | undefined, credential: string): number | undefined {
    if (this.#proven.has(credential)) return undefined
    const now = this.#now()
    let waitMs = 0
    for (const key of keysOf(address, credential)) {
      const window = this.#windows.get(key)
      if (window !== undefined && window.failures >= this.#maxFailures) waitMs = Math.max(waitMs, window.endsAtMs - now)
    }
    return waitMs > 0 ? Math.ceil(waitMs / 1000) : undefined
  }

  /** Whether this very credential was good before. */
  isProven(credential: string): boolean {
    return this.#proven.has(credential)
  }

  failed(address: string | undefined, credential: string): void {
    this.#proven.delete(credential)
    const now = this.#now()
    for (const key of keysOf(address, credential)) {
      const window = this.#windows.get(key)
      if (window !== undefined && window.endsAtMs > now) window.failures += 1
      else {
        this.#windows.delete(key)
        this.#windows.set(key, { endsAtMs: now + WINDOW_MS, failures: 1 })
      }
    }
    dropOldest(this.#windows, MAX_KEYS)
  }

  succeeded(credential: string): void {
    this.#proven.delete(credential)
    this.#proven.add(credential)
    dropOldest(this.#proven, MAX_KEYS)
  }
}

/** An empty credential is something unreadable, not one secret shared by everybody who sends such. */
function keysOf(address: string | undefined, credential: string): readonly string[] {
  const keys = address === undefined ? [] : [`address ${address}`]
  return credential === '' ? keys : [...keys, `credential ${credential}`]
}
