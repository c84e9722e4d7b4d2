import { expect, test } from 'vitest'
import { NEVER_FIRED, nextOccasion, type Schedule } from './schedule.ts'

function play(schedule: Schedule, occasions: number): string {
  let state = NEVER_FIRED
  let shown = ''
  for (let i = 0; i < occasions; i++) {
    const next = nextOccasion(schedule, state)
    shown += next.fires ? 'x' : '.'
    state = next.state
  }
  return shown
}

test.each<[Schedule, string]>([
  [{}, 'xxxxxxxx'],
  [{ count: 2 }, 'xx......'],
  [{ after: 3 }, '...xxxxx'],
  [{ every: 3 }, 'x..x..x.'],
  [{ after: 1, every: 2, count: 2 }, '.x.x....'],
  [{ probability: 0 }, '........'],
])('%j fires on %s', (schedule, expected) => {
  expect(play(schedule, 8)).toBe(expected)
})

test('the same seed fires on the same occasions, about as often as asked', () => {
  const first = play({ probability: 0.3, seed: 7 }, 1000)
  expect(play({ probability: 0.3, seed: 7 }, 1000)).toBe(first)
  expect(play({ probability: 0.3, seed: 8 }, 1000)).not.toBe(first)
  const fired = first.split('x').length - 1
  expect(fired).toBeGreaterThan(250)
  expect(fired).toBeLessThan(350)
})
