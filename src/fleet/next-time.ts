// When an agent is asked next. A live one by its schedule, varied a little so that a fleet does not come all at once; one
// that does not answer ever more rarely, from a day to thirty. And how long a host that refuses is left alone.

import type { NextTime } from './work-book.ts'

const DAY_MS = 86_400_000
const RAREST_MS = 30 * DAY_MS
const JITTER = 0.1

export interface Answered {
  readonly isDead: boolean
  /** Results in a row without an answer, before this one. */
  readonly silent: number
  readonly everyMs: number | undefined
}

/** `random` gives numbers from 0 to 1. */
export function nextTime({ isDead, silent, everyMs }: Answered, random: () => number = Math.random): NextTime {
  const varied = (ms: number) => Math.round(ms * (1 + JITTER * (2 * random() - 1)))
  if (!isDead) return { afterMs: varied(everyMs ?? 0), silent: 0, isScheduled: everyMs !== undefined }
  const decayMs = Math.min(RAREST_MS, DAY_MS * 2 ** Math.min(silent, 10))
  return {
    afterMs: Math.min(RAREST_MS, varied(Math.max(decayMs, everyMs ?? 0))),
    silent: silent + 1,
    isScheduled: everyMs !== undefined,
  }
}

const FIRST_PAUSE_MS = 30_000
const LONGEST_PAUSE_MS = DAY_MS

/** For a host that refuses without saying for how long; doubled each time. */
export function pauseAfterRefusal(refusals: number): number {
  return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(refusals - 1, 20))
}
