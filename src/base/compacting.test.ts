import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CompactingMap, CompactingSet } from './compacting.ts'

test('agrees with a Map after any changes', () => {
  const key = fc.integer({ min: 0, max: 20 })
  const change = fc.oneof(fc.record({ set: key }), fc.record({ remove: key }), fc.constant('clear' as const))
  const weighted = fc.oneof({ weight: 50, arbitrary: change }, { weight: 1, arbitrary: fc.constant('clear' as const) })
  const check = fc.property(fc.array(weighted, { maxLength: 300 }), (changes) => {
    const map = new CompactingMap<number, number>()
    const model = new Map<number, number>()
    changes.forEach((each, at) => {
      if (each === 'clear') {
        map.clear()
        model.clear()
      } else if ('set' in each) {
        map.set(each.set, at)
        model.set(each.set, at)
      } else expect(map.delete(each.remove)).toBe(model.delete(each.remove))
      expect([...map.values()]).toEqual([...model.values()])
      expect(map.size).toBe(model.size)
    })
    for (let k = 0; k <= 20; k++) expect([map.get(k), map.has(k)]).toEqual([model.get(k), model.has(k)])
  })
  fc.assert(check)
})

test('a set has each member once and forgets what is deleted', () => {
  const set = new CompactingSet<string>()
  for (const member of ['a', 'b', 'a']) set.add(member)
  expect([...set]).toEqual(['a', 'b'])
  expect([set.delete('a'), set.delete('a')]).toEqual([true, false])
  expect([[...set], set.size]).toEqual([['b'], 1])
})

test('what has passed through is not promoted to the old generation', () => {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as NodeJS.GCFunction
  const oldBytes = () => getHeapSpaceStatistics().find((each) => each.space_name === 'old_space')?.space_used_size ?? 0
  const map = new CompactingMap<number, unknown>()
  const pass = (from: number, to: number) => {
    for (let n = from; n < to; n++) {
      map.delete(n % 32)
      map.set(
        n % 32,
        Array.from({ length: 20 }, () => n),
      )
      if (n % 100 === 0) gc({ type: 'minor', execution: 'sync' })
    }
  }
  pass(0, 3_000)
  gc() // From here on the table itself is old.
  const before = oldBytes()
  pass(3_000, 13_000)
  // All that passed is 2 MB, and with a Map it would all be there.
  expect(oldBytes() - before).toBeLessThan(500_000)
})
