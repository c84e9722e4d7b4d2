import { expect, test } from 'vitest'
import { dropOldest, setBounded, WeightedMap } from './bounded.ts'

test('of a set and a map the oldest go, and a key that is set again keeps its age', () => {
  const set = new Set(['a', 'b', 'c'])
  dropOldest(set, 1)
  expect([...set]).toEqual(['c'])
  const map = new Map<string, number>()
  for (const key of ['a', 'b', 'a', 'c']) setBounded(map, key, 1, 2)
  expect([...map.keys()]).toEqual(['b', 'c'])
})

test('a weighted map drops what was set longest ago, by weight and by number, but never the last', () => {
  const map = new WeightedMap<string, number>(10, 3)
  for (const [key, weight] of [['a', 4] as const, ['b', 4] as const]) map.set(key, weight, weight)
  map.set('a', 5, 5)
  map.set('c', 4, 4)
  expect(['a', 'b', 'c'].map((key) => map.get(key))).toEqual([5, undefined, 4])
  for (const key of ['d', 'e', 'f']) map.set(key, 0, 0)
  expect(['a', 'c', 'd', 'f'].map((key) => map.get(key))).toEqual([undefined, undefined, 0, 0])
  map.set('huge', 1, 100)
  expect([map.get('huge'), map.get('f')]).toEqual([1, undefined])
})
