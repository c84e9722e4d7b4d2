// Push configurations in the SQLite file of the task store, which one process serves at a time;
// leases found when it opens the file belong to one that died and are given back.

import { randomUUID } from 'node:crypto'
import type { SQLInputValue } from 'node:sqlite'
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
import type { PushStoreOptions } from '../backend.ts'
import type { Row, SqliteFile } from './database.ts'
import { namesOf } from './names.ts'

export function openSqlitePush(
  file: SqliteFile,
  { clock = Date.now, now = clock, isServing = true }: PushStoreOptions = {},
): PushStore {
  if (isServing) file.db.exec('UPDATE push SET lease_until = 0, token = NULL WHERE token IS NOT NULL')
  return new SqlitePushStore(file, now)
}

const COLUMNS = 'push.body, push.start, push.delivered, push.attempts, push.state, push.error'
/** The task of the first four parameters. */
const TASK = `(SELECT tasks.key FROM tasks JOIN scopes ON scopes.key = scope
  WHERE id = ?1 AND agent = ?2 AND tenant = ?3 AND subject = ?4)`

class SqlitePushStore implements PushStore {
  readonly #file: SqliteFile
  readonly #now: () => number
  readonly #leave: () => Promise<void>

  constructor(file: SqliteFile, now: () => number) {
    this.#file = file
    this.#now = now
    this.#leave = file.enter()
  }

  async put(registration: Registration, options: PutOptions): Promise<PutAnswer> {
    const { start, deliveredSeq, maxPerTask, maxPerScope } = options
    const stored = this.#run(
      `INSERT INTO push (task, id, body, start, delivered, attempts, state, due_at, lease_until, scope)
       SELECT key, ?5, ?6, ?7, ?8, 0, 'active', 0, 0, scope FROM tasks WHERE key = ${TASK}
         AND (SELECT count(*) FROM push WHERE task = key AND push.id <> ?5) < ?9
         AND (SELECT count(*) FROM push WHERE push.scope = tasks.scope AND push.state = 'active'
                AND (task, push.id) <> (key, ?5)) < ?10
       ON CONFLICT DO UPDATE SET body = excluded.body, start = coalesce(start, excluded.start),
         attempts = 0, error = NULL, state = CASE state WHEN 'done' THEN 'done' ELSE 'active' END,
         due_at = 0, lease_until = 0, token = NULL`,
      ...[...valuesOf(registration), keyText(registration.id), registrationText(registration)],
      ...[startText(start), deliveredSeq, maxPerTask, maxPerScope],
    )
    if (stored === 1) return 'stored'
    return (await this.list(registration)).length < maxPerTask ? 'scope-full' : 'task-full'
  }

  async list(task: TaskKey): Promise<readonly PushRow[]> {
    return this.#all(`SELECT ${COLUMNS} FROM push WHERE task = ${TASK} ORDER BY id`, ...valuesOf(task)).map(toRow)
  }

  async remove(key: PushKey): Promise<void> {
    this.#run(`DELETE FROM push WHERE task = ${TASK} AND id = ?5`, ...valuesOf(key), keyText(key.id))
  }

  async ready({ task, limit }: { task?: TaskKey; limit: number }): Promise<readonly ReadyRow[]> {
    const now = this.#now()
    const isReady = 'due_at <= ? AND lease_until <= ? AND tasks.seq > delivered'
    const from = `SELECT ${COLUMNS} FROM push JOIN tasks ON tasks.key = push.task`
    // The plus keeps the planner from walking all active rows to find those of one task.
    const rows =
      task === undefined
        ? this.#all(`${from} WHERE push.state = 'active' AND ${isReady} ORDER BY due_at LIMIT ?`, now, now, limit)
        : this.#all(
            `${from} WHERE push.task = ${TASK} AND +push.state = 'active' AND ${isReady} LIMIT ?`,
            ...[...valuesOf(task), now, now, limit],
          )
    return rows.map(toRow).map(({ scope, taskId, id, config }) => ({ scope, taskId, id, url: config.url }))
  }

  async isLive(task: TaskKey): Promise<boolean> {
    const sql = `SELECT 1 FROM push WHERE task = ${TASK} AND +state = 'active' LIMIT 1`
    return this.#all(sql, ...valuesOf(task)).length > 0
  }

  async claim(key: PushKey, leaseMs: number): Promise<Lease | undefined> {
    const token = randomUUID()
    const [row] = this.#all(
      `UPDATE push SET token = ?6, lease_until = ?7 + ?8 WHERE task = ${TASK} AND id = ?5
         AND +state = 'active' AND due_at <= ?7 AND lease_until <= ?7 RETURNING ${COLUMNS.replaceAll('push.', '')}`,
      ...[...valuesOf(key), keyText(key.id), token, this.#now(), leaseMs],
    )
    return row && { row: toRow(row), token }
  }

  async settle({ row, token }: Lease, progress: Progress | 'remove'): Promise<boolean> {
    const held = `task = ${TASK} AND id = ?5 AND token = ?6`
    const values = [...valuesOf(row), keyText(row.id), token]
    if (progress === 'remove') return this.#run(`DELETE FROM push WHERE ${held}`, ...values) === 1
    const { deliveredSeq, attempts, state, error, retryInMs, leaseMs } = progress
    const now = this.#now()
    const changed = this.#run(
      `UPDATE push SET delivered = ?7, attempts = ?8, state = ?9, error = ?10, due_at = ?11, lease_until = ?12,
         token = ?13 WHERE ${held}`,
      ...[...values, deliveredSeq, attempts, state, error ?? null, now + Math.round(retryInMs)],
      ...(leaseMs > 0 ? [now + leaseMs, token] : [0, null]),
    )
    return changed === 1
  }

  async dead(limit: number): Promise<readonly PushRow[]> {
    return this.#all(`SELECT ${COLUMNS} FROM push WHERE state = 'dead' ORDER BY task LIMIT ?`, limit).map(toRow)
  }

  async revive(key: PushKey): Promise<boolean> {
    const sql = `UPDATE push SET state = 'active', due_at = 0 WHERE task = ${TASK} AND id = ?5 AND +state = 'dead'`
    return this.#run(sql, ...valuesOf(key), keyText(key.id)) === 1
  }

  close(): Promise<void> {
    return this.#leave()
  }

  #all(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.#file.all(sql, ...values)
  }

  #run(sql: string, ...values: SQLInputValue[]): number {
    return this.#file.run(sql, ...values)
  }
}

function valuesOf({ scope, taskId }: TaskKey): string[] {
  return [keyText(taskId), ...namesOf(scope)]
}

function toRow(row: Row): PushRow {
  return rowFrom(row as unknown as StoredRow)
}
