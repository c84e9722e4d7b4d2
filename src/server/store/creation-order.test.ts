import { expect, test } from 'vitest'
import { creationOrder } from './creation-order.ts'

test('a clock that jumps back does not put new tasks before old ones', () => {
  let now = 1_000_000
  const next = creationOrder(() => now)
  const before = next()
  now -= 3_600_000
  const [first, second] = [next(), next()]
  expect(first).toBeGreaterThan(before)
  expect(second).toBeGreaterThan(first)
})
