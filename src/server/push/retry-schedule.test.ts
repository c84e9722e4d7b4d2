import { describe, expect, test } from 'vitest'
import { pauseAfter, RETRY_PAUSES_MS } from './retry-schedule.ts'

describe('pauses', () => {
  test('5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 10 h, then never again', () => {
    const minutes = RETRY_PAUSES_MS.map((_, n) => (pauseAfter(n + 1, RETRY_PAUSES_MS, () => 0.5) ?? 0) / 60_000)
    expect(minutes).toEqual([5 / 60, 5, 30, 120, 300, 600, 600])
    expect(pauseAfter(8, RETRY_PAUSES_MS, () => 0.5)).toBeUndefined()
  })

  test('vary by a fifth at most', () => {
    const pauses = Array.from({ length: 1_000 }, () => pauseAfter(1, RETRY_PAUSES_MS, Math.random) ?? 0)
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(4_000)
    expect(Math.max(...pauses)).toBeLessThanOrEqual(6_000)
    expect(new Set(pauses).size).toBeGreaterThan(900)
    expect([0, 1].map((random) => pauseAfter(1, RETRY_PAUSES_MS, () => random))).toEqual([4_000, 6_000])
  })
})
