import { expect, test } from 'vitest'
import { retryAfterMs } from './retry-after.ts'

const NOW = Date.UTC(2026, 0, 1)

test.each([
  ['120', 120_000],
  [' 7 ', 7_000],
  [new Date(NOW + 90_000).toUTCString(), 90_000],
  ['0', 1_000],
  [new Date(NOW - 90_000).toUTCString(), 1_000],
  ['9999999', 24 * 3_600_000],
  ['soon', undefined],
  ['', undefined],
  ['-5', undefined],
  [undefined, undefined],
])('Retry-After %j is %j ms', (value, expected) => {
  expect(retryAfterMs(value, NOW)).toBe(expected)
})
