// The books in one SQLite file. Several processes of one machine may share it; each statement and each transaction of a
// process has the connection to itself.

import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { ParleyError } from '../model/errors.ts'
import { openable, unusable } from '../server/backend/sqlite/database.ts'
import type { FleetDatabase, Sql, SqlValue } from './database.ts'

/** SQLite waits in the thread, where nothing else gets a turn; so it waits briefly, and we between tries. */
const BUSY_MS = 20
const PATIENCE_MS = 10_000
const PAUSE_MS = 10
const BUSY = 5
const MOST_STATEMENTS = 100
const FLEET_STORE = 'fleet store'

export class SqliteDatabase implements FleetDatabase {
  readonly now = `CAST(unixepoch('subsec') * 1000 AS INTEGER)`
  readonly blob = 'BLOB'
  readonly #db: DatabaseSync
  readonly #own: Sql
  readonly #statements = new Map<string, StatementSync>()
  #turn: Promise<unknown> = Promise.resolve()

  constructor(path: string) {
    try {
      if (path !== ':memory:') openable(path, FLEET_STORE)
      this.#db = new DatabaseSync(path)
      this.#db.exec(`PRAGMA busy_timeout = ${PATIENCE_MS}`)
      refuseForeign(this.#db, path)
      this.#db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = ${BUSY_MS}`)
    } catch (error) {
      throw error instanceof ParleyError ? error : unusable(path, error, FLEET_STORE)
    }
    this.#own = { rows: async (sql, values = []) => this.#run(sql, values) }
  }

  rows<R extends object>(sql: string, values: readonly SqlValue[] = []): Promise<R[]> {
    return this.#inTurn(() => patiently(() => this.#run<R>(sql, values)))
  }

  transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.#inTurn(async () => {
      await patiently(() => this.#db.exec('BEGIN IMMEDIATE'))
      try {
        const result = await work(this.#own)
        this.#db.exec('COMMIT')
        return result
      } catch (error) {
        if (this.#db.isTransaction) this.#db.exec('ROLLBACK')
        throw error
      }
    })
  }

  /** Locked, full or unreadable for now. */
  isAway(error: unknown): boolean {
    return AWAY.has(codeOf(error))
  }

  async close(): Promise<void> {
    await this.#turn.catch(() => {})
    if (this.#db.isOpen) this.#db.close()
  }

  #run<R>(sql: string, values: readonly SqlValue[]): R[] {
    return this.#statement(sql).all(...(values as SQLInputValue[])) as R[]
  }

  /** Prepared once; there are few texts, but for the last piece of each list. */
  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql)
    if (known !== undefined) return known
    if (this.#statements.size >= MOST_STATEMENTS) this.#statements.clear()
    const statement = this.#db.prepare(sql.replaceAll(/\$(\d+)/g, '?$1'))
    this.#statements.set(sql, statement)
    return statement
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(work, work)
    this.#turn = mine.catch(() => {})
    return mine
  }
}

/** Before anything is written: tables of ours have no place in the file of another program. */
function refuseForeign(db: DatabaseSync, path: string): void {
  const names = db.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).all()
  if (names.length === 0 || names.some(({ name }) => name === 'fleet_schema')) return
  throw new ParleyError(
    'store-foreign',
    `${path} is a database of another program; give the ${FLEET_STORE} its own file.`,
  )
}

/** Busy, locked, an error of the disk, or no room on it. */
const AWAY = new Set([BUSY, 6, 10, 13])

/** The primary result code. */
function codeOf(error: unknown): number {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : 0
}

async function patiently<T>(work: () => T): Promise<T> {
  for (const started = performance.now(); ; await sleep(PAUSE_MS)) {
    try {
      return work()
    } catch (error) {
      if (codeOf(error) !== BUSY || performance.now() - started > PATIENCE_MS) throw error
    }
  }
}
