import { expect, test } from 'vitest'
import { randomId } from './random-id.ts'

const ids = Array.from({ length: 10_000 }, randomId)

test('is a UUID of version 4', () => {
  const strange = ids.filter((id) => !/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id))
  expect(strange).toEqual([])
})

test('is never given twice, and what was given does not change', () => {
  expect(new Set(ids).size).toBe(ids.length)
})

test('is random in every digit but the two that are fixed', () => {
  for (let at = 0; at < 36; at++) {
    const digits = new Set(ids.map((id) => id[at]))
    const expected = [8, 13, 18, 23].includes(at) || at === 14 ? 1 : at === 19 ? 4 : 16
    expect([at, digits.size]).toEqual([at, expected])
  }
})
