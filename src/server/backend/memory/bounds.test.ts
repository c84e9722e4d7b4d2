// What the memory store forgets, in which order, and what it refuses when there is nothing to forget.

import { describe, expect, test } from 'vitest'
import type { Scope } from '../../../model/scope.ts'
import type { TaskState } from '../../../model/task.ts'
import { ALICE, BOB, chunkEvent, sampleTask, statusEvent } from '../../../testing/samples.ts'
import type { TaskStore } from '../../store/task-store.ts'
import { openMemoryStore } from './tasks.ts'

const COMPLETED = 'TASK_STATE_COMPLETED'
const INPUT_REQUIRED = 'TASK_STATE_INPUT_REQUIRED'
const WORKING = 'TASK_STATE_WORKING'

async function make(store: TaskStore, id: string, state: TaskState, { scope = ALICE, text = '' } = {}): Promise<void> {
  await store.create(scope, sampleTask(id))
  const events = text === '' ? [] : [chunkEvent(id, text)]
  await store.append(scope, id, 0, [...events, statusEvent(id, state)])
}

async function kept(store: TaskStore, scope: Scope = ALICE): Promise<string[]> {
  const { items, total } = await store.list(scope, { pageSize: 100 })
  expect(total).toBe(items.length)
  return items.map(({ task }) => task.id).toSorted()
}

describe('with as many tasks as there may be', () => {
  test('the finished one that changed longest ago is forgotten for a new one', async () => {
    const store = openMemoryStore({ maxTasks: 4 })
    await store.create(ALICE, sampleTask('running'))
    await make(store, 'begun first', WORKING)
    await make(store, 'a', COMPLETED)
    await store.append(ALICE, 'begun first', 1, [statusEvent('begun first', COMPLETED)])
    await make(store, 'b', WORKING)
    await make(store, 'c', WORKING)
    expect(await kept(store)).toEqual(['b', 'begun first', 'c', 'running'])
    await make(store, 'd', WORKING)
    expect(await kept(store)).toEqual(['b', 'c', 'd', 'running'])
  })

  test('then one that waits for its client, the one that has waited longest first', async () => {
    const store = openMemoryStore({ maxTasks: 3 })
    await make(store, 'asked first', INPUT_REQUIRED)
    await make(store, 'asked second', INPUT_REQUIRED)
    // An answer, and another question.
    await store.append(ALICE, 'asked first', 1, [statusEvent('asked first', WORKING)])
    await store.append(ALICE, 'asked first', 2, [statusEvent('asked first', INPUT_REQUIRED)])
    await make(store, 'finished', COMPLETED)
    await make(store, 'new', WORKING)
    expect(await kept(store)).toEqual(['asked first', 'asked second', 'new'])
    await make(store, 'newer', WORKING)
    expect(await kept(store)).toEqual(['asked first', 'new', 'newer'])
  })

  test('those that are being worked on stay, and a new one is refused with the numbers', async () => {
    const store = openMemoryStore({ maxTasks: 2 })
    await make(store, 'a', WORKING)
    await store.create(BOB, sampleTask('b'))
    await expect(async () => store.create(ALICE, sampleTask('c'))).rejects.toMatchObject({
      kind: 'ResourceExhausted',
      message: expect.stringMatching(/holds 2 of 2 tasks, [\d,]+ of [\d,]+ bytes, and all of them are being worked on/),
      options: { retryAfterSeconds: 5 },
    })
    await store.append(ALICE, 'a', 1, [statusEvent('a', COMPLETED)])
    await make(store, 'c', WORKING)
    expect(await kept(store)).toEqual(['c'])
    expect(await kept(store, BOB)).toEqual(['b'])
  })

  test('an id that is taken is said to be taken, and nothing is forgotten for it', async () => {
    const store = openMemoryStore({ maxTasks: 2 })
    await make(store, 'a', COMPLETED)
    await make(store, 'b', COMPLETED)
    expect(await store.create(ALICE, sampleTask('b'))).toBe('exists')
    expect(await kept(store)).toEqual(['a', 'b'])
  })
})

