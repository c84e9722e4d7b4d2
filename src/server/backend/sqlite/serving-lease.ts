// One process at a time serves a SQLite file: a row says who, and a beat every second that it lives. Whoever comes while
// another serves waits for it to let go (an overlapping restart) and is then told who it is. A dead holder's place is
// taken at once where its death can be seen, else when its beats have stopped. A holder that lost its place writes no more.

import { randomUUID } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { A2AError, ParleyError } from '../../../model/errors.ts'
import type { HoldOptions } from '../../store/task-store.ts'
import type { Patience } from './patience.ts'

export interface Holder {
  readonly token: string
  readonly pid: number
  readonly host: string
  /** Where process numbers mean the same thing; '' when that is not known. */
  readonly machine: string
  /** When the process began, as its system counts; tells it from a later one of the same number. */
  readonly born: string
  readonly beatMs: number
}

const TABLE = `CREATE TABLE IF NOT EXISTS serving (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  token TEXT NOT NULL, pid INTEGER NOT NULL, host TEXT NOT NULL, machine TEXT NOT NULL, born TEXT NOT NULL,
  beat_ms INTEGER NOT NULL
) STRICT`

const BEAT_MS = 1_000
/** A holder we cannot see is dead when we saw no beat for so long, by our own clock. */
const SILENT_MS = 6_000
/** By the clocks of two machines it takes longer: they need not agree. */
const SILENT_BY_CLOCK_MS = 60_000
/** A process that is there may be suspended or very busy; it gets more time, but not for ever. */
const SUSPENDED_MS = 30_000
const WAIT_MS = 10_000
const LOOK_MS = 100

/** Tokens of leases held in this very process. */
const ours = new Set<string>()

export class ServingLease {
  readonly #db: DatabaseSync
  readonly #token: string
  readonly #patience: Patience
  readonly #onLost: () => void
  #timer: NodeJS.Timeout | undefined
  #beatAt = performance.now()
  #isLost = false

  private constructor(db: DatabaseSync, token: string, patience: Patience, onLost: () => void = () => {}) {
    this.#db = db
    this.#token = token
    this.#patience = patience
    this.#onLost = onLost
    ours.add(token)
    this.#timer = setInterval(() => this.#beatQuietly(), BEAT_MS)
    this.#timer.unref()
  }

  static async take(
    db: DatabaseSync,
    path: string,
    patience: Patience,
    options: HoldOptions = {},
  ): Promise<ServingLease> {
    patience.run(() => db.exec(TABLE))
    const deadline = performance.now() + (options.waitMs ?? WAIT_MS)
    const token = randomUUID()
    const watch = new BeatWatch()
    for (let hasAnnounced = false; ; ) {
      const holder = patience.run(() => claim(db, token, watch))
      if (holder === undefined) return new ServingLease(db, token, patience, options.onLost)
      if (performance.now() >= deadline) throw inUse(path, holder)
      if (!hasAnnounced) options.onWaiting?.(`${sentenceAbout(path, holder)} Waiting for it to release the file.`)
      hasAnnounced = true
      await sleep(LOOK_MS)
    }
  }

