// How fast the agent takes its turns, learned from the first of them: how long one takes, and whether it takes several
// at a time. For a progress line that says how long the run will take.

import type { Span } from '../probe/turns.ts'

export interface Pace {
  /** One turn, as long as the agent needs for it. */
  perTurnMs: number
  /** Turns wait for each other. */
  isSerial: boolean
  /** What one more turn adds to the run. */
  costMs: number
}

/** Agents whose turns are mostly shorter need no such line. */
const NOTABLE_MS = 200
const ENOUGH = 4
/** Turns that overlap and yet add their whole length to the run are taken one at a time. */
const SERIAL_SHARE = 0.7

export function paceOf(spans: readonly Span[]): Pace | undefined {
  const lengths = spans.map(({ startedMs, endedMs }) => endedMs - startedMs).sort((a, b) => a - b)
  const median = lengths[Math.floor(lengths.length / 2)] ?? 0
  if (spans.length < ENOUGH || median < NOTABLE_MS) return undefined
  const costMs = coveredMs(spans) / spans.length
  // Those that came back at once did not wait for the agent to work.
  const shortest = lengths.find((ms) => ms >= NOTABLE_MS) ?? median
  const isSerial = costMs >= shortest * SERIAL_SHARE
  // Waiting in a queue is no part of a turn.
  return { perTurnMs: isSerial ? costMs : median, isSerial, costMs }
}

/** The time during which at least one of them was under way. */
function coveredMs(spans: readonly Span[]): number {
  let sum = 0
  let until = Number.NEGATIVE_INFINITY
  for (const { startedMs, endedMs } of spans.toSorted((a, b) => a.startedMs - b.startedMs)) {
    sum += Math.max(0, endedMs - Math.max(startedMs, until))
    until = Math.max(until, endedMs)
  }
  return sum
}
