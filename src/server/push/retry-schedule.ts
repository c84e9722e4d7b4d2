// When a failed delivery is tried again: quickly at first, then ever more rarely for a good day. Each pause is varied
// by a fifth, so that webhooks that failed together do not all come back together.

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

export const RETRY_PAUSES_MS: readonly number[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  10 * HOUR,
]

const JITTER = 0.2
const MAX_WISH_MS = 24 * HOUR
const MIN_WISH_MS = SECOND

/** Undefined when so many failures are enough. `random` gives numbers from 0 to 1. */
export function pauseAfter(failures: number, pausesMs: readonly number[], random: () => number): number | undefined {
  const pause = pausesMs[failures - 1]
  return pause === undefined ? undefined : pause * (1 + JITTER * (2 * random() - 1))
}

/** Retry-After in both its forms (RFC 9110 §10.2.3), at most a day; undefined when it says nothing usable. */
export function retryAfterMs(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined
  const text = value.trim()
  // Date.parse reads many things as dates that are none here; an HTTP date begins with its weekday.
  const wished = /^\d{1,10}$/.test(text)
    ? Number(text) * SECOND
    : /^[A-Z][a-z]{2}/.test(text)
      ? Date.parse(text) - now
      : Number.NaN
  return Number.isNaN(wished) ? undefined : Math.min(Math.max(wished, MIN_WISH_MS), MAX_WISH_MS)
}
