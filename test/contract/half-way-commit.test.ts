// A transaction that many tasks share and that the database gives up half-way, because of one of them: the others are
// stored, nothing is left of the one, and only its writer hears of it.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStore } from '../../src/server/backend/open.ts'
import type { TaskStore } from '../../src/server/store/task-store.ts'
import { ALICE, chunkEvent, sampleTask, statusEvent } from '../../src/testing/samples.ts'
import { startPostgres } from '../servers/start-postgres.ts'

const NAMES = ['a', 'b', 'bad', 'c', 'd']

interface Opened {
  spec: string
  /** From now on no event that says so can be stored. */
  refuse(word: string): Promise<void>
  remove(): Promise<void>
}

const DATABASES: readonly [string, () => Promise<Opened>][] = [
  [
    'SQLite',
    async () => {
      const directory = mkdtempSync(join(tmpdir(), 'parley-half-way-'))
      const path = join(directory, 'tasks.db')
      return {
        spec: `sqlite:${path}`,
        async refuse(word) {
          const db = new DatabaseSync(path)
          db.exec(`CREATE TRIGGER refuse BEFORE INSERT ON events WHEN instr(NEW.body, '${word}') > 0
            BEGIN SELECT RAISE(ABORT, 'refused'); END`)
          db.close()
        },
        remove: async () => rmSync(directory, { recursive: true }),
      }
    },
  ],
  [
    'PostgreSQL',
    async () => {
      const server = await startPostgres()
      return {
        spec: server.url,
        async refuse(word) {
          const client = new pg.Client(server.url)
          await client.connect()
          await client.query(`ALTER TABLE parley.events ADD CONSTRAINT refuse CHECK (strpos(body, '${word}') = 0)`)
          await client.end()
        },
        remove: () => server.stop(),
      }
    },
  ],
]

describe.each(DATABASES)('%s', (_, open) => {
  let database: Opened
  let store: TaskStore
  beforeAll(async () => {
    database = await open()
    store = await openStore(database.spec)
    for (const name of NAMES) await store.create(ALICE, sampleTask(name))
    await database.refuse('unspeakable')
  })
  afterAll(async () => {
    await store.close()
    await database.remove()
  })

  const said = (name: string) => (name === 'bad' ? 'unspeakable' : 'a word')
  const fates = async (writes: readonly Promise<unknown>[]) =>
    (await Promise.allSettled(writes)).map((fate) => (fate.status === 'fulfilled' ? 'stored' : String(fate.reason)))
  const expected = ['stored', 'stored', expect.stringContaining('not available'), 'stored', 'stored']

  test('appends', async () => {
    const events = (name: string) => [chunkEvent(name, said(name)), statusEvent(name, 'TASK_STATE_COMPLETED')]
    const writes = NAMES.map(async (name) => store.append(ALICE, name, 0, events(name)))
    expect(await fates(writes)).toEqual(expected)
    for (const name of NAMES) {
      const stored = await store.readEvents(ALICE, name, 0, 10)
      expect(stored).toHaveLength(name === 'bad' ? 0 : 2)
      expect((await store.get(ALICE, name))?.seq).toBe(name === 'bad' ? 0 : 2)
    }
    expect((await store.list(ALICE, { pageSize: 1, state: 'TASK_STATE_COMPLETED' })).total).toBe(4)
  })

  test('tasks with their first events', async () => {
    const begin = async (name: string) =>
      store.begin?.(ALICE, sampleTask(`new ${name}`), [chunkEvent(`new ${name}`, said(name))])
    expect(await fates(NAMES.map(begin))).toEqual(expected)
    expect(await store.get(ALICE, 'new bad')).toBeUndefined()
    expect((await store.get(ALICE, 'new d'))?.seq).toBe(1)
    expect((await store.list(ALICE, { pageSize: 1 })).total).toBe(9)
  })
})