describe('with as many bytes as there may be', () => {
  const text = 'x'.repeat(10_000)

  test('finished tasks are forgotten for a new one, as many as it needs', async () => {
    const store = openMemoryStore({ maxBytes: 50_000 })
    for (const id of ['a', 'b', 'c']) await make(store, id, COMPLETED, { text })
    await make(store, 'large', COMPLETED, { text: text.repeat(3) })
    expect(await kept(store)).toEqual(['c', 'large'])
  })

  test('they are forgotten for one that grows', async () => {
    const store = openMemoryStore({ maxBytes: 50_000 })
    for (const id of ['a', 'b']) await make(store, id, COMPLETED, { text })
    await make(store, 'growing', WORKING)
    for (let n = 0; n < 3; n++) await store.append(ALICE, 'growing', n + 1, [chunkEvent('growing', text)])
    expect(await kept(store)).toEqual(['b', 'growing'])
  })

  test('one that grows and finds no room is refused, stays as it was, and can end', async () => {
    const store = openMemoryStore({ maxBytes: 30_000 })
    await make(store, 'growing', WORKING)
    await store.append(ALICE, 'growing', 1, [chunkEvent('growing', text)])
    await store.append(ALICE, 'growing', 2, [chunkEvent('growing', text)])
    const more = async () => store.append(ALICE, 'growing', 3, [chunkEvent('growing', text)])
    await expect(more).rejects.toMatchObject({ kind: 'ResourceExhausted' })
    expect((await store.get(ALICE, 'growing'))?.seq).toBe(3)
    const end = statusEvent('growing', 'TASK_STATE_FAILED', 0, text)
    expect(await store.append(ALICE, 'growing', 3, [end])).toMatchObject({ ok: true })
    await make(store, 'next', COMPLETED)
    expect(await kept(store)).toEqual(['next'])
  })

  test('callers without end, one for each task, take no more than that', async () => {
    const store = openMemoryStore({ maxBytes: 100_000 })
    const scopes = Array.from({ length: 200 }, (_, n) => ({ ...ALICE, tenant: `${n}` }))
    for (const scope of scopes) await make(store, 'a', COMPLETED, { scope })
    const left = await Promise.all(scopes.map(async (scope) => (await kept(store, scope)).length))
    const count = left.reduce((sum, n) => sum + n, 0)
    expect(count).toBeGreaterThan(5)
    expect(count).toBeLessThan(34)
    expect(left.at(-1)).toBe(1)
  })
})

test('a page token goes on where it was, also when its task and others were forgotten meanwhile', async () => {
  const store = openMemoryStore({ maxTasks: 6 })
  for (let n = 0; n < 6; n++) {
    await store.create(ALICE, sampleTask(`${n}`, { ms: n }))
    await store.append(ALICE, `${n}`, 0, [statusEvent(`${n}`, COMPLETED, n)])
  }
  const first = await store.list(ALICE, { pageSize: 2 })
  expect(first.items.map(({ task }) => task.id)).toEqual(['5', '4'])
  // All but the newest of the first page are forgotten.
  for (let n = 10; n < 15; n++) {
    await store.create(BOB, sampleTask(`${n}`, { ms: n }))
    await store.append(BOB, `${n}`, 0, [statusEvent(`${n}`, COMPLETED, n)])
  }
  expect(await kept(store)).toEqual(['5'])
  expect(await store.list(ALICE, { pageSize: 2, pageToken: first.next })).toEqual({ items: [], next: '', total: 1 })
})

test('whoever wants to know is told what was forgotten', async () => {
  const store = openMemoryStore({ maxTasks: 1 })
  const told: [Scope, string][] = []
  store.onForgotten?.((scope, id) => void told.push([scope, id]))
  await make(store, 'a', COMPLETED)
  await make(store, 'b', COMPLETED, { scope: BOB })
  await make(store, 'c', COMPLETED)
  expect(told).toEqual([
    [ALICE, 'a'],
    [BOB, 'b'],
  ])
})

test.each([{ maxTasks: 0 }, { maxTasks: 1.5 }, { maxBytes: -1 }, { maxBytes: Number.NaN }])(
  'a bound that is none stops the start: %j',
  (options) => {
    expect(() => openMemoryStore(options)).toThrow(/must be a whole number above 0/)
  },
)

test('a task of yesterday is not older than one that has changed since', async () => {
  const store = openMemoryStore({ maxTasks: 2 })
  // By what happened, not by what the agent says about its time.
  await store.create(ALICE, sampleTask('late', { ms: 1 }))
  await store.append(ALICE, 'late', 0, [statusEvent('late', COMPLETED, 1_000_000)])
  await store.create(ALICE, sampleTask('early', { ms: 2 }))
  await store.append(ALICE, 'early', 0, [statusEvent('early', COMPLETED, -1_000_000)])
  await store.create(ALICE, sampleTask('new'))
  expect(await kept(store)).toEqual(['early', 'new'])
})
