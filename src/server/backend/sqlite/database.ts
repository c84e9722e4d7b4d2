// Opens a SQLite file for the task store and says in one sentence why it cannot be opened; at run time, turns
// SQLite's errors into "unavailable" without telling a peer what the database said.

import { accessSync, constants, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite'
import { A2AError, ParleyError } from '../../../model/errors.ts'
import { SharedUse } from '../backend.ts'
import { Patience } from './patience.ts'
import { migrate } from './schema.ts'

export interface SqliteOptions {
  /**
   * NORMAL (default): nothing acknowledged is lost when the process dies; the last moments may be lost when the power
   * fails. FULL: not even then, at one disk flush per append.
   */
  synchronous?: 'NORMAL' | 'FULL'
  /** How long a write waits for another process that holds the file. */
  busyTimeoutMs?: number
}

/** One open file: its connection, its prepared statements, and how long a write waits for others. */
export class SqliteFile {
  readonly db: DatabaseSync
  readonly path: string
  readonly patience: Patience
  readonly #statements = new Map<string, StatementSync>()
  readonly #use = new SharedUse(() => this.close())

  constructor(path: string, options: SqliteOptions = {}) {
    this.path = path
    this.db = openDatabase(path, options)
    this.patience = new Patience(this.db, path, options.busyTimeoutMs)
  }

  enter(): () => Promise<void> {
    return this.#use.enter()
  }

  statement(sql: string): StatementSync {
    let statement = this.#statements.get(sql)
    if (statement === undefined) {
      statement = this.db.prepare(sql)
      this.#statements.set(sql, statement)
    }
    return statement
  }

  /** One row, or undefined; what is the database's trouble becomes A2AError Unavailable. */
  get(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.#try(() => this.statement(sql).get(...values))
  }

  all(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.#try(() => this.patience.run(() => this.statement(sql).all(...values)))
  }

  /** How many rows it changed. */
  run(sql: string, ...values: SQLInputValue[]): number {
    return this.#try(() => this.patience.run(() => Number(this.statement(sql).run(...values).changes)))
  }

  close(): void {
    if (this.db.isOpen) this.db.close()
  }

  #try<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      throw asUnavailable(error)
    }
  }
}

export type Row = Record<string, SQLOutputValue>

export function openDatabase(path: string, options: SqliteOptions = {}): DatabaseSync {
  let db: DatabaseSync | undefined
  try {
    if (path !== ':memory:') openable(path)
    db = new DatabaseSync(path)
    // For the opening itself; afterwards see patience.ts.
    db.exec(`PRAGMA busy_timeout = ${Math.trunc(options.busyTimeoutMs ?? 2000)}`)
    // Before anything that writes: changing the journal mode already changes the file.
    migrate(db, path)
    db.exec('PRAGMA journal_mode = WAL')
    db.exec(`PRAGMA synchronous = ${options.synchronous === 'FULL' ? 'FULL' : 'NORMAL'}`)
    // After a burst the log file shrinks again instead of keeping its largest size.
    db.exec('PRAGMA journal_size_limit = 67108864')
    return db
  } catch (error) {
    db?.close()
    throw error instanceof ParleyError ? error : unusable(path, error)
  }
}

/** What the file is for, in messages; other rooms keep other things in SQLite. */
const TASK_STORE = 'task store'

/** Asked beforehand, because SQLite opens what it may only read and fails at the first write. */
export function openable(path: string, what = TASK_STORE): void {
  const directory = dirname(resolve(path))
  if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory()) {
    throw new ParleyError('store-unavailable', `The directory ${directory} of the ${what} does not exist; create it.`)
  }
  const file = statSync(path, { throwIfNoEntry: false })
  if (file?.isDirectory()) {
    throw new ParleyError('store-unavailable', `${path} is a directory; name a file in it for the ${what}.`)
  }
  // The directory too: the write-ahead log is a file beside the database.
  accessSync(directory, constants.W_OK)
  if (file !== undefined) accessSync(path, constants.W_OK)
}

const BUSY = 5
const IO_ERROR = 10
const FULL = 13
const READONLY = 8
const CORRUPT = 11
const CANTOPEN = 14
const NOT_A_DATABASE = 26

/** Why the file cannot be used, for the operator. */
export function unusable(path: string, cause: unknown, what = TASK_STORE): ParleyError {
  const code = resultCode(cause)
  if (code === NOT_A_DATABASE) {
    return new ParleyError('store-not-a-database', `${path} is not a SQLite database; name another file.`, { cause })
  }
  if (code === CORRUPT) {
    return new ParleyError('store-damaged', `${path} is damaged; restore it from a backup or name another file.`, {
      cause,
    })
  }
  if (code === READONLY || code === CANTOPEN || isPermission(cause)) {
    const message = `${path} cannot be written; the ${what} needs write permission for the file and its directory.`
    return new ParleyError('store-unavailable', message, { cause })
  }
  if (code === FULL || code === IO_ERROR) {
    const message = `${path} cannot be written: the disk is full or refuses writes; make room and start again.`
    return new ParleyError('store-unavailable', message, { cause })
  }
  if (code === BUSY) {
    const message = `${path} is locked by another process; stop it or name another file.`
    return new ParleyError('store-unavailable', message, { cause })
  }
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new ParleyError('store-unavailable', `${path} cannot be opened as a ${what}: ${reason}.`, { cause })
}

function isPermission(error: unknown): boolean {
  return error instanceof Error && 'code' in error && ['EACCES', 'EPERM', 'EROFS'].includes(String(error.code))
}

/** Anything SQLite refuses later (disk full, locked, closed) is the server's trouble, not the caller's. */
export function asUnavailable(error: unknown): unknown {
  const isDatabaseError = resultCode(error) !== undefined || (error as { code?: unknown })?.code === 'ERR_INVALID_STATE'
  return isDatabaseError ? new A2AError('Unavailable', 'the task store is not available', { cause: error }) : error
}

/** The primary result code, without SQLite's extension in the upper bits. */
function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return undefined
  return error.errcode & 0xff
}