  /** Before a write: throws when another process serves the file by now. */
  check(): void {
    // After a pause others may have taken this process for dead; ask before writing in its name.
    if (!this.#isLost && performance.now() - this.#beatAt > SILENT_MS / 2) this.#beat()
    if (this.#isLost)
      throw new A2AError('Unavailable', 'Another process serves the task store now; this one no longer does.')
  }

  release(): void {
    clearInterval(this.#timer)
    ours.delete(this.#token)
    try {
      this.#db.prepare('DELETE FROM serving WHERE token = ?').run(this.#token)
    } catch {
      // A file that cannot be written any more: the row is found stale by whoever comes next.
    }
  }

  #beat(): void {
    const sql = 'UPDATE serving SET beat_ms = ? WHERE token = ?'
    // Never waits: a beat that has to is late anyway, and everything else would wait with it.
    const { changes } = this.#patience.atOnce(() => this.#db.prepare(sql).run(Date.now(), this.#token))
    if (Number(changes) > 0) this.#beatAt = performance.now()
    else {
      this.#isLost = true
      this.#onLost()
    }
  }

  #beatQuietly(): void {
    try {
      if (!this.#isLost) this.#beat()
    } catch {
      // A full or locked file; the next beat, or the next write, tries again.
    }
  }
}

/** Takes the place when it is free; else says who has it. */
function claim(db: DatabaseSync, token: string, watch: BeatWatch): Holder | undefined {
  db.exec('BEGIN IMMEDIATE')
  try {
    const holder = readHolder(db)
    if (holder !== undefined && isAlive(holder, watch.silentMs(holder))) {
      db.exec('ROLLBACK')
      return holder
    }
    const { machine, born } = ownIdentity()
    db.prepare(
      `INSERT OR REPLACE INTO serving (one, token, pid, host, machine, born, beat_ms) VALUES (1, ?, ?, ?, ?, ?, ?)`,
    ).run(token, process.pid, hostname(), machine, born, Date.now())
    db.exec('COMMIT')
    return undefined
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}

function readHolder(db: DatabaseSync): Holder | undefined {
  const row = db.prepare('SELECT token, pid, host, machine, born, beat_ms FROM serving').get()
  if (row === undefined) return undefined
  return {
    token: String(row.token),
    pid: Number(row.pid),
    host: String(row.host),
    machine: String(row.machine),
    born: String(row.born),
    beatMs: Number(row.beat_ms),
  }
}

/** How long a holder has not given a sign of life while we looked; clocks of other machines take no part in it. */
class BeatWatch {
  #seen: { token: string; beatMs: number; atMs: number } | undefined

  silentMs({ token, beatMs }: Holder): number {
    const now = performance.now()
    if (this.#seen?.token !== token || this.#seen.beatMs !== beatMs) this.#seen = { token, beatMs, atMs: now }
    return now - this.#seen.atMs
  }
}

function isAlive({ token, pid, machine, born, beatMs }: Holder, watchedMs: number): boolean {
  if (ours.has(token)) return true
  const silentMs = Date.now() - beatMs
  const own = ownIdentity()
  if (machine === '' || machine !== own.machine) return silentMs < SILENT_BY_CLOCK_MS && watchedMs < SILENT_MS
  // Ours is the process of this number now, and it does not hold the lease.
  if (pid === process.pid) return false
  if (!isRunning(pid)) return false
  if (born !== '' && birthOf(pid) !== born) return false
  return silentMs < SUSPENDED_MS
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    return (error as { code?: unknown }).code === 'EPERM'
  }
  // A process that ended and whose parent has not looked yet still has its number.
  return !/^\d+ \(.*\) [ZX] /s.test(statOf(pid))
}

/** Of systems with /proc: the 22nd field, in ticks since the system began. */
function birthOf(pid: number): string {
  const fields = statOf(pid)
    .replace(/^.*\) /s, '')
    .split(' ')
  return fields[19] ?? ''
}

function statOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch {
    return ''
  }
}

let identity: { machine: string; born: string } | undefined

/** In two containers the same number may be two processes: the name of the namespace tells them apart. */
function ownIdentity(): { machine: string; born: string } {
  if (identity !== undefined) return identity
  let namespace = ''
  try {
    namespace = readlinkSync('/proc/self/ns/pid')
  } catch {
    // Another system: the name of the machine has to do.
  }
  identity = { machine: `${hostname()} ${namespace}`, born: birthOf(process.pid) }
  return identity
}

function sentenceAbout(path: string, { pid, host, beatMs, token }: Holder): string {
  const where = ours.has(token) ? 'this very process' : `process ${pid}${host === hostname() ? '' : ` on ${host}`}`
  const seconds = Math.max(0, (Date.now() - beatMs) / 1000).toFixed(1)
  return `${path} is served by ${where}, which was last active ${seconds} s ago.`
}

function inUse(path: string, holder: Holder): ParleyError {
  return new ParleyError('store-in-use', sentenceAbout(path, holder), {
    hint: 'One process at a time serves a SQLite file: stop that one, or name another file. Several replicas need postgres://… or redis://….',
  })
}
