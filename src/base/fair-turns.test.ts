import { expect, test } from 'vitest'
import { FairTurns, MAX_MS, MAX_UNITS } from './fair-turns.ts'

/** Counts up in every turn of the event loop until it is stopped. */
function countTurns() {
  let turns = 0
  let isStopped = false
  const turn = () => {
    turns++
    if (!isStopped) setImmediate(turn)
  }
  setImmediate(turn)
  const stop = () => {
    isStopped = true
  }
  return { now: () => turns, stop }
}

/** A worker that does `steps` of `units` each and says after each of them in which turn it was. */
async function work(fair: FairTurns, steps: number, units: number, onStep: () => void): Promise<void> {
  for (let step = 0; step < steps; step++) {
    onStep()
    await fair.take(units, (step + 1) * units)
  }
}

test.each([
  ['one worker', 1, 10_000, 1],
  ['a hundred workers', 100, 1_000, 1],
  ['heavy steps', 1, 1_000, 300],
  ['many heavy workers', 500, 10, 300],
])('a turn of the event loop sees a bounded amount of work: %s', async (_, workers, steps, units) => {
  const fair = new FairTurns(() => 0)
  const turns = countTurns()
  const perTurn = new Map<number, number>()
  const onStep = () => void perTurn.set(turns.now(), (perTurn.get(turns.now()) ?? 0) + units)
  await Promise.all(Array.from({ length: workers }, () => work(fair, steps, units, onStep)))
  turns.stop()
  // All begin in the first turn, and each of them does something before it can be held up.
  const [, ...others] = perTurn.values()
  expect(others.length).toBeGreaterThan(0)
  expect(Math.max(...others)).toBeLessThanOrEqual(2 * (MAX_UNITS + units))
})

test('whoever waited first goes on first', async () => {
  const fair = new FairTurns(() => 0)
  const order: number[] = []
  const workers = Array.from({ length: 200 }, async (_, n) => {
    await fair.take(MAX_UNITS, MAX_UNITS)
    order.push(n)
  })
  await Promise.all(workers)
  expect(order).toEqual(order.toSorted((a, b) => a - b))
})

test('a little work is not held up, nor is work that lets the event loop turn by itself', async () => {
  const fair = new FairTurns(() => 0)
  expect(fair.take(1, 1)).toBeUndefined()
  for (let turn = 0; turn < 20; turn++) {
    await new Promise((resolve) => setImmediate(resolve))
    expect(fair.take(100, 100)).toBeUndefined()
  }
})

test('slow work is held up by the time it takes', async () => {
  let now = 0
  const fair = new FairTurns(() => now)
  expect(fair.take(20, 20)).toBeUndefined()
  now += MAX_MS
  const held = fair.take(64, 84)
  expect(held).toBeInstanceOf(Promise)
  await held
  expect(fair.take(20, 20)).toBeUndefined()
})

test('whoever has done little does not wait behind those who go on for ever', async () => {
  const fair = new FairTurns(() => 0)
  const turns = countTurns()
  let isDone = false
  const busy = Array.from({ length: 1_000 }, async () => {
    for (let inAll = 100; !isDone; inAll += 100) await fair.take(100, inAll)
  })
  await fair.take(1, 1)
  const begun = turns.now()
  await fair.take(1, 2)
  await fair.take(1, 3)
  expect(turns.now() - begun).toBeLessThanOrEqual(3)
  isDone = true
  turns.stop()
  await Promise.all(busy)
})

test('whoever goes on does a stretch in one piece, and only then the next one', async () => {
  const fair = new FairTurns(() => 0)
  const order: number[] = []
  const workers = Array.from({ length: 20 }, async (_, n) => {
    await fair.take(MAX_UNITS, MAX_UNITS)
    for (let step = 1; step <= 100; step++) {
      order.push(n)
      await fair.take(1, MAX_UNITS + step)
    }
  })
  await Promise.all(workers)
  const changes = order.filter((worker, at) => worker !== order[at - 1]).length
  expect(changes).toBe(20)
})
