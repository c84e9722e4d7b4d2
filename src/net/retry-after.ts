// What a server says about when to come back.

const SECOND = 1_000
const MAX_WISH_MS = 24 * 3_600 * SECOND
const MIN_WISH_MS = SECOND

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
