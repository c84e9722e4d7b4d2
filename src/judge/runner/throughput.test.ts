import { expect, test } from 'vitest'
import { Throughput } from './throughput.ts'

const serial = (perTurnMs: number) => ({ perTurnMs, costMs: perTurnMs, isSerial: true })

test('an agent that takes several turns at a time is asked eight things at a time', () => {
  const throughput = new Throughput(60_000)
  throughput.learned({ perTurnMs: 10_000, costMs: 1_250, isSerial: false })
  expect(throughput.limit).toBe(8)
})

test.each([
  [2_000, 8],
  [5_000, 6],
  [20_000, 1],
  [90_000, 1],
])('with one turn of %i ms at a time the queue stays short: %i', (perTurnMs, limit) => {
  const throughput = new Throughput(60_000)
  throughput.learned(serial(perTurnMs))
  expect(throughput.limit).toBe(limit)
})

test('every message that was not answered in time halves it, down to one', () => {
  const throughput = new Throughput(60_000)
  const limits = Array.from({ length: 4 }, () => {
    throughput.ranLate()
    return throughput.limit
  })
  expect(limits).toEqual([4, 2, 1, 1])
})

test('what the user asked for stays', () => {
  const throughput = new Throughput(60_000, 8)
  throughput.learned(serial(90_000))
  throughput.ranLate()
  expect(throughput.limit).toBe(8)
})
