// OUT-1 to OUT-5, OUT-8 and CRASH-2/3 at the small size: the PostgreSQL and Redis stores behind a proxy that misbehaves, and
// servers killed for real. What was acknowledged is read back; what was refused said so. How long that took is printed.

import { Redis } from 'ioredis'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { MaybePromise } from '../../src/base/maybe-promise.ts'
import { A2AError } from '../../src/model/errors.ts'
import { openPostgresStore } from '../../src/server/backend/postgres/backend.ts'
import { openRedisStore } from '../../src/server/backend/redis/backend.ts'
import type { ListQuery, TaskStore } from '../../src/server/store/task-store.ts'
import { ALICE, atMs, chunkEvent, sampleTask, statusEvent } from '../../src/testing/samples.ts'
import type { ChildServer } from '../servers/child-server.ts'
import { describeWithServer } from '../servers/describe-with-server.ts'
import { startPostgres } from '../servers/start-postgres.ts'
import { startRedis } from '../servers/start-redis.ts'
import { printDuration } from '../support/print-duration.ts'
import { ChaosProxy } from './chaos-proxy.ts'

interface Kind {
  start: () => Promise<ChildServer>
  open: (
    url: string,
    n: number,
    options?: { failFast?: boolean; startTimeoutMs?: number; leaseMs?: number },
  ) => Promise<TaskStore>
}

const POSTGRES: Kind = {
  start: () => startPostgres(),
  open: (url, n, options) => openPostgresStore(url, { schema: `outage_${n}`, ...options }),
}
const REDIS: Kind = {
  start: () => startRedis({ appendfsync: 'always' }),
  open: (url, n, options) => openRedisStore(url, { prefix: `outage-${n}:`, ...options }),
}

describeWithServer('PostgreSQL', 'the PostgreSQL store in trouble', () => describeOutage(POSTGRES))
describeWithServer('Redis', 'the Redis store in trouble', () => describeOutage(REDIS))

