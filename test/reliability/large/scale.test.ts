// LOAD-7: ListTasks over a million stored tasks, first and last page, every filter. Rows are written as the stores write
// them, by SQL, because creating a million tasks one by one is another test.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { openPostgresStore } from '../../../src/server/backend/postgres/backend.ts'
import { openSqliteStore } from '../../../src/server/backend/sqlite/backend.ts'
import { encodePageToken } from '../../../src/server/store/page-token.ts'
import { scopeId } from '../../../src/server/store/scope-id.ts'
import type { ListQuery, TaskStore } from '../../../src/server/store/task-store.ts'
import { ALICE } from '../../../src/testing/samples.ts'
import { describeWithServer } from '../../servers/describe-with-server.ts'
import { startPostgres } from '../../servers/start-postgres.ts'

const TASKS = Number(process.env.PARLEY_TASKS ?? 1_000_000)
const EPOCH = Date.UTC(2026, 0, 1)
const RUNS = 100
const BODY = (id: string, context: string, ms: string) =>
  `'{"id":"' || ${id} || '","contextId":"' || ${context} || '","status":{"state":"TASK_STATE_COMPLETED","timestamp":"2026-01-01T00:00:00Z"},"history":[{"messageId":"m","role":"ROLE_USER","parts":[{"text":"hello ' || ${ms} || '"}]}]}'`

const FILTERS: readonly [string, Omit<ListQuery, 'pageSize'>][] = [
  ['everything', {}],
  ['one state', { state: 'TASK_STATE_COMPLETED' }],
  ['one context', { contextId: 'context 7' }],
  ['one context and state', { contextId: 'context 7', state: 'TASK_STATE_COMPLETED' }],
  ['since lately', { statusAfterMs: EPOCH + TASKS - 1_000 }],
  ['the newer half', { statusAfterMs: EPOCH + TASKS / 2 }],
  ['the newer half of one state', { statusAfterMs: EPOCH + TASKS / 2, state: 'TASK_STATE_COMPLETED' }],
  ['all but the oldest', { statusAfterMs: EPOCH + 2 }],
  ['the newer half of one context', { statusAfterMs: EPOCH + TASKS / 2, contextId: 'context 7' }],
]
/** What the last migration does, for rows that were not written by the store. */
const TALLY = `SELECT scope, width, status_ms >> width, state, count(*)`
const TALLIED = `GROUP BY scope, width, status_ms >> width, state`

async function measure(name: string, store: TaskStore): Promise<void> {
  for (const [title, filter] of FILTERS) {
    const query: ListQuery = { ...filter, pageSize: 50 }
    // Behind the oldest but fifty of whatever the filter keeps: contexts take every thousandth task.
    const from = filter.statusAfterMs === undefined ? EPOCH : filter.statusAfterMs
    const step = filter.contextId === undefined ? 1 : 1_000
    const order = from - EPOCH + 50 * step + 8
    const pageToken = encodePageToken(ALICE, query, { statusMs: EPOCH + order, order })
    const first = await measured(() => store.list(ALICE, query))
    const last = await measured(() => store.list(ALICE, { ...query, pageToken }))
    const { items, next, total } = await store.list(ALICE, { ...query, pageToken })
    expect(total, title).toBe(Math.trunc((TASKS - Math.max(from - EPOCH - 1, 0)) / step))
    expect(items.length, title).toBeGreaterThan(40)
    expect(next.length === 0 || items.length === 50, title).toBe(true)
    console.log(`LOAD-7 ${name}, ${title}: first page ${first.text}, last page ${last.text}`)
    expect(first.p99, title).toBeLessThan(100)
    expect(last.p99, title).toBeLessThan(100)
  }
}

async function measured(work: () => Promise<unknown>): Promise<{ p99: number; text: string }> {
  const times: number[] = []
  for (let n = 0; n < RUNS; n++) {
    const begun = performance.now()
    await work()
    times.push(performance.now() - begun)
  }
  times.sort((a, b) => a - b)
  const [median = 0, p99 = 0] = [times[RUNS / 2], times[RUNS * 0.99 - 1]]
  return { p99, text: `${median.toFixed(1)} ms (p99 ${p99.toFixed(1)})` }
}

describe(`${TASKS} tasks`, () => {
  test('on SQLite', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'parley-scale-'))
    const path = join(folder, 'tasks.db')
    await (await openSqliteStore(path)).close()
    const db = new DatabaseSync(path)
    db.exec(`
      INSERT INTO scopes (key, agent, tenant, subject, created) VALUES (1, 'echo', '', 'alice', ${TASKS});
      BEGIN;
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${TASKS})
      INSERT INTO tasks (key, id, scope, context, state, status_ms, created_order, seq, snapshot_size, tail_size)
        SELECT i, 'task ' || i, 1, 'context ' || (i % 1000), 'TASK_STATE_COMPLETED', ${EPOCH} + i, i, 0, 300, 0 FROM n;
      INSERT INTO snapshots (task, seq, body) SELECT key, 0, ${BODY('id', 'context', 'key')} FROM tasks;
      INSERT INTO tallies (scope, width, span, state, tasks)
        ${TALLY} FROM tasks, (SELECT 16 AS width UNION ALL SELECT 26 UNION ALL SELECT 62) ${TALLIED};
      COMMIT;`)
    db.close()
    const store = await openSqliteStore(path)
    expect((await store.list(ALICE, { pageSize: 1 })).total).toBe(TASKS)
    await measure('SQLite', store)
    await store.close()
    rmSync(folder, { recursive: true })
  })
})

describeWithServer('PostgreSQL', `${TASKS} tasks in a database`, () => {
  test('on PostgreSQL', async () => {
    const server = await startPostgres()
    try {
      const store = await openPostgresStore(server.url)
      const client = new pg.Client(server.url)
      await client.connect()
      await client.query(`
        SET search_path TO parley;
        INSERT INTO scopes (id, agent, tenant, subject) VALUES ('${scopeId(ALICE)}', 'echo', '', 'alice');
        INSERT INTO tasks (id, scope, context, state, status_ms, created_order, owner, seq, snapshot_seq, snapshot_size,
            tail_size, snapshot)
          SELECT 'task ' || i, '${scopeId(ALICE)}', 'context ' || (i % 1000), 'TASK_STATE_COMPLETED', ${EPOCH} + i, i,
            gen_random_uuid(), 0, 0, 300, 0, ${BODY("'task ' || i", "'context ' || (i % 1000)", 'i')}
          FROM generate_series(1, ${TASKS}) AS i;
        INSERT INTO tallies (scope, width, span, state, tasks, shard)
          ${TALLY}, 0 FROM tasks, (VALUES (16), (26), (62)) AS widths (width) ${TALLIED};
        ANALYZE tasks;`)
      await client.end()
      expect((await store.list(ALICE, { pageSize: 1 })).total).toBe(TASKS)
      await measure('PostgreSQL', store)
      await store.close()
    } finally {
      await server.stop()
    }
  })
})
