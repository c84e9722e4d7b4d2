import fc from 'fast-check'
import { expect, test } from 'vitest'
import { RecencyIndex } from './recency-index.ts'

interface Item {
  statusMs: number
  order: number
}

test('agrees with a sorted list after any inserts and removals, across block borders', () => {
  const step = fc.record({ statusMs: fc.integer({ min: 0, max: 50 }), isRemoval: fc.boolean() })
  const query = fc.record({ limit: fc.nat(40), before: fc.nat(60), since: fc.nat(60) })
  const check = fc.property(
    fc.array(step, { minLength: 300, maxLength: 1500 }),
    query,
    (steps, { limit, before, since }) => {
      const index = new RecencyIndex<Item>()
      const items: Item[] = []
      steps.forEach(({ statusMs, isRemoval }, order) => {
        const doomed = isRemoval && order % 2 === 0 ? items[statusMs % Math.max(1, items.length)] : undefined
        if (doomed === undefined) {
          const item = { statusMs, order }
          items.push(item)
          index.insert(item)
        } else {
          items.splice(items.indexOf(doomed), 1)
          index.remove(doomed)
        }
      })
      const sorted = items.toSorted((a, b) => b.statusMs - a.statusMs || b.order - a.order)
      const position = { statusMs: before, order: 700 }
      const below = sorted.filter((item) => item.statusMs < before || (item.statusMs === before && item.order < 700))
      expect(index.size).toBe(items.length)
      expect(index.newest(limit)).toEqual(sorted.slice(0, limit))
      expect(index.newest(limit, position)).toEqual(below.slice(0, limit))
      expect(index.newest(limit, position, since)).toEqual(
        below.filter((item) => item.statusMs >= since).slice(0, limit),
      )
      expect(index.countSince(since)).toBe(items.filter((item) => item.statusMs >= since).length)
    },
  )
  fc.assert(check, { numRuns: 40 })
})

test('removing what is not there changes nothing', () => {
  const index = new RecencyIndex<Item>()
  index.remove({ statusMs: 1, order: 1 })
  index.insert({ statusMs: 1, order: 1 })
  index.remove({ statusMs: 1, order: 2 })
  expect(index.size).toBe(1)
})
