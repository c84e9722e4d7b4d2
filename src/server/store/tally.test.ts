import { expect, test } from 'vitest'
import { COARSE, FINE, type StatusKey, spansSince, tallyChanges, WHOLE } from './tally.ts'

const done = (statusMs: number): StatusKey => ({ state: 'TASK_STATE_COMPLETED', statusMs })
const waiting = (statusMs: number): StatusKey => ({ state: 'TASK_STATE_INPUT_REQUIRED', statusMs })
const working = (statusMs: number): StatusKey => ({ state: 'TASK_STATE_WORKING', statusMs })

test('tasks under way are not tallied', () => {
  expect(tallyChanges(undefined, working(1))).toEqual([])
  expect(tallyChanges(working(1), working(2 ** 40))).toEqual([])
})

test('a task that ends is tallied once in each width', () => {
  const ms = 3 * 2 ** COARSE + 5 * 2 ** FINE + 7
  const state = 'TASK_STATE_COMPLETED'
  expect(tallyChanges(working(1), done(ms))).toEqual([
    { width: FINE, span: 3 * 2 ** (COARSE - FINE) + 5, state, by: 1 },
    { width: COARSE, span: 3, state, by: 1 },
    { width: WHOLE, span: 0, state, by: 1 },
  ])
})

test('only what differs is moved, in an order that does not depend on the direction', () => {
  const [early, late] = [waiting(2 ** FINE), waiting(2 * 2 ** FINE)]
  expect(tallyChanges(early, waiting(2 ** FINE + 1))).toEqual([])
  const there = tallyChanges(early, late)
  const back = tallyChanges(late, early)
  expect(there).toMatchObject([
    { width: FINE, span: 1, by: -1 },
    { width: FINE, span: 2, by: 1 },
  ])
  expect(back.map(({ span }) => span)).toEqual(there.map(({ span }) => span))
  expect(tallyChanges(done(0), waiting(0)).map(({ state }) => state)).toEqual(
    tallyChanges(waiting(0), done(0)).map(({ state }) => state),
  )
  expect(tallyChanges(waiting(0), working(0)).map(({ by }) => by)).toEqual([-1, -1, -1])
})

test.each([0, 1, 2 ** FINE - 1, 2 ** FINE, 2 ** COARSE - 1, 2 ** COARSE, -1, -(2 ** FINE), 1_767_225_600_123])(
  'spans and the rest cover everything since %i, and nothing twice',
  (ms) => {
    const { end, firstFine, lastFine, firstCoarse } = spansSince(ms)
    expect(end).toBeGreaterThan(ms)
    expect(end - ms).toBeLessThanOrEqual(2 ** FINE)
    expect(firstFine * 2 ** FINE).toBe(end)
    expect((lastFine + 1) * 2 ** FINE).toBe(firstCoarse * 2 ** COARSE)
    expect(lastFine - firstFine).toBeLessThan(2 ** (COARSE - FINE))
  },
)
