// Prints what stores cost: `node test/contract/measure-stores.ts memory|append|list [arguments]`.
// memory: bytes per finished task and the price of a page at 1,000 and 50,000 tasks (run with --expose-gc).
// append <spec>: appends per second. list <spec> [tasks]: fills a store and times first and last pages.

import { randomUUID } from 'node:crypto'
import { openMemoryStore } from '../../src/server/backend/memory/tasks.ts'
import { openStore } from '../../src/server/backend/open.ts'
import { encodePageToken } from '../../src/server/store/page-token.ts'
import type { ListQuery, TaskStore } from '../../src/server/store/task-store.ts'
import { ALICE } from '../../src/testing/samples.ts'

/** As after decoding a request: all strings are the task's own, except the ids the engine shares. */
async function finishTask(store: TaskStore, n: number, contextId: string = randomUUID()): Promise<void> {
  const id = randomUUID()
  const timestamp = () => new Date(Date.UTC(2026, 0, 1) + n).toISOString()
  const message = JSON.parse(
    JSON.stringify({ messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text: `What is ${n} plus ${n}?` }] }),
  )
  const history = [{ ...message, taskId: id, contextId }]
  await store.create(ALICE, {
    id,
    contextId,
    status: { state: 'TASK_STATE_SUBMITTED', timestamp: timestamp() },
    history,
  })
  await store.append(ALICE, id, 0, [
    { statusUpdate: { taskId: id, contextId, status: { state: 'TASK_STATE_WORKING', timestamp: timestamp() } } },
  ])
  const artifact = { artifactId: randomUUID(), name: 'answer', parts: [{ text: `It is ${n + n}.` }] }
  await store.append(ALICE, id, 1, [{ artifactUpdate: { taskId: id, contextId, artifact, lastChunk: true } }])
  await store.append(ALICE, id, 2, [
    { statusUpdate: { taskId: id, contextId, status: { state: 'TASK_STATE_COMPLETED', timestamp: timestamp() } } },
  ])
  // As a subscriber does: every event's text was wanted once.
  for (const { text } of (await store.readEvents(ALICE, id, 0, 10)) ?? []) if (text.length === 0) throw new Error(text)
}

async function pageMicroseconds(store: TaskStore, query: ListQuery, rounds: number): Promise<string> {
  const times: number[] = []
  for (let n = 0; n < rounds; n++) {
    const start = performance.now()
    await store.list(ALICE, query)
    times.push((performance.now() - start) * 1000)
  }
  times.sort((a, b) => a - b)
  const quantile = (q: number) => (times[Math.min(rounds - 1, Math.floor(rounds * q))] ?? 0).toFixed(0)
  return `p50 ${quantile(0.5)} µs, p99 ${quantile(0.99)} µs`
}

async function measureMemory(): Promise<void> {
  const collect = globalThis.gc
  if (collect === undefined) throw new Error('run with --expose-gc')
  const store = openMemoryStore()
  for (let n = 0; n < 1000; n++) await finishTask(store, n, n % 10 === 0 ? 'shared' : undefined)
  const completed = { pageSize: 50, state: 'TASK_STATE_COMPLETED' } as const
  const print = async (label: string) => {
    console.log(`${label}: list ${await pageMicroseconds(store, { pageSize: 50 }, 5000)}`)
    console.log(`${label}: list by state ${await pageMicroseconds(store, completed, 5000)}`)
    console.log(
      `${label}: list by context ${await pageMicroseconds(store, { pageSize: 50, contextId: 'shared' }, 5000)}`,
    )
    const since = { pageSize: 50, statusAfterMs: Date.UTC(2026, 0, 1) + 500 }
    console.log(`${label}: list since ${await pageMicroseconds(store, since, 5000)}`)
  }
  await print(' 1,000 tasks')
  collect()
  const before = process.memoryUsage().heapUsed
  for (let n = 1000; n < 51_000; n++) await finishTask(store, n)
  collect()
  console.log(`bytes per finished task: ${((process.memoryUsage().heapUsed - before) / 50_000).toFixed(0)}`)
  await print('51,000 tasks')
}

