// How long a write waits for a SQLite file that another process holds. Waiting stops everything else in this process, so
// one write waits for all: while the file stays held, those after it are refused at once, and only every few seconds one
// waits again. Connections of this process to the same file share what they found.

import type { DatabaseSync } from 'node:sqlite'

/** Long enough for any orderly write of another process; short of the two seconds after which callers are told. */
const WAIT_MS = 1_000
const PAUSE_MS = 5_000
const BUSY = 5

/** When waiting makes sense again, by file. */
const pauses = new Map<string, number>()

export class Patience {
  readonly #db: DatabaseSync
  readonly #path: string
  readonly #waitMs: number
  #setMs = Number.NaN

  constructor(db: DatabaseSync, path: string, waitMs: number = WAIT_MS) {
    this.#db = db
    this.#path = path
    this.#waitMs = Math.trunc(waitMs)
    this.#set(this.#waitMs)
  }

  /** A write, or the statement that takes the lock for several. */
  run<T>(work: () => T): T {
    const until = pauses.get(this.#path)
    if (until !== undefined && performance.now() < until) return this.atOnce(work)
    this.#set(this.#waitMs)
    try {
      const result = work()
      if (until !== undefined) pauses.delete(this.#path)
      return result
    } catch (error) {
      if (isBusy(error)) pauses.set(this.#path, performance.now() + PAUSE_MS)
      throw error
    }
  }

  /** The same without waiting at all. */
  atOnce<T>(work: () => T): T {
    this.#set(0)
    const result = work()
    pauses.delete(this.#path)
    return result
  }

  #set(ms: number): void {
    if (ms === this.#setMs) return
    this.#db.exec(`PRAGMA busy_timeout = ${ms}`)
    this.#setMs = ms
  }
}

function isBusy(error: unknown): boolean {
  return (
    error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' && (error.errcode & 0xff) === BUSY
  )
}