function describeOutage({ start, open }: Kind): void {
  let server: ChildServer
  let proxy: ChaosProxy
  let store: TaskStore
  let opened = 0

  const proxiedUrl = (): string => server.url.replace(`:${server.port}`, `:${proxy.port}`)

  beforeAll(async () => {
    server = await start()
    proxy = await ChaosProxy.start(server.port)
  })
  beforeEach(async () => {
    store = await open(proxiedUrl(), opened++)
    await store.create(ALICE, sampleTask('t'))
  })
  afterEach(async () => {
    await proxy.set()
    await store.close()
  })
  afterAll(async () => {
    await proxy.close()
    await server.stop()
  })

  async function failure(work: unknown): Promise<string> {
    try {
      await work
      return 'none'
    } catch (error) {
      return error instanceof A2AError ? error.kind : String(error)
    }
  }

  /** Repeats until it works; the time limit of the test ends a vain wait. */
  async function recovery(work: () => unknown): Promise<void> {
    while ((await failure(work())) !== 'none');
  }

  /** The outage itself ends nothing: whatever is asked is refused by the store's own limits. */
  async function expectRefused(outage: string, operations: readonly unknown[]): Promise<void> {
    const kinds = Promise.all(operations.map(failure))
    await printDuration(`${outage}: ${operations.length} operations refused`, kinds)
    expect(new Set(await kinds)).toEqual(new Set(['Unavailable']))
    await proxy.set()
    await printDuration(
      `${outage}: the store is back`,
      recovery(() => store.get(ALICE, 't')),
    )
  }

  test('OUT-1 down: every operation is unavailable, and the store recovers', async () => {
    await proxy.set({ kind: 'down' })
    await expectRefused('OUT-1', [
      store.get(ALICE, 't'),
      store.create(ALICE, sampleTask('u')),
      store.append(ALICE, 't', 0, [chunkEvent('t', 'x')]),
      store.readEvents(ALICE, 't', 0, 10),
      store.list(ALICE, { pageSize: 10 }),
      store.unfinished(10),
      ...Array.from({ length: 50 }, () => store.get(ALICE, 't')),
    ])
    expect(await store.append(ALICE, 't', 0, [chunkEvent('t', 'x')])).toMatchObject({ ok: true, record: { seq: 1 } })
  })

  test('OUT-2 resets while writing: an acknowledged event is there once, an unacknowledged one at most once', async () => {
    let seq = 0
    const acknowledged: string[] = []
    for (let n = 0; n < 60; n++) {
      if (n % 6 === 3) void proxy.set({ kind: 'reset_peer', afterMs: n % 5 })
      else if (n % 6 === 5) await proxy.set()
      const text = `event ${n}`
      try {
        const result = await store.append(ALICE, 't', seq, [chunkEvent('t', text)])
        if (!result.ok) throw new Error(`append ${n} was refused: ${result.reason}`)
        seq = result.record.seq
        acknowledged.push(text)
      } catch (error) {
        if (!(error instanceof A2AError)) throw error
        await proxy.set()
        await recovery(async () => {
          seq = (await store.get(ALICE, 't'))?.seq ?? Number.NaN
        })
      }
    }
    await proxy.set()
    const stored = (await store.readEvents(ALICE, 't', 0, 1_000)) ?? []
    const texts = stored.map(({ event }) => ('artifactUpdate' in event ? event.artifactUpdate.artifact.parts : []))
    const written = texts.map(([part]) => (part !== undefined && 'text' in part ? part.text : ''))
    expect(new Set(written).size).toBe(written.length)
    expect(written.filter((text) => acknowledged.includes(text))).toEqual(acknowledged)
  })

  test('OUT-3 in a black hole every operation is unavailable, and the store recovers', async () => {
    await proxy.set({ kind: 'timeout' })
    await expectRefused('OUT-3', [
      store.get(ALICE, 't'),
      store.create(ALICE, sampleTask('u')),
      store.append(ALICE, 't', 0, [chunkEvent('t', 'x')]),
      store.readEvents(ALICE, 't', 0, 10),
      store.list(ALICE, { pageSize: 10 }),
      ...Array.from({ length: 30 }, () => store.get(ALICE, 't')),
    ])
  })

  test('OUT-4 and OUT-5 a slow line in one-byte packets changes nothing but the time', async () => {
    await proxy.set({ kind: 'latency', ms: 20, jitterMs: 15 })
    await store.append(ALICE, 't', 0, [chunkEvent('t', 'slow', false)])
    await proxy.set({ kind: 'slicer', bytes: 1 })
    await store.append(ALICE, 't', 1, [chunkEvent('t', 'slice')])
    expect((await store.get(ALICE, 't'))?.task.artifacts?.[0]?.parts).toEqual([{ text: 'slow' }, { text: 'slice' }])
  })

  describe('OUT-8 starting while the server is down', () => {
    test('waits for it', async () => {
      await proxy.set({ kind: 'down' })
      const opening = open(proxiedUrl(), opened++, { startTimeoutMs: 10_000 })
      await proxy.set()
      const late = await opening
      expect(await late.unfinished(1)).toEqual([])
      await late.close()
    })

    test('fails at once when told to, naming the host and not the password', async () => {
      await proxy.set({ kind: 'down' })
      const url = proxiedUrl().replace(/\/\/[^@]*@?(?=127)/, '//user:canary@')
      const problem: unknown = await open(url, opened++, { failFast: true }).catch((error: unknown) => error)
      expect(problem).toMatchObject({ name: 'ParleyError', code: 'store-unavailable', exitCode: 3 })
      expect(String(problem)).toContain(`127.0.0.1:${proxy.port}`)
      expect(String(problem)).not.toContain('canary')
    })
  })

  test('CRASH-4 the running tasks of a process are orphaned when its lease runs out, and only then', async () => {
    const n = opened++
    const [a, b] = [await open(proxiedUrl(), n, { leaseMs: 300 }), await open(server.url, n)]
    await a.create(ALICE, sampleTask('of-a'))
    await b.create(ALICE, sampleTask('of-b'))
    expect(await b.orphaned?.(10)).toEqual([])
    await proxy.set({ kind: 'down' })
    let orphans = await b.orphaned?.(10)
    while (orphans?.length === 0) orphans = await b.orphaned?.(10)
    expect(orphans).toMatchObject([{ scope: ALICE, record: { task: { id: 'of-a' }, seq: 0 } }])
    // Two who find the orphan: one of them ends it.
    const end = () => b.append(ALICE, 'of-a', 0, [statusEvent('of-a', 'TASK_STATE_FAILED')])
    expect((await Promise.all([end(), end()])).filter(({ ok }) => ok)).toHaveLength(1)
    expect(await b.orphaned?.(10)).toEqual([])
    await proxy.set()
    await recovery(() => a.get(ALICE, 'of-a'))
    expect(await a.append(ALICE, 'of-a', 0, [chunkEvent('of-a', 'late')])).toEqual({ ok: false, reason: 'terminal' })
    await Promise.all([a.close(), b.close()])
    const c = await open(server.url, n)
    expect(await c.orphaned?.(10)).toMatchObject([{ record: { task: { id: 'of-b' } } }])
    await c.close()
  })

  test('a process whose lease ran out in an outage claims it anew before it writes', async () => {
    const n = opened++
    // Its own next beat comes later than the first write after the outage.
    const [a, b] = [await open(proxiedUrl(), n, { leaseMs: 3_000 }), await open(server.url, n)]
    await a.create(ALICE, sampleTask('before'))
    await proxy.set({ kind: 'down' })
    while ((await b.orphaned?.(10))?.length === 0);
    await proxy.set()
    await recovery(() => a.create(ALICE, sampleTask('after')))
    expect(await b.orphaned?.(10)).toEqual([])
    await Promise.all([a.close(), b.close()])
  })

  test('CRASH-2/3 kill -9 of the server loses nothing acknowledged and repeats no number', async () => {
    let seq = 0
    const seen = new Map<number, string>()
    for (let round = 0; round < 3; round++) {
      for (let n = 0; n < 20; n++) {
        const result = await store.append(ALICE, 't', seq, [chunkEvent('t', `${round}.${n}`)])
        if (!result.ok) throw new Error(result.reason)
        seq = result.record.seq
        expect(seen.has(seq)).toBe(false)
        seen.set(seq, `${round}.${n}`)
      }
      await server.kill9()
      await server.start()
      await recovery(() => store.get(ALICE, 't'))
    }
    const stored = (await store.readEvents(ALICE, 't', 0, 1_000)) ?? []
    expect(stored.map((each) => each.seq)).toEqual([...seen.keys()])
    await store.append(ALICE, 't', seq, [statusEvent('t', 'TASK_STATE_COMPLETED')])
    expect((await store.get(ALICE, 't'))?.task.artifacts?.[0]?.parts).toHaveLength(60)
  })
}

