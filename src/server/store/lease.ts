// Says again and again that this process lives, so that others can tell its running tasks from orphaned ones. What is
// promised is the time from a death to the end of its tasks, so the claim itself is shorter: others must still look
// and write within the same lease. A beat that fails is not reported as an error: the store is away, and when it stays away the
// claim runs out as it should.

export const LEASE_MS = 15_000

export interface LeaseTimes {
  /** How long one beat speaks for its process, by the store's clock: six tenths of the lease. */
  readonly validMs: number
  /** A healthy process may be silent for half the lease before a claim can run out. */
  readonly beatMs: number
  /** The others notice a tenth later at most; three tenths are left for ending what they find. */
  readonly lookMs: number
}

export function leaseTimes(leaseMs: number): LeaseTimes {
  const tenth = Math.max(1, Math.floor(leaseMs / 10))
  return { validMs: 6 * tenth, beatMs: tenth, lookMs: tenth }
}

export interface LeaseKeeper {
  /**
   * Before every write: undefined while the claim holds. After a pause or an outage, resolves when it has been made
   * renewal, so that nothing is written in the name of a process that others take for dead; rejects when that fails.
   */
  ensureValid(): Promise<void> | undefined
  /** Claims now, whether that is due or not; rejects when it fails. */
  beat(): Promise<void>
  /** How often the claim has run out so far, counting now. */
  readonly lapses: number
  stop(): void
}

/** After an outage many want to write at once; one beat is enough for those who come together. */
const TOGETHER_MS = 50

/** `beat` claims the given time from now on. Resolves after the first one. */
export async function keepLease(leaseMs: number, beat: (validMs: number) => Promise<unknown>): Promise<LeaseKeeper> {
  const { validMs, beatMs } = leaseTimes(leaseMs)
  // Counted from before the beat by a clock that cannot be set: never longer than in the eyes of the store.
  let validUntil = 0
  // The first claim ends the time in which there was none.
  let lapses = -1
  const hasLapsed = (): boolean => performance.now() >= validUntil
  const claim = async (begun: number): Promise<void> => {
    await beat(validMs)
    if (hasLapsed()) lapses++
    validUntil = Math.max(validUntil, begun + validMs)
  }
  await claim(performance.now())

  let isBeating = false
  const timer = setInterval(() => {
    if (isBeating) return
    isBeating = true
    claim(performance.now())
      .catch(() => {})
      .finally(() => {
        isBeating = false
      })
  }, beatMs)
  timer.unref()

  let renewal = { begun: Number.NEGATIVE_INFINITY, done: Promise.resolve() }
  return {
    ensureValid() {
      const now = performance.now()
      if (!hasLapsed()) return undefined
      // The beat of the timer may have begun before the pause, so its outcome says nothing about now.
      if (now - renewal.begun > TOGETHER_MS) renewal = { begun: now, done: claim(now) }
      return renewal.done
    },
    beat: () => claim(performance.now()),
    get lapses() {
      return hasLapsed() ? lapses + 1 : lapses
    },
    stop: () => clearInterval(timer),
  }
}
