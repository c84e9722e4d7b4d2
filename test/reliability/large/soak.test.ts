// SOAK: a server under steady work with retention on, for as long as PARLEY_SOAK_SECONDS says for each store (450 s unless given:
// half an hour in all). Memory, file handles, tasks and bytes of the store are looked at all the time; once it has warmed up, none
// of them may go on growing. What is compared are medians and shares, so that one slow moment says nothing.

import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Redis } from 'ioredis'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { A2AClient } from '../../../src/client/a2a-client.ts'
import { describeWithServer } from '../../servers/describe-with-server.ts'
import { startPostgres } from '../../servers/start-postgres.ts'
import { startRedis } from '../../servers/start-redis.ts'
import { startParley } from '../../support/parley-process.ts'

const SECONDS = Number(process.env.PARLEY_SOAK_SECONDS ?? 450)
const WORKERS = 6
const TASKS_KEPT = 2_000
const RETAINED = ['--retain', '10s', '--max-tasks-kept', String(TASKS_KEPT)]
const TIME = { timeout: SECONDS * 1_000 + 300_000 }

interface Sample {
  memory: number
  handles: number
  tasks: number
  /** Of the store on its disk, or in its memory. */
  bytes: number
}

type Measure = keyof Sample

/**
 * How much of the middle third the last third may have: what a store gives back late may go up and down by more. How many tasks
 * there are goes by how many were made in the last ten seconds, which is the machine's affair, so they have a bound instead.
 */
const MOST: { readonly [measure in Measure]: { share: number; slack: number } } = {
  memory: { share: 1.2, slack: 24 * 1024 * 1024 },
  handles: { share: 1, slack: 8 },
  tasks: { share: 0, slack: TASKS_KEPT * 1.25 },
  bytes: { share: 1.5, slack: 16 * 1024 * 1024 },
}

async function soak(store: string, bytes: () => Promise<number>): Promise<void> {
  const hook = createServer((req, res) => void req.resume().on('end', () => res.end()))
  await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve))
  const webhook = `http://127.0.0.1:${(hook.address() as AddressInfo).port}/`
  const serving = await startParley(['serve', '--store', store, ...RETAINED, '--allow-private-webhooks', '--quiet'], {
    env: { NODE_OPTIONS: '--max-old-space-size=256' },
  })
  const { pid = 0 } = serving.child
  const over = new AbortController()
  const done = { count: 0 }
  const workers = Array.from({ length: WORKERS }, () => work(serving.url, webhook, over.signal, done))
  const samples: Sample[] = []
  const ends = performance.now() + SECONDS * 1_000
  try {
    using watcher = await A2AClient.connect(`${serving.url}/push`)
    while (performance.now() < ends) {
      const { totalSize } = await watcher.listTasks({ pageSize: 1 })
      samples.push({ ...ofProcess(pid), tasks: totalSize ?? 0, bytes: await bytes() })
      await Promise.race([pause(SECONDS * 5), ...workers])
    }
  } finally {
    over.abort()
    await Promise.allSettled(workers)
    hook.close()
    expect(await serving.stop()).toMatchObject({ code: 0 })
  }
  await Promise.all(workers)
  judge(store.replace(/:.*/, ''), samples, done.count)
}

/** Messages, streams left in the middle, webhooks, reads and cancellations, one after the other. */
async function work(url: string, webhook: string, signal: AbortSignal, done: { count: number }): Promise<void> {
  using client = await A2AClient.connect(`${url}/push`)
  const message = (text: string) => ({ messageId: crypto.randomUUID(), role: 'ROLE_USER' as const, parts: [{ text }] })
  for (let n = 0; !signal.aborted; n++) {
    const configuration = n % 3 === 0 ? { configuration: { taskPushNotificationConfig: { url: webhook } } } : {}
    const sent = await client.sendMessage({ message: message('task-lifecycle soak'), ...configuration })
    if ('task' in sent) await client.getTask({ id: sent.task.id })
    let events = 0
    for await (const _ of client.streamMessage({ message: message('task-lifecycle soak') }))
      if (n % 4 === 0 && ++events > 1) break
    const begun = await client.sendMessage({
      message: message('task-cancel soak'),
      configuration: { returnImmediately: true },
    })
    if ('task' in begun) await client.cancelTask({ id: begun.task.id })
    await client.listTasks({ pageSize: 20 })
    done.count++
    // Steady work, not as much as fits: the machine has others.
    await pause(20, undefined, { signal }).catch(() => {})
  }
}

function ofProcess(pid: number): Pick<Sample, 'memory' | 'handles'> {
  const [, kilobytes = '0'] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return { memory: Number(kilobytes) * 1024, handles: readdirSync(`/proc/${pid}/fd`).length }
}

function judge(store: string, samples: readonly Sample[], rounds: number): void {
  const third = Math.floor(samples.length / 3)
  expect(third).toBeGreaterThan(10)
  expect(rounds).toBeGreaterThan(100)
  console.log(`SOAK ${store}: ${rounds} rounds of work in ${SECONDS} s, ${samples.length} looks`)
  for (const measure of Object.keys(MOST) as Measure[]) {
    const [begin, middle, last] = [0, 1, 2].map((n) => median(samples.slice(n * third, (n + 1) * third), measure))
    const { share, slack } = MOST[measure]
    console.log(`SOAK ${store}, ${measure}: ${begin} → ${middle} → ${last} (medians of each third)`)
    expect(last, `${store}: ${measure} in the last third, ${middle} in the middle one`).toBeLessThanOrEqual(
      (middle ?? 0) * share + slack,
    )
  }
}

function median(samples: readonly Sample[], measure: Measure): number {
  const values = samples.map((sample) => sample[measure]).sort((a, b) => a - b)
  return values[Math.floor(values.length / 2)] ?? 0
}

describe(`${SECONDS} seconds with retention`, () => {
  test('in memory', TIME, () => soak('memory', async () => 0))

  test('on SQLite', TIME, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'parley-soak-'))
    const file = join(folder, 'tasks.db')
    const size = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0
    try {
      let largestLog = 0
      await soak(`sqlite:${file}`, async () => {
        largestLog = Math.max(largestLog, size(`${file}-wal`))
        return size(file)
      })
      console.log(`SOAK sqlite: the write-ahead log had ${largestLog} bytes at most`)
      // 1,000 pages and whatever is written during a checkpoint; 64 MiB is where it is cut.
      expect(largestLog).toBeLessThanOrEqual(64 * 1024 * 1024)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})

describeWithServer('PostgreSQL', `${SECONDS} seconds on PostgreSQL`, () => {
  test('with retention', TIME, async () => {
    // As often for our minutes as the default, once a minute, is for days.
    const server = await startPostgres({ autovacuum_naptime: '5s' })
    const client = new pg.Client({ connectionString: server.url })
    try {
      await client.connect()
      await soak(server.url, async () => {
        const { rows } = await client.query<{ size: string }>('select pg_database_size(current_database()) as size')
        return Number(rows[0]?.size)
      })
    } finally {
      await client.end()
      await server.stop()
    }
  })
})

describeWithServer('Redis', `${SECONDS} seconds on Redis`, () => {
  test('with retention', TIME, async () => {
    const server = await startRedis()
    const client = new Redis(server.url)
    try {
      await soak(server.url, async () => Number(/^used_memory:(\d+)/m.exec(await client.info('memory'))?.[1]))
    } finally {
      client.disconnect()
      await server.stop()
    }
  })
})