describeWithServer('PostgreSQL', 'opening the PostgreSQL store', () => {
  let server: ChildServer
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server.stop())

  async function run(sql: string): Promise<void> {
    const client = new pg.Client(server.url)
    await client.connect()
    try {
      await client.query(sql)
    } finally {
      await client.end()
    }
  }

  test('a database that does not exist is named', async () => {
    const url = server.url.replace(/\/postgres$/, '/nowhere')
    await expect(openPostgresStore(url)).rejects.toMatchObject({
      code: 'store-refused',
      message: `PostgreSQL at 127.0.0.1:${server.port} has no database "nowhere"; create it.`,
    })
  })

  test('a user who may not create tables is told what is missing', async () => {
    await run('CREATE ROLE reader LOGIN')
    const url = server.url.replace('parley@', 'reader@')
    await expect(openPostgresStore(url)).rejects.toMatchObject({ code: 'store-refused' })
  })

  test('a newer schema is refused and left alone', async () => {
    const store = await openPostgresStore(server.url, { schema: 'newer' })
    await store.close()
    await run('UPDATE newer.parley_schema SET version = 99')
    await expect(openPostgresStore(server.url, { schema: 'newer' })).rejects.toMatchObject({ code: 'store-too-new' })
  })

  test('a schema from before the tallies gets them from what it holds', async () => {
    const store = await openPostgresStore(server.url, { schema: 'untallied' })
    const states = ['TASK_STATE_COMPLETED', 'TASK_STATE_INPUT_REQUIRED', 'TASK_STATE_WORKING'] as const
    for (let n = 0; n < 30; n++)
      await store.create(ALICE, sampleTask(`t${n}`, { ms: n * 400_000, state: states[n % 3] ?? states[0] }))
    await store.close()
    await run(`SET search_path TO untallied; DROP TABLE tallies; CREATE TABLE counts (tasks bigint);
      UPDATE parley_schema SET version = 3`)
    const upgraded = await openPostgresStore(server.url, { schema: 'untallied' })
    const total = async (filter: Omit<ListQuery, 'pageSize'>) =>
      (await upgraded.list(ALICE, { ...filter, pageSize: 1 })).total
    expect(await total({})).toBe(30)
    expect(await total({ state: 'TASK_STATE_COMPLETED' })).toBe(10)
    expect(await total({ statusAfterMs: atMs(15 * 400_000) })).toBe(15)
    expect(await total({ statusAfterMs: atMs(400_000), state: 'TASK_STATE_INPUT_REQUIRED' })).toBe(10)
    await upgraded.close()
  })

  test('replicas that start together share one schema', async () => {
    const stores = await Promise.all(
      Array.from({ length: 5 }, () => openPostgresStore(server.url, { schema: 'together' })),
    )
    await stores[0]?.create(ALICE, sampleTask('shared'))
    for (const store of stores) expect(await store.get(ALICE, 'shared')).toMatchObject({ seq: 0 })
    await Promise.all(stores.map((store) => store.close()))
  })

  test('OUT-7 a database that turned read-only acknowledges nothing', async () => {
    const store = await openPostgresStore(server.url, { schema: 'failover' })
    await store.create(ALICE, sampleTask('t'))
    await run('ALTER SYSTEM SET default_transaction_read_only = on')
    await run('SELECT pg_reload_conf()')
    await run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'parley'")
    const append = store.append(ALICE, 't', 0, [chunkEvent('t', 'x')])
    await expect(append).rejects.toMatchObject({ kind: 'Unavailable' })
    expect(await store.get(ALICE, 't')).toBeDefined()
    await expect(store.probe?.()).rejects.toMatchObject({ kind: 'Unavailable' })
    await store.close()
  })
})

