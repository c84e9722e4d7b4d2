// Databases as version 0.1 left them, written by that version: everything in them is found, and retention knows their age.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Redis } from 'ioredis'
import pg from 'pg'
import { expect, test } from 'vitest'
import type { Backend } from '../../src/server/backend/backend.ts'
import { openBackend } from '../../src/server/backend/open.ts'
import { describeWithServer } from '../servers/describe-with-server.ts'
import { ownPostgres, ownRedis } from '../servers/own-database.ts'

const ALICE = { agent: '/a', tenant: '', subject: 'alice' }

function dataOf(name: string): string {
  return readFileSync(new URL(`./data-of-0.1/${name}`, import.meta.url), 'utf8')
}

async function expectEverything(backend: Backend): Promise<void> {
  const tasks = await backend.openTasks()
  const page = await tasks.list(ALICE, { pageSize: 10 })
  expect(page.items.map(({ task }) => [task.id, task.status.state])).toEqual([
    ['task-2', 'TASK_STATE_INPUT_REQUIRED'],
    ['task-1', 'TASK_STATE_COMPLETED'],
    ['task-0', 'TASK_STATE_WORKING'],
  ])
  expect(page.total).toBe(3)
  expect((await tasks.get(ALICE, 'task-1'))?.task.artifacts?.[0]?.parts).toEqual([{ text: 'chunk 1' }])
  expect((await tasks.readEvents(ALICE, 'task-0', 0, 10))?.map(({ seq }) => seq)).toEqual([1, 2])
  const push = await backend.openPush()
  const task = { scope: ALICE, taskId: 'task-2' }
  expect(await push.list(task)).toMatchObject([{ id: 'hook', config: { token: 'secret' }, deliveredSeq: 1 }])

  const expire = (before: number) => tasks.expire?.({ before, limit: 10 })
  await expire(Date.UTC(2026, 0, 1) + 12_000)
  expect((await tasks.list(ALICE, { pageSize: 10 })).items.map(({ task: { id } }) => id)).toEqual(['task-2', 'task-0'])
  await expire(Date.now())
  expect((await tasks.list(ALICE, { pageSize: 10 })).items.map(({ task: { id } }) => id)).toEqual(['task-0'])
  expect(await push.list(task)).toEqual([])
  // The connections close with the last who uses them.
  await push.close()
  await tasks.close()
}

test('a SQLite file, with the links of a proxy', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'parley-data-'))
  const path = join(directory, 'tasks.db')
  const db = new DatabaseSync(path)
  db.exec(dataOf('sqlite.sql'))
  db.close()
  const backend = await openBackend(`sqlite:${path}`)
  const links = await backend.openLinks()
  expect(await links.taskOfAgent(ALICE, 'theirs')).toMatchObject({ taskId: 'task-2' })
  await expectEverything(backend)
  expect(await links.taskOfAgent(ALICE, 'theirs')).toBeUndefined()
  await links.close()
  rmSync(directory, { recursive: true })
})

describeWithServer('PostgreSQL', 'a PostgreSQL database', () => {
  test('is found whole', async () => {
    const url = await ownPostgres()
    const client = new pg.Client(url)
    await client.connect()
    await client.query(dataOf('postgres.sql'))
    await client.end()
    await expectEverything(await openBackend(url))
  })
})

describeWithServer('Redis', 'a Redis database', () => {
  test('is found whole', async () => {
    const url = await ownRedis()
    const redis = new Redis(url)
    for (const [command = '', ...args] of JSON.parse(dataOf('redis.json')) as string[][])
      await redis.call(command, ...args)
    redis.disconnect()
    await expectEverything(await openBackend(url))
  })
})
