// --store-sync full: each database waits for its disk, or is refused with what to set.

import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStore } from '../../src/server/backend/open.ts'
import { openDatabase } from '../../src/server/backend/sqlite/database.ts'
import type { ChildServer } from '../servers/child-server.ts'
import { startPostgres } from '../servers/start-postgres.ts'
import { startRedis } from '../servers/start-redis.ts'

async function openFully(url: string): Promise<string> {
  try {
    await (await openStore(url, { sync: 'full' })).close()
    return 'opened'
  } catch (error) {
    return (error as Error).message
  }
}

async function judged(server: ChildServer): Promise<string> {
  try {
    return await openFully(server.url)
  } finally {
    await server.stop()
  }
}

test('memory survives nothing', async () => {
  expect(await openFully('memory')).toBe('Tasks in memory do not outlive the process; name a persistent store.')
})

test('SQLite is set to it', async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'parley-sync-')), 'tasks.db')
  expect(await openFully(`sqlite:${path}`)).toBe('opened')
  const db = openDatabase(path, { synchronous: 'FULL' })
  expect(db.prepare('PRAGMA synchronous').get()).toEqual({ synchronous: 2 })
  db.close()
})

describe('Redis', () => {
  test('that syncs every second is refused', async () => {
    expect(await judged(await startRedis())).toMatch(/does not wait for the disk at every write \(it is everysec\)/)
  })

  test('that syncs always is taken', async () => {
    expect(await judged(await startRedis({ appendfsync: 'always' }))).toBe('opened')
  })
})

describe('PostgreSQL', () => {
  let server: ChildServer
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server.stop())

  test('that waits is taken', async () => {
    expect(await openFully(server.url)).toBe('opened')
  })

  test('that does not wait is refused', async () => {
    const client = new pg.Client(server.url)
    await client.connect()
    await client.query('ALTER ROLE parley SET synchronous_commit = off')
    await client.end()
    expect(await openFully(server.url)).toMatch(/does not wait for the disk \(synchronous_commit is off\)/)
  })
})
