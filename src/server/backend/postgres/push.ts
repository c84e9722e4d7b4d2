// Push configurations in the PostgreSQL of the task store, shared by all replicas. Leases and due times are measured by
// the database's clock, so that replicas whose clocks differ still agree who may deliver.

import { randomUUID } from 'node:crypto'
import { keyText } from '../../../model/key-text.ts'
import { registrationText, rowFrom, type StoredRow, startText } from '../../store/push-row-text.ts'
import type {
  Lease,
  Progress,
  PushKey,
  PushRow,
  PushStore,
  PutAnswer,
  PutOptions,
  ReadyRow,
  Registration,
  TaskKey,
} from '../../store/push-store.ts'
import { scopeId } from '../../store/scope-id.ts'
import type { Database } from './database.ts'

/** bigint columns arrive as text. */
type Row = Omit<StoredRow, 'delivered'> & { delivered: string }

const COLUMNS = 'push.body, push.start, push.delivered, push.attempts, push.state, push.error'
/** Joins the task of the first two parameters. */
const OF_TASK = 'key = task AND tasks.id = $1 AND tasks.scope = $2'
/** Milliseconds now: the third parameter when a test gives one. */
const NOW = 'coalesce($3::bigint, (extract(epoch FROM clock_timestamp()) * 1000)::bigint)'

const PUT = `
  INSERT INTO push (task, id, body, start, delivered, attempts, state, due_at, lease_until, scope)
  SELECT key, $3, $4, $5, $6, 0, 'active', 0, 0, scope FROM tasks WHERE id = $1 AND scope = $2
    AND (SELECT count(*) FROM push WHERE task = key AND push.id <> $3) < $7
    AND (SELECT count(*) FROM push WHERE push.scope = tasks.scope AND push.state = 'active'
           AND (task, push.id) <> (key, $3)) < $8
  ON CONFLICT (task, id) DO UPDATE SET body = excluded.body, start = coalesce(push.start, excluded.start), attempts = 0,
    error = NULL, state = CASE push.state WHEN 'done' THEN 'done' ELSE 'active' END,
    due_at = 0, lease_until = 0, token = NULL
  RETURNING 1`

export class PostgresPushStore implements PushStore {
  readonly #db: Database
  readonly #now: (() => number) | undefined
  readonly #leave: () => Promise<void>

  constructor(db: Database, now: (() => number) | undefined) {
    this.#db = db
    this.#now = now
    this.#leave = db.enter()
  }

  async put(registration: Registration, options: PutOptions): Promise<PutAnswer> {
    const { start, deliveredSeq, maxPerTask, maxPerScope } = options
    // Whoever counts must see what the others of the scope have just inserted.
    const stored = await this.#db.rowsOneByOne(`push ${scopeId(registration.scope)}`, PUT, [
      ...[...valuesOf(registration), keyText(registration.id), registrationText(registration)],
      ...[startText(start), deliveredSeq, maxPerTask, maxPerScope],
    ])
    if (stored.length === 1) return 'stored'
    return (await this.list(registration)).length < maxPerTask ? 'scope-full' : 'task-full'
  }

  async list(task: TaskKey): Promise<readonly PushRow[]> {
    const sql = `SELECT ${COLUMNS} FROM push JOIN tasks ON ${OF_TASK} ORDER BY push.id`
    return (await this.#db.rows<Row>(sql, valuesOf(task))).map(toRow)
  }

  async remove(key: PushKey): Promise<void> {
    await this.#db.rows(`DELETE FROM push USING tasks WHERE ${OF_TASK} AND push.id = $3`, [
      ...valuesOf(key),
      keyText(key.id),
    ])
  }

  async ready({ task, limit }: { task?: TaskKey; limit: number }): Promise<readonly ReadyRow[]> {
    // Without a task the first two parameters are null, and the condition says so.
    const join = task === undefined ? 'key = task AND $1::text IS NULL AND $2::uuid IS NULL' : OF_TASK
    const rows = await this.#db.rows<Row>(
      `SELECT ${COLUMNS} FROM push JOIN tasks ON ${join}
       WHERE push.state = 'active' AND due_at <= ${NOW} AND lease_until <= ${NOW} AND seq > delivered
       ORDER BY due_at LIMIT $4`,
      [...(task === undefined ? [null, null] : valuesOf(task)), this.#time(), limit],
    )
    return rows.map(toRow).map(({ scope, taskId, id, config }) => ({ scope, taskId, id, url: config.url }))
  }

  async isLive(task: TaskKey): Promise<boolean> {
    const sql = `SELECT 1 FROM push JOIN tasks ON ${OF_TASK} WHERE push.state = 'active' LIMIT 1`
    return (await this.#db.rows(sql, valuesOf(task))).length > 0
  }

  async claim(key: PushKey, leaseMs: number): Promise<Lease | undefined> {
    const token = randomUUID()
    const [row] = await this.#db.rows<Row>(
      `UPDATE push SET token = $5, lease_until = ${NOW} + $6::bigint FROM tasks WHERE ${OF_TASK} AND push.id = $4
         AND push.state = 'active' AND due_at <= ${NOW} AND lease_until <= ${NOW} RETURNING ${COLUMNS}`,
      [...valuesOf(key), this.#time(), keyText(key.id), token, leaseMs],
    )
    return row && { row: toRow(row), token }
  }

  async settle({ row, token }: Lease, progress: Progress | 'remove'): Promise<boolean> {
    if (progress === 'remove') {
      const sql = `DELETE FROM push USING tasks WHERE ${OF_TASK} AND push.id = $3 AND token = $4 RETURNING 1`
      return (await this.#db.rows(sql, [...valuesOf(row), keyText(row.id), token])).length === 1
    }
    const { deliveredSeq, attempts, state, error, retryInMs, leaseMs } = progress
    const changed = await this.#db.rows(
      `UPDATE push SET delivered = $6, attempts = $7, state = $8, error = $9, due_at = ${NOW} + $10::bigint,
         lease_until = CASE $11::bigint WHEN 0 THEN 0 ELSE ${NOW} + $11::bigint END,
         token = CASE $11::bigint WHEN 0 THEN NULL ELSE token END
       FROM tasks WHERE ${OF_TASK} AND push.id = $4 AND token = $5 RETURNING 1`,
      [
        ...[...valuesOf(row), this.#time(), keyText(row.id), token, deliveredSeq, attempts, state, error ?? null],
        ...[Math.round(retryInMs), leaseMs],
      ],
    )
    return changed.length === 1
  }

  async dead(limit: number): Promise<readonly PushRow[]> {
    const sql = `SELECT ${COLUMNS} FROM push WHERE state = 'dead' ORDER BY task LIMIT $1`
    return (await this.#db.rows<Row>(sql, [limit])).map(toRow)
  }

  async revive(key: PushKey): Promise<boolean> {
    const sql = `UPDATE push SET state = 'active', due_at = 0 FROM tasks
      WHERE ${OF_TASK} AND push.id = $3 AND push.state = 'dead' RETURNING 1`
    return (await this.#db.rows(sql, [...valuesOf(key), keyText(key.id)])).length === 1
  }

  close(): Promise<void> {
    return this.#leave()
  }

  #time(): number | null {
    return this.#now?.() ?? null
  }
}

function valuesOf({ scope, taskId }: TaskKey): [string, string] {
  return [keyText(taskId), scopeId(scope)]
}

function toRow(row: Row): PushRow {
  return rowFrom({ ...row, delivered: Number(row.delivered) })
}
