// Time as the engine sees it: injectable for tests, and never running backwards, so that the order of status
// timestamps is the order of events even when the machine's clock is set back.

/** The time, for tests that make their own. */
export interface Clock {
  /** Milliseconds since the epoch; never less than a value given before. */
  now(): number
  /** Calls back once after `ms`; the returned function cancels it. */
  after(ms: number, callback: () => void): () => void
}

export function systemClock(wallClock: () => number = Date.now): Clock {
  let latest = 0
  return {
    now() {
      const time = wallClock()
      if (time > latest) latest = time
      return latest
    },
    after(ms, callback) {
      const timer = setTimeout(callback, ms)
      return () => clearTimeout(timer)
    },
  }
}

let cachedMs = -1
let cachedText = ''

/** ISO 8601 UTC with milliseconds (1.0 §5.6.1); one formatting per millisecond is enough. */
export function timestamp(clock: Clock): string {
  const ms = clock.now()
  if (ms !== cachedMs) {
    cachedMs = ms
    cachedText = new Date(ms).toISOString()
  }
  return cachedText
}
