// READY: /readyz and the gauge of the store know whether writes work, at the cost of one write a second.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ECHO_CARD } from '../agents/cards.ts'
import { echoAgent } from '../agents/echo.ts'
import { openSqliteStore } from './backend/sqlite/backend.ts'
import { Readiness } from './readiness.ts'
import { type A2AServer, createServer } from './server.ts'
import type { TaskStore } from './store/task-store.ts'

type Asked = Pick<TaskStore, 'get' | 'probe'>

function storeWith(changes: Partial<Asked>): Asked {
  return { get: async () => undefined, ...changes }
}

describe('readiness', () => {
  test('is looked at once a second, however often it is asked for', async () => {
    let probes = 0
    let now = 0
    const probe = async () => void probes++
    const readiness = new Readiness(storeWith({ probe }), () => now)
    await Promise.all(Array.from({ length: 1_000 }, () => readiness.trouble()))
    for (let n = 0; n < 1_000; n++) expect(await readiness.trouble()).toBeUndefined()
    expect(probes).toBe(1)
    now = 1_000
    await readiness.trouble()
    expect(probes).toBe(2)
  })

  test.each([
    ['does not answer', { get: () => Promise.reject(new Error('away')) }],
    ['takes no writes', { probe: () => Promise.reject(new Error('read-only')) }],
  ])('a store that %s', async (what, changes) => {
    expect(await new Readiness(storeWith(changes)).trouble()).toBe(`the task store ${what}`)
  })
})

describe('a SQLite file that takes no writes', () => {
  let directory: string
  let server: A2AServer | undefined
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'parley-ready-'))
  })
  afterEach(async () => {
    await server?.close({ graceMs: 0 })
    rmSync(directory, { recursive: true })
  })

  test('makes the server not ready until it does again', async () => {
    const file = join(directory, 'tasks.db')
    const store = await openSqliteStore(file, { busyTimeoutMs: 1 })
    server = createServer({ card: ECHO_CARD, agent: echoAgent, store })
    const { url } = await server.listen()
    const blocker = new DatabaseSync(file)
    blocker.exec('BEGIN IMMEDIATE')
    const refused = await fetch(`${url}/readyz`)
    expect([refused.status, await refused.json()]).toEqual([
      503,
      { status: 'not ready', reason: 'the task store takes no writes' },
    ])
    expect(await (await fetch(`${url}/metrics`)).text()).toContain('parley_store_up 0')
    blocker.exec('ROLLBACK')
    blocker.close()
    await expect.poll(async () => (await fetch(`${url}/readyz`)).status, { timeout: 10_000 }).toBe(200)
    await store.close()
  })
})
