import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { keepLease, leaseTimes } from './lease.ts'

test.each([100, 1_500, 15_000, 60_000])(
  'a lease of %i ms covers the claim, a look and time to act, and forgives half of it',
  (leaseMs) => {
    const { validMs, beatMs, lookMs } = leaseTimes(leaseMs)
    expect(validMs + lookMs).toBeLessThanOrEqual(0.7 * leaseMs)
    expect(validMs - beatMs).toBeGreaterThanOrEqual(0.5 * leaseMs)
  },
)

describe('the claim of a process', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  test('is renewed without anybody asking, and a write need not wait for it', async () => {
    const claims: number[] = []
    const lease = await keepLease(1_000, async (validMs) => claims.push(validMs))
    await vi.advanceTimersByTimeAsync(2_000)
    expect(claims).toEqual(Array(21).fill(600))
    expect(lease.ensureValid()).toBeUndefined()
    lease.stop()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(claims).toHaveLength(21)
  })

  test('is made anew before a write once it may have run out, and no write passes without it', async () => {
    let isAway = false
    const lease = await keepLease(1_000, async () => {
      if (isAway) throw new Error('away')
    })
    isAway = true
    await vi.advanceTimersByTimeAsync(599)
    expect(lease.ensureValid()).toBeUndefined()
    await vi.advanceTimersByTimeAsync(1)
    await expect(lease.ensureValid()).rejects.toThrow('away')
    isAway = false
    await vi.advanceTimersByTimeAsync(51)
    await lease.ensureValid()
    expect(lease.ensureValid()).toBeUndefined()
    lease.stop()
  })

  test('a beat that was under way during a pause does not count, and one new beat is enough for all', async () => {
    const beats: PromiseWithResolvers<void>[] = []
    const opening = keepLease(1_000, () => {
      const beat = Promise.withResolvers<void>()
      beats.push(beat)
      return beat.promise
    })
    beats[0]?.resolve()
    const lease = await opening
    await vi.advanceTimersByTimeAsync(1_000)
    expect(beats).toHaveLength(2)
    const writing = Promise.all([lease.ensureValid(), lease.ensureValid()])
    expect(beats).toHaveLength(3)
    beats[1]?.reject(new Error('away'))
    beats[2]?.resolve()
    await writing
    expect(lease.ensureValid()).toBeUndefined()
    lease.stop()
  })
})
