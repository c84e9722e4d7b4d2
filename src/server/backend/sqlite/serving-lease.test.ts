// LEASE: one process at a time serves a SQLite file; who waits, who takes over, and who stops writing.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { TaskStore } from '../../store/task-store.ts'
import { openSqliteStore } from './backend.ts'

const ALICE = { agent: '/', tenant: '', subject: 'alice' }
const TASK = { id: 't', contextId: 'c', status: { state: 'TASK_STATE_WORKING' as const } }

let directory: string
let file: string
const stores: TaskStore[] = []
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'parley-lease-'))
  file = join(directory, 'tasks.db')
})
afterEach(async () => {
  vi.useRealTimers()
  for (const store of stores.splice(0)) await store.close()
  rmSync(directory, { recursive: true })
})

async function open(): Promise<TaskStore> {
  const store = await openSqliteStore(file)
  stores.push(store)
  return store
}

/** Changes what is written about the holder. */
function rewrite(sql: string, ...values: (string | number)[]): void {
  const db = new DatabaseSync(file)
  db.prepare(sql).run(...values)
  db.close()
}

describe('while another serves', () => {
  test('a store says who it is', async () => {
    await (await open()).hold?.()
    const second = await open()
    await expect(second.hold?.({ waitMs: 0 })).rejects.toMatchObject({
      code: 'store-in-use',
      message: expect.stringMatching(/tasks\.db is served by this very process, which was last active/),
      hint: expect.stringContaining('One process at a time'),
    })
  })

  test('a store waits, says so once, and gets its place when the other lets go', async () => {
    const release = await (await open()).hold?.()
    const told: string[] = []
    const onWaiting = (reason: string) => {
      told.push(reason)
      release?.()
    }
    const waiting = (await open()).hold?.({ onWaiting })
    await expect(waiting).resolves.toBeTypeOf('function')
    expect(told).toEqual([expect.stringContaining('Waiting for it to release the file.')])
  })

  test('closing a store lets go, and one store may be held twice', async () => {
    const first = await open()
    const [one, two] = [await first.hold?.(), await first.hold?.()]
    one?.()
    one?.()
    await expect((await open()).hold?.({ waitMs: 0 })).rejects.toMatchObject({ code: 'store-in-use' })
    await first.close()
    two?.()
    await expect((await open()).hold?.({ waitMs: 0 })).resolves.toBeTypeOf('function')
  })

  test('it can still be read and written by those who do not serve', async () => {
    const serving = await open()
    await serving.hold?.()
    await serving.create(ALICE, TASK)
    expect((await (await open()).get(ALICE, 't'))?.task.id).toBe('t')
  })
})

describe('a holder that is gone', () => {
  async function holdElsewhere(): Promise<ChildProcess> {
    const script = `
      const { openSqliteStore } = await import(${JSON.stringify(new URL('./backend.ts', import.meta.url).href)})
      const store = await openSqliteStore(process.env.FILE)
      await store.hold()
      process.stdout.write('held')
      setInterval(() => {}, 1000)`
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      env: { ...process.env, FILE: file },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(child.stdout as NonNullable<typeof child.stdout>, 'data')
    return child
  }

  test('killed, is replaced at once', async () => {
    const child = await holdElsewhere()
    await expect((await open()).hold?.({ waitMs: 0 })).rejects.toMatchObject({
      message: expect.stringContaining(`is served by process ${child.pid}`),
    })
    child.kill('SIGKILL')
    await once(child, 'exit')
    await expect((await open()).hold?.({ waitMs: 0 })).resolves.toBeTypeOf('function')
  })

  test('suspended for long, is replaced and writes no more', async () => {
    const first = await open()
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    let lost = 0
    await first.hold?.({ onLost: () => lost++ })
    await first.create(ALICE, TASK)
    rewrite('UPDATE serving SET token = ?', 'somebody else')
    vi.advanceTimersByTime(1_000)
    await expect(first.create(ALICE, { ...TASK, id: 'u' })).rejects.toMatchObject({
      kind: 'Unavailable',
      message: expect.stringContaining('Another process serves'),
    })
    expect((await first.get(ALICE, 't'))?.task.id).toBe('t')
    vi.advanceTimersByTime(5_000)
    expect(lost).toBe(1)
  })

  test.each([
    ['on a machine we cannot see, is alive while it beats', { machine: 'elsewhere', ago: 1_000, isAlive: true }],
    ['on a machine we cannot see, is dead when it stopped', { machine: 'elsewhere', ago: 61_000, isAlive: false }],
    ['on a machine whose clock is ahead, is alive', { machine: 'elsewhere', ago: -3_600_000, isAlive: true }],
    ['of our own number, is an earlier process', { pid: process.pid, ago: 0, isAlive: false }],
    ['of a number that another process has now, is dead', { pid: process.ppid, born: '1', ago: 0, isAlive: false }],
    ['that is there but silent, gets time', { pid: process.ppid, ago: 10_000, isAlive: true }],
    ['that is there but silent, gets no more', { pid: process.ppid, ago: 31_000, isAlive: false }],
  ])('%s', async (_, { machine, pid, born, ago, isAlive }: Row) => {
    const first = await open()
    await first.hold?.()
    rewrite('UPDATE serving SET token = ?, beat_ms = ?', 'another', Date.now() - ago)
    if (machine !== undefined) rewrite('UPDATE serving SET machine = ?', machine)
    // Without a time of birth, as on systems that do not tell it.
    if (pid !== undefined) rewrite('UPDATE serving SET pid = ?, born = ?', pid, born ?? '')
    const attempt = (await open()).hold?.({ waitMs: 0 })
    if (isAlive) await expect(attempt).rejects.toMatchObject({ code: 'store-in-use' })
    else await expect(attempt).resolves.toBeTypeOf('function')
  })
})

interface Row {
  machine?: string
  pid?: number
  born?: string
  ago: number
  isAlive: boolean
}
