import { expect, test } from 'vitest'
import { randomId, timedId } from './random-id.ts'

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

test('a timed one is a UUID of version 7, and tells the time', () => {
  const at = Date.parse('2026-11-18T02:03:04.567Z')
  const told = Array.from({ length: 1_000 }, () => timedId(at))
  const shape = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
  expect(told.filter((id) => !shape.test(id))).toEqual([])
  expect(new Set(told.map((id) => Number.parseInt(id.replace('-', '').slice(0, 12), 16)))).toEqual(new Set([at]))
  expect(new Set(told).size).toBe(told.length)
})

test('timed ones of later moments come later', () => {
  const moments = [0, 1, 2 ** 24 - 1, 2 ** 24, 2 ** 32, Date.now(), Date.now() + 1, 2 ** 48 - 1]
  const told = moments.map((at) => timedId(at))
  expect(told.toSorted()).toEqual(told)
})

test('a timed one is random behind the time', () => {
  const told = Array.from({ length: 10_000 }, () => timedId())
  for (let at = 15; at < 36; at++) {
    const expected = [18, 23].includes(at) ? 1 : at === 19 ? 4 : 16
    expect([at, new Set(told.map((id) => id[at])).size]).toEqual([at, expected])
  }
})
