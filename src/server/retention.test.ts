import { expect, test } from 'vitest'
import { manualClock } from '../../test/support/manual-clock.ts'
import { ALICE, sampleTask, statusEvent } from '../testing/samples.ts'
import { openMemoryStore } from './backend/memory/tasks.ts'
import { startRetention } from './retention.ts'
import type { TaskStore } from './store/task-store.ts'

const log = () => {}
const turns = async () => {
  for (let n = 0; n < 20; n++) await new Promise((resolve) => setImmediate(resolve))
}

async function finish(store: TaskStore, id: string): Promise<void> {
  await store.create(ALICE, sampleTask(id))
  await store.append(ALICE, id, 0, [statusEvent(id, 'TASK_STATE_COMPLETED')])
}

test('a task is deleted when its time is over, not before', async () => {
  const clock = manualClock()
  const store = openMemoryStore({ now: () => clock.now() })
  const stop = startRetention({ store, clock, log }, { retainMs: 60_000 })
  await finish(store, 't')
  for (let seconds = 0; seconds < 54; seconds += 6) {
    clock.advance(6_000)
    await turns()
    expect(await store.get(ALICE, 't')).toBeDefined()
  }
  for (let seconds = 0; seconds < 18; seconds += 6) {
    clock.advance(6_000)
    await turns()
  }
  expect(await store.get(ALICE, 't')).toBeUndefined()
  stop()
})

test('a clock that is set back deletes nothing', async () => {
  const clock = manualClock()
  const store = openMemoryStore({ now: () => clock.now() })
  await finish(store, 't')
  const earlier = { now: () => clock.now() - 3_600_000, after: clock.after.bind(clock) }
  const stop = startRetention({ store, clock: earlier, log }, { retainMs: 60_000 })
  await turns()
  expect(await store.get(ALICE, 't')).toBeDefined()
  stop()
})

test('a store that fails is asked again later', async () => {
  const clock = manualClock()
  const events: string[] = []
  let calls = 0
  const store = Object.assign(openMemoryStore(), {
    expire: async () => {
      if (calls++ === 0) throw new Error('away')
      return 0
    },
  })
  const note = (_level: string, event: string) => void events.push(event)
  const stop = startRetention({ store, clock, log: note }, { maxTasks: 5 })
  await turns()
  expect(events).toEqual(['retention-postponed'])
  clock.advance(10_000)
  await turns()
  expect(calls).toBe(2)
  stop()
})

test('a store that cannot delete is told so at the start', () => {
  const { expire: _, ...store } = { ...openMemoryStore(), expire: undefined }
  const parts = { store: store as unknown as TaskStore, clock: manualClock(), log }
  expect(() => startRetention(parts, { maxTasks: 5 })).toThrow('cannot delete tasks')
})
