// Says again and again that this process lives, so that others can tell its running tasks from orphaned ones. A beat
// that fails is nobody's error: the store is away, and when it stays away the lease runs out as it should.

export const LEASE_MS = 15_000
const BEATS_PER_LEASE = 3

/** Resolves after the first beat; the function it resolves to stops the beats. */
export async function keepLease(leaseMs: number, beat: () => Promise<unknown>): Promise<() => void> {
  await beat()
  let isBeating = false
  const timer = setInterval(() => {
    if (isBeating) return
    isBeating = true
    beat()
      .catch(() => {})
      .finally(() => {
        isBeating = false
      })
  }, leaseMs / BEATS_PER_LEASE)
  timer.unref()
  return () => clearInterval(timer)
}