async function measureAppend(spec: string): Promise<void> {
  const store = await openStore(spec)
  const appends = 20_000
  const perTask = 20
  const start = performance.now()
  for (let n = 0; n < appends / perTask; n++) {
    const id = randomUUID()
    const timestamp = new Date().toISOString()
    await store.create(ALICE, { id, contextId: id, status: { state: 'TASK_STATE_SUBMITTED', timestamp } })
    for (let seq = 0; seq < perTask; seq++) {
      const state = seq === perTask - 1 ? 'TASK_STATE_COMPLETED' : 'TASK_STATE_WORKING'
      await store.append(ALICE, id, seq, [
        { statusUpdate: { taskId: id, contextId: id, status: { state, timestamp } } },
      ])
    }
  }
  const perSecond = appends / ((performance.now() - start) / 1000)
  console.log(`${spec}: ${perSecond.toFixed(0)} appends/s`)
  const id = randomUUID()
  await store.create(ALICE, { id, contextId: id, status: { state: 'TASK_STATE_WORKING', timestamp: '' } })
  let lap = performance.now()
  for (let seq = 0; seq < 10_000; seq++) {
    const artifact = { artifactId: 'a', parts: [{ text: 'x'.repeat(200) }] }
    await store.append(ALICE, id, seq, [{ artifactUpdate: { taskId: id, contextId: id, artifact, append: true } }])
    if (seq % 2000 !== 1999) continue
    console.log(`${spec}: chunks up to ${seq + 1}: ${((performance.now() - lap) / 2).toFixed(0)} µs each`)
    lap = performance.now()
  }
  await store.close()
}

async function measureList(spec: string, tasks: number): Promise<void> {
  const store = await openStore(spec)
  const { total } = await store.list(ALICE, { pageSize: 1 })
  for (let n = total; n < tasks; n++) {
    // Listing does not look at events, so the tasks are born finished.
    const timestamp = new Date(Date.UTC(2026, 0, 1) + n).toISOString()
    const artifacts = [{ artifactId: randomUUID(), parts: [{ text: `It is ${n + n}.` }] }]
    const status = { state: n % 10 === 0 ? 'TASK_STATE_FAILED' : 'TASK_STATE_COMPLETED', timestamp } as const
    await store.create(ALICE, { id: randomUUID(), contextId: `context ${n % 1000}`, status, artifacts })
  }
  const completed = { pageSize: 50, state: 'TASK_STATE_COMPLETED' } as const
  const start = Date.UTC(2026, 0, 1)
  const queries: [string, ListQuery, lastPageMs: number][] = [
    ['all', { pageSize: 50 }, start + 50],
    ['by state', completed, start + 50],
    ['by context', { pageSize: 50, contextId: 'context 7' }, start + 50_000],
    ['by context and state', { ...completed, contextId: 'context 7' }, start + 50_000],
    ['newest half', { pageSize: 50, statusAfterMs: start + tasks / 2 }, start + tasks / 2 + 50],
  ]
  for (const [label, query, lastPageMs] of queries) {
    console.log(`${label}, first page: ${await pageMicroseconds(store, query, 100)}`)
    const pageToken = encodePageToken(ALICE, query, { statusMs: lastPageMs, order: 0 })
    console.log(`${label}, last page: ${await pageMicroseconds(store, { ...query, pageToken }, 100)}`)
  }
  await store.close()
}

const [what, spec = 'memory', tasks = '1000000'] = process.argv.slice(2)
if (what === 'memory') await measureMemory()
else if (what === 'append') await measureAppend(spec)
else if (what === 'list') await measureList(spec, Number(tasks))
else console.log('usage: measure-stores.ts memory|append|list [store] [tasks]')
