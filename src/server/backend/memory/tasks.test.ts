import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import type { TaskEvent } from '../../../model/event.ts'
import { applyEvents } from '../../../model/fold.ts'
import type { Scope } from '../../../model/scope.ts'
import type { Task, TaskState } from '../../../model/task.ts'
import type { TaskStore } from '../../store/task-store.ts'
import { openMemoryStore } from './tasks.ts'

const SCOPE: Scope = { agent: 'echo', tenant: '', subject: 'alice' }

function submitted(id: string): Task {
  return { id, contextId: 'c', status: { state: 'TASK_STATE_SUBMITTED', timestamp: '2026-01-01T00:00:00.000Z' } }
}

async function finish(store: TaskStore, id: string): Promise<void> {
  await store.create(SCOPE, submitted(id))
  const status = { state: 'TASK_STATE_COMPLETED', timestamp: '2026-01-01T00:00:01.000Z' } as const
  await store.append(SCOPE, id, 0, [{ statusUpdate: { taskId: id, contextId: 'c', status } }])
}

describe('limits of the memory store', () => {
  test('creating above maxTasks fails as resource exhausted and names the limit', async () => {
    const store = openMemoryStore({ maxTasks: 2 })
    await store.create(SCOPE, submitted('a'))
    await store.create(SCOPE, submitted('b'))
    const refused = { kind: 'ResourceExhausted', message: expect.stringContaining('2 tasks') }
    await expect(async () => store.create(SCOPE, submitted('c'))).rejects.toMatchObject(refused)
    expect(await store.create(SCOPE, submitted('a'))).toBe('exists')
  })

  test('retention forgets the task that finished first, and never a running one', async () => {
    const store = openMemoryStore({ retain: { finishedTasks: 2 } })
    await store.create(SCOPE, submitted('running'))
    for (const id of ['a', 'b', 'c']) await finish(store, id)
    expect(await store.get(SCOPE, 'a')).toBeUndefined()
    expect(await store.readEvents(SCOPE, 'a', 0, 10)).toBeUndefined()
    const { items, total } = await store.list(SCOPE, { pageSize: 10, contextId: 'c' })
    expect(items.map(({ task }) => task.id)).toEqual(['c', 'b', 'running'])
    expect(total).toBe(3)
  })

  test('a limit together with retention makes room by itself', async () => {
    const store = openMemoryStore({ maxTasks: 2, retain: { finishedTasks: 1 } })
    for (const id of ['a', 'b', 'c', 'd']) await finish(store, id)
    expect(await store.list(SCOPE, { pageSize: 10 })).toMatchObject({ items: [{ task: { id: 'd' } }], total: 1 })
  })

  test('readers of one event share its serialization, and events of long finished tasks are still readable', async () => {
    const store = openMemoryStore()
    await finish(store, 'first')
    const [one] = (await store.readEvents(SCOPE, 'first', 0, 1)) ?? []
    const [other] = (await store.readEvents(SCOPE, 'first', 0, 1)) ?? []
    expect(one).toBe(other)
    for (let n = 0; n < 100; n++) await finish(store, `${n}`)
    const [late] = (await store.readEvents(SCOPE, 'first', 0, 1)) ?? []
    expect(late).not.toBe(one)
    expect(late?.text).toBe(one?.text)
  })

  test('a task whose events went out as texts is the same when it is compact', async () => {
    const store = openMemoryStore()
    const hello = { messageId: 'm', role: 'ROLE_AGENT' as const, parts: [{ text: 'é\u2028 "quoted"' }] }
    const events: TaskEvent[] = [
      { statusUpdate: { taskId: 'a', contextId: 'c', status: { state: 'TASK_STATE_WORKING', message: hello } } },
      { artifactUpdate: { taskId: 'a', contextId: 'c', artifact: { artifactId: 'x', parts: [{ data: [1, null] }] } } },
      { taskMetadata: { colour: 'blue' } },
      { statusUpdate: { taskId: 'a', contextId: 'c', status: { state: 'TASK_STATE_COMPLETED' } } },
    ]
    await store.create(SCOPE, submitted('a'))
    await store.append(SCOPE, 'a', 0, events)
    const texts = ((await store.readEvents(SCOPE, 'a', 0, 10)) ?? []).map(({ text }) => text)
    for (let n = 0; n < 100; n++) await finish(store, `${n}`)
    expect((await store.get(SCOPE, 'a'))?.task).toEqual(applyEvents(submitted('a'), events))
    const compacted = (await store.readEvents(SCOPE, 'a', 0, 10)) ?? []
    expect(compacted.map(({ event }) => event)).toEqual(events)
    expect(compacted.map(({ text }) => text)).toEqual(texts)
  })

  test('hundreds of tasks are the same however often they were compacted and asked for', async () => {
    const store = openMemoryStore()
    const ids = Array.from({ length: 300 }, (_, n) => `${n}`)
    for (const id of ids) await finish(store, id)
    const told = async () => Promise.all(ids.map(async (id) => (await store.get(SCOPE, id))?.task))
    const first = await told()
    expect(first.map((task) => task?.id)).toEqual(ids)
    expect(first.every((task) => task?.status.state === 'TASK_STATE_COMPLETED')).toBe(true)
    expect(await told()).toEqual(first)
    const { items } = await store.list(SCOPE, { pageSize: 300 })
    expect(items.map(({ task }) => task).reverse()).toEqual(first)
  })

  test('nothing follows the end of a task that is compact', async () => {
    const store = openMemoryStore()
    for (let n = 0; n < 20; n++) await finish(store, `${n}`)
    const more: TaskEvent[] = [{ taskMetadata: { late: true } }]
    expect(await store.append(SCOPE, '0', 1, more)).toEqual({ ok: false, reason: 'terminal' })
  })

  test('what cannot be written as JSON is kept as it is and harms no other task', async () => {
    const store = openMemoryStore()
    const unwritable = { ...submitted('odd'), metadata: { big: 1n as unknown as number } }
    await store.create(SCOPE, unwritable)
    await store.append(SCOPE, 'odd', 0, [
      { statusUpdate: { taskId: 'odd', contextId: 'c', status: { state: 'TASK_STATE_COMPLETED' } } },
    ])
    for (let n = 0; n < 20; n++) await finish(store, `${n}`)
    expect((await store.get(SCOPE, 'odd'))?.task).toMatchObject({ metadata: { big: 1n } })
    expect((await store.get(SCOPE, '0'))?.task.id).toBe('0')
  })

  test('tasks are found by state and context before and after somebody looked, however many there are', async () => {
    const store = openMemoryStore({ retain: { finishedTasks: 100 } })
    const working = (id: string): TaskEvent => ({
      statusUpdate: { taskId: id, contextId: 'c', status: { state: 'TASK_STATE_WORKING' } },
    })
    for (let n = 0; n < 600; n++) {
      await store.create(SCOPE, submitted(`${n}`))
      if (n % 2 === 0) await store.append(SCOPE, `${n}`, 0, [working(`${n}`)])
      if (n % 3 === 0) await finish(store, `ended ${n}`)
    }
    const total = async (state?: TaskState) =>
      (await store.list(SCOPE, { pageSize: 1, contextId: 'c', ...(state && { state }) })).total
    const totals = async () => [
      await total('TASK_STATE_SUBMITTED'),
      await total('TASK_STATE_WORKING'),
      await total('TASK_STATE_COMPLETED'),
      await total(),
    ]
    expect(await totals()).toEqual([300, 300, 100, 700])
    await store.append(SCOPE, '1', 0, [working('1')])
    expect(await totals()).toEqual([299, 301, 100, 700])
  })

  test('what is forgotten leaves the memory, also when nobody ever lists', async () => {
    const store = openMemoryStore({ retain: { finishedTasks: 5 } })
    await store.create(SCOPE, submitted('running'))
    const logs: WeakRef<object>[] = []
    for (let n = 0; n < 100; n++) {
      await finish(store, `${n}`)
      const task = (await store.get(SCOPE, `${n}`))?.task
      if (task !== undefined) logs.push(new WeakRef(task))
    }
    setFlagsFromString('--expose-gc')
    const gc = runInNewContext('gc') as NodeJS.GCFunction
    await new Promise((resolve) => setImmediate(resolve))
    gc()
    expect(logs).toHaveLength(100)
    expect(logs.filter((log) => log.deref() !== undefined).length).toBeLessThanOrEqual(5)
  })

  test('a task that is forgotten as soon as it is there is told all the same', async () => {
    const store = openMemoryStore({ retain: { finishedTasks: 0 } })
    const ended: Task = { ...submitted('a'), status: { state: 'TASK_STATE_REJECTED' } }
    expect(await store.create(SCOPE, ended)).toMatchObject({ seq: 0, task: ended })
    expect(await store.get(SCOPE, 'a')).toBeUndefined()
  })
})
