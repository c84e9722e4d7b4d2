import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import { testBooks } from './books.ts'
import { sqliteStore, type TestStore } from './fleet-stores.ts'
import { describeHostQueue } from './host-queue.ts'

describeHostQueue('SQLite', async () => {
  const opened = await sqliteStore()
  const other = await opened.again()
  return { first: opened.store.queue, second: other.queue, close: () => opened.remove() }
})

test('what was leased to somebody who fell silent is leased to another, and cannot be given back by the first', async () => {
  const opened = await sqliteStore({ leaseMs: 30 })
  const { queue } = opened.store
  await queue.offer([{ host: 'a', afterMs: 0 }])
  const [lost] = await queue.take(1)
  let found = await queue.take(1)
  while (found.length === 0) {
    await sleep(5)
    found = await queue.take(1)
  }
  expect(found[0]?.host).toBe('a')
  expect(lost === undefined ? [] : [...(await queue.beat([lost]))]).toEqual([])
  expect(lost !== undefined && (await queue.release(lost, undefined))).toBe(false)
  await opened.remove()
})

let opened: TestStore
beforeAll(async () => {
  opened = await sqliteStore()
  return () => opened.remove()
})
testBooks(() => opened)
