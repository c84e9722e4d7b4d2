import { expect, test } from 'vitest'
import { paceOf } from './pace.ts'

const span = (startedMs: number, endedMs: number) => ({ startedMs, endedMs })

test('an agent that takes all turns at once', () => {
  const spans = Array.from({ length: 8 }, () => span(0, 2_000))
  expect(paceOf(spans)).toEqual({ perTurnMs: 2_000, isSerial: false, costMs: 250 })
})

test('an agent that lets the others wait', () => {
  const spans = Array.from({ length: 8 }, (_, at) => span(0, 2_000 * (at + 1)))
  expect(paceOf(spans)).toEqual({ perTurnMs: 2_000, isSerial: true, costMs: 2_000 })
})

test('an agent that is asked one thing after the other', () => {
  const spans = Array.from({ length: 4 }, (_, at) => span(3_000 * at, 3_000 * at + 1_500))
  expect(paceOf(spans)).toEqual({ perTurnMs: 1_500, isSerial: true, costMs: 1_500 })
})

test('nothing is said after too few turns, and turns that end at once do not count', () => {
  expect(paceOf([span(0, 900), span(0, 900), span(0, 900)])).toBeUndefined()
  expect(paceOf(Array.from({ length: 20 }, () => span(0, 20)))).toBeUndefined()
})