describeWithServer('Redis', 'opening the Redis store', () => {
  test('a Redis without append-only file is refused unless the loss is accepted', async () => {
    const server = await redisForTest({ appendonly: 'no' })
    await expect(openRedisStore(server.url)).rejects.toMatchObject({ code: 'store-volatile' })
    const store = await openRedisStore(server.url, { allowVolatile: true })
    await store.close()
  })

  test('a Redis that evicts keys is refused', async () => {
    const server = await redisForTest({ maxmemory: '100mb', 'maxmemory-policy': 'allkeys-lru' })
    await expect(openRedisStore(server.url)).rejects.toMatchObject({ code: 'store-volatile' })
  })

  test('a wrong password and a newer layout are named', async () => {
    const server = await redisForTest({ requirepass: 'right' })
    const wrong = server.url.replace('redis://', 'redis://:canary@')
    await expect(openRedisStore(wrong, { failFast: true })).rejects.toMatchObject({
      code: 'store-refused',
      message: `Redis at 127.0.0.1:${server.port} refused the user or password.`,
    })
    const right = server.url.replace('redis://', 'redis://:right@')
    const client = new Redis(right)
    await client.set('parley:schema', '99')
    client.disconnect()
    await expect(openRedisStore(right)).rejects.toMatchObject({ code: 'store-too-new' })
  })

  test('OUT-7 a Redis without room for writes is read and known to take none', async () => {
    const server = await redisForTest({})
    const store = await openRedisStore(server.url)
    await store.create(ALICE, sampleTask('t'))
    await store.probe?.()
    const client = new Redis(server.url)
    await client.config('SET', 'maxmemory', '1')
    client.disconnect()
    expect(await store.get(ALICE, 't')).toBeDefined()
    await expect(store.probe?.()).rejects.toMatchObject({ kind: 'Unavailable' })
    await store.close()
  })

  test('CRASH-3 after a restart that lost writes, numbers never come again with other content', async () => {
    const server = await redisForTest({ appendfsync: 'no' })
    const store = await openRedisStore(server.url)
    await store.create(ALICE, sampleTask('t'))
    const first = await store.append(ALICE, 't', 0, [chunkEvent('t', 'before the crash')])
    // The restart itself is enough: whether the last second survived cannot be known.
    await server.restart()
    const back = await retried(() => store.get(ALICE, 't'))
    const second = await store.append(ALICE, 't', back?.seq ?? 0, [chunkEvent('t', 'after the crash')])
    expect(first).toMatchObject({ ok: true, record: { seq: 1 } })
    expect(second).toMatchObject({ ok: true, record: { seq: 2 ** 32 + 1 } })
    const third = await store.append(ALICE, 't', 2 ** 32 + 1, [chunkEvent('t', 'and on')])
    expect(third).toMatchObject({ ok: true, record: { seq: 2 ** 32 + 2 } })
    expect((await store.readEvents(ALICE, 't', 1, 10))?.map(({ seq }) => seq)).toEqual([2 ** 32 + 1, 2 ** 32 + 2])
    await store.close()
  })

  /** Stopped with the test, whatever its end. */
  async function redisForTest(settings: Record<string, string>): Promise<ChildServer> {
    const server = await startRedis(settings)
    onTestFinished(() => server.stop())
    return server
  }

  async function retried<T>(work: () => MaybePromise<T>): Promise<T> {
    for (let attempt = 0; attempt < 10; attempt++) {
      try {
        return await work()
      } catch {}
    }
    return work()
  }
})
