import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, describe, expect, test } from 'vitest'
import type { TaskEvent } from '../../../model/event.ts'
import type { Scope } from '../../../model/scope.ts'
import type { TaskState } from '../../../model/task.ts'
import { openSqliteStore } from './backend.ts'

const SCOPE: Scope = { agent: 'echo', tenant: '', subject: 'alice' }
const TASK = { id: 't', contextId: 'c', status: { state: 'TASK_STATE_SUBMITTED' } } as const
const directory = mkdtempSync(join(tmpdir(), 'parley-sqlite-'))
afterAll(() => rmSync(directory, { recursive: true }))

function chunk(text: string): TaskEvent {
  const artifact = { artifactId: 'a', parts: [{ text }] }
  return { artifactUpdate: { taskId: 't', contextId: 'c', artifact, append: true } }
}

describe('opening', () => {
  test.each([
    ['a missing directory', () => join(directory, 'none', 'tasks.db'), /directory .*none .* does not exist; create it/],
    [
      'a directory',
      () => {
        const path = join(directory, 'folder')
        mkdirSync(path)
        return path
      },
      /folder is a directory/,
    ],
    [
      'a file that is not a database',
      () => {
        const path = join(directory, 'notes.txt')
        writeFileSync(path, 'shopping list\n'.repeat(200))
        return path
      },
      /notes\.txt is not a SQLite database/,
    ],
    [
      'a database of another program',
      () => {
        const path = join(directory, 'foreign.db')
        const db = new DatabaseSync(path)
        db.exec('CREATE TABLE bookmarks (url TEXT)')
        db.close()
        return path
      },
      /foreign\.db is a database of another program/,
    ],
  ])('%s is refused in one sentence that names the path', async (_, make, message) => {
    await expect(openSqliteStore(make())).rejects.toMatchObject({ name: 'ParleyError', message })
  })

  test('a newer schema is refused, says so, and the file stays untouched', async () => {
    const path = join(directory, 'newer.db')
    await (await openSqliteStore(path)).close()
    const db = new DatabaseSync(path)
    db.exec('UPDATE parley_schema SET version = 99')
    db.close()
    const before = readFileSync(path)
    const refused = { code: 'store-too-new', message: /newer Parley \(schema 99/ }
    await expect(openSqliteStore(path)).rejects.toMatchObject(refused)
    expect(readFileSync(path).equals(before)).toBe(true)
  })

  test('what was written is there after reopening, also without a snapshot of the last events', async () => {
    const path = join(directory, 'reopen.db')
    const store = await openSqliteStore(path, { synchronous: 'FULL' })
    await store.create(SCOPE, TASK)
    await store.append(SCOPE, 't', 0, [chunk('one'), chunk('two')])
    const written = await store.get(SCOPE, 't')
    await store.close()
    const reopened = await openSqliteStore(path)
    expect(await reopened.get(SCOPE, 't')).toEqual(written)
    expect(await reopened.unfinished(10)).toEqual([{ scope: SCOPE, record: written }])
    await reopened.close()
  })
})

test('a file from before the tallies gets them from what it holds', async () => {
  const path = join(directory, 'before-tallies.db')
  const store = await openSqliteStore(path)
  const states = ['TASK_STATE_COMPLETED', 'TASK_STATE_INPUT_REQUIRED', 'TASK_STATE_WORKING'] as const
  for (let n = 0; n < 30; n++) {
    const timestamp = new Date(-5_000_000 + n * 400_000).toISOString()
    await store.create(SCOPE, { ...TASK, id: `t${n}`, status: { state: states[n % 3] ?? states[0], timestamp } })
  }
  await store.close()
  const db = new DatabaseSync(path)
  db.exec(`DROP TABLE tallies; CREATE TABLE counts (tasks INTEGER) STRICT; DROP INDEX tasks_at_rest;
    ALTER TABLE tasks DROP COLUMN changed_ms; UPDATE parley_schema SET version = 3`)
  db.close()
  const upgraded = await openSqliteStore(path)
  const total = async (filter: { state?: TaskState; statusAfterMs?: number }) =>
    (await upgraded.list(SCOPE, { ...filter, pageSize: 1 })).total
  expect(await total({})).toBe(30)
  expect(await total({ state: 'TASK_STATE_COMPLETED' })).toBe(10)
  expect(await total({ statusAfterMs: -5_000_000 + 15 * 400_000 })).toBe(15)
  expect(await total({ statusAfterMs: -5_000_000 + 400_000, state: 'TASK_STATE_INPUT_REQUIRED' })).toBe(10)
  await upgraded.close()
})

describe('running', () => {
  test('two connections on one file see each other and only one append wins', async () => {
    const path = join(directory, 'shared.db')
    const one = await openSqliteStore(path)
    const two = await openSqliteStore(path)
    await one.create(SCOPE, TASK)
    expect(await two.create(SCOPE, TASK)).toBe('exists')
    expect(await two.append(SCOPE, 't', 0, [chunk('two')])).toMatchObject({ ok: true })
    expect(await one.append(SCOPE, 't', 0, [chunk('one')])).toEqual({ ok: false, reason: 'conflict' })
    expect(await one.append(SCOPE, 't', 1, [chunk('one')])).toMatchObject({ ok: true })
    expect(await two.get(SCOPE, 't')).toEqual(await one.get(SCOPE, 't'))
    await one.close()
    await two.close()
  })

  test('a long stream rewrites its snapshot a few times, not once per chunk', async () => {
    const path = join(directory, 'stream.db')
    const store = await openSqliteStore(path)
    await store.create(SCOPE, TASK)
    const db = new DatabaseSync(path, { readOnly: true })
    const snapshotSeq = db.prepare('SELECT seq FROM snapshots')
    const rewrites = new Set<unknown>()
    for (let seq = 0; seq < 500; seq++) {
      await store.append(SCOPE, 't', seq, [chunk('x'.repeat(200))])
      rewrites.add(snapshotSeq.get()?.seq)
    }
    expect(rewrites.size).toBeLessThan(10)
    db.close()
    await store.close()
  })

  test('a locked database is unavailable, and works again when the lock is gone', async () => {
    const path = join(directory, 'locked.db')
    const store = await openSqliteStore(path, { busyTimeoutMs: 1 })
    const other = new DatabaseSync(path)
    other.exec('BEGIN IMMEDIATE')
    await expect(store.create(SCOPE, TASK)).rejects.toMatchObject({ name: 'A2AError', kind: 'Unavailable' })
    other.exec('ROLLBACK')
    other.close()
    expect(await store.create(SCOPE, TASK)).toMatchObject({ seq: 0 })
    await store.close()
  })

  test('a closed store is unavailable', async () => {
    const store = await openSqliteStore(join(directory, 'closed.db'))
    await store.close()
    await expect(store.get(SCOPE, 't')).rejects.toMatchObject({ kind: 'Unavailable' })
  })
})
