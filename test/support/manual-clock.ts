// A clock that stands still until the test moves it; timers fire in order of their time while it moves.

import type { Clock } from '../../src/server/engine/clock.ts'

export interface ManualClock extends Clock {
  advance(ms: number): void
}

export function manualClock(start = Date.UTC(2026, 0, 1)): ManualClock {
  let now = start
  const timers = new Set<{ at: number; callback: () => void }>()
  return {
    now: () => now,
    after(ms, callback) {
      const timer = { at: now + ms, callback }
      timers.add(timer)
      return () => void timers.delete(timer)
    },
    advance(ms) {
      const end = now + ms
      for (;;) {
        const [next] = [...timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)
        if (next === undefined) break
        timers.delete(next)
        now = Math.max(now, next.at)
        next.callback()
      }
      now = end
    },
  }
}
