import { once } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { flushAtTurnEnd } from './write-batch.ts'

/** Vitest takes every uncaught error for a failure; here one is expected. */
async function uncaughtIn(run: () => Promise<void>): Promise<unknown> {
  const others = process.listeners('uncaughtException')
  process.removeAllListeners('uncaughtException')
  try {
    const [[error]] = await Promise.all([once(process, 'uncaughtException'), run()])
    return error
  } finally {
    for (const listener of others) process.on('uncaughtException', listener)
  }
}

test('all that is ready leaves in the order it was ready, what comes meanwhile a turn later', async () => {
  const left: string[] = []
  flushAtTurnEnd(() => {
    left.push('one')
    flushAtTurnEnd(() => left.push('three'))
  })
  flushAtTurnEnd(() => left.push('two'))
  expect(left).toEqual([])
  await nextTurn()
  expect(left).toEqual(['one', 'two'])
  await nextTurn()
  expect(left).toEqual(['one', 'two', 'three'])
})

test('an answer that fails to leave is seen, and keeps no other back', async () => {
  const left: string[] = []
  const failure = new Error('a wrapped response threw')
  const uncaught = await uncaughtIn(async () => {
    flushAtTurnEnd(() => {
      throw failure
    })
    flushAtTurnEnd(() => left.push('another'))
    await nextTurn()
  })
  expect(uncaught).toBe(failure)
  expect(left).toEqual(['another'])
})
