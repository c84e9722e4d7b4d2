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

/** Undefined when so many failures are enough. `random` gives numbers from 0 to 1. */
export function pauseAfter(failures: number, pausesMs: readonly number[], random: () => number): number | undefined {
  const pause = pausesMs[failures - 1]
  return pause === undefined ? undefined : pause * (1 + JITTER * (2 * random() - 1))
}
