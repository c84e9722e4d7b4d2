// The books as a worker sees them: which agent of a host is next, that an attempt at it begins, and what came of it. An
// attempt is written down before anything is sent, with the turns it may take, so that one that is never heard of again
// has counted.

import { packageVersion } from '../base/package-version.ts'
import type { AgentEntry, Profile } from './agent-entry.ts'
import type { CredentialReferences } from './credential-references.ts'
import type { FleetDatabase } from './database.ts'
import type { HostOffer } from './host-queue.ts'
import { tooNewFleet } from './listing.ts'
import type { Outcome } from './outcome.ts'
import { WORK_FORMAT } from './schema.ts'
import type { FleetSettings } from './settings.ts'

const DAY_MS = 86_400_000
/** More than a quick look takes. */
const QUICK_TURNS = 12

/** One attempt at one agent. */
export interface Attempt {
  readonly fleet: string
  readonly id: string
  readonly run: string
  readonly url: string
  readonly origin: string
  readonly entry: Pick<AgentEntry, 'only' | 'everyMs'> & { credentials?: CredentialReferences }
  readonly profile: Profile
  readonly settings: FleetSettings
  /** The first is 1. */
  readonly attempt: number
  /** How many turns it may take of what the day has left. */
  readonly turns: number
  /** Results in a row without an answer, before this one. */
  readonly silent: number
}

export interface AgentResult {
  readonly outcome: Outcome
  readonly stage: number
  readonly level: string
  readonly kept: number
  readonly measured: number
  readonly exitCode: number
  readonly turns: number
  readonly durationMs: number
  readonly message: string
  readonly name: string
  /** The compressed run record, where the agent was asked at all. */
  readonly record?: Uint8Array
}

/** When the agent is asked next, and under which name of a run; never again by itself without it. */
export interface NextTime {
  readonly afterMs: number
  /** Results in a row without an answer. */
  readonly silent: number
  readonly isScheduled: boolean
}

/** What a host said, and how often. */
export interface Refused {
  readonly waitMs: number
  readonly reason: string
  readonly refusals: number
}

/** An attempt that is to be made again. */
export interface Postponed {
  readonly afterMs: number
  /** That it took. */
  readonly turns: number
  /** Whether it was an attempt at the agent at all. */
  readonly counts: boolean
}

interface AgentRow {
  fleet: string
  id: string
  run: string
  url: string
  origin: string
  entry: string
  settings: string
  attempts: number
  silent: number
  turns_day: number
  turns: number
  now: number
}

export class WorkBook {
  readonly #db: FleetDatabase
  readonly #worker: string

  constructor(db: FleetDatabase, worker: string) {
    this.#db = db
    this.#worker = worker
  }

  /** Refuses a store where there is nothing this version understands. */
  async checkFleets(): Promise<void> {
    const fleets = await this.#db.rows<{ name: string; format: number; parley: string }>(
      'SELECT name, format, parley FROM fleets ORDER BY format',
    )
    const [first] = fleets
    if (first !== undefined && first.format > WORK_FORMAT) throw tooNewFleet(first.name, first.parley)
  }

  /** How long the host of these agents wants to be left alone, by its own word. */
  async pauseOf(origin: string): Promise<{ ms: number; refusals: number; reason: string }> {
    const [row] = await this.#db.rows<{ ms: number; refusals: number; reason: string }>(
      `SELECT until - ${this.#db.now} AS ms, refusals, reason FROM hosts WHERE origin = $1`,
      [origin],
    )
    return row ?? { ms: 0, refusals: 0, reason: '' }
  }

  /** Notes that a host asked to wait, and how often it has now done so without an answer in between. */
  async refused(origin: string, { waitMs, reason, refusals }: Refused): Promise<void> {
    await this.#db.rows(
      `INSERT INTO hosts (origin, until, refusals, reason) VALUES ($1, ${this.#db.now} + CAST($2 AS bigint), $3, $4)
       ON CONFLICT (origin) DO UPDATE SET until = excluded.until, refusals = excluded.refusals, reason = excluded.reason`,
      [origin, waitMs, refusals, reason],
    )
  }

  async answered(origin: string): Promise<void> {
    await this.#db.rows('DELETE FROM hosts WHERE origin = $1', [origin])
  }

  /** The next agent of a host whose time has come, its attempt written down. Whoever asks has the lease of the host. */
  async begin(host: string): Promise<Attempt | undefined> {
    return this.#db.transaction(async (sql) => {
      const [row] = await sql.rows<AgentRow>(
        `SELECT a.fleet, a.id, a.run, a.url, a.origin, a.entry, f.settings, a.attempts, a.silent, a.turns_day, a.turns,
           ${this.#db.now} AS now
         FROM agents a JOIN fleets f ON f.name = a.fleet
         WHERE a.host = $1 AND a.state = 'waiting' AND a.due_at <= ${this.#db.now} AND f.format <= $2
         ORDER BY a.due_at, a.id LIMIT 1`,
        [host, WORK_FORMAT],
      )
      if (row === undefined) return undefined
      const attempt = attemptOf(row)
      const day = Math.floor(row.now / DAY_MS)
      const used = row.turns_day === day ? row.turns : 0
      await sql.rows('UPDATE agents SET attempts = $1, turns_day = $2, turns = $3 WHERE fleet = $4 AND id = $5', [
        attempt.attempt,
        day,
        used + attempt.turns,
        row.fleet,
        row.id,
      ])
      return attempt
    })
  }

  /** Stores the one result of this agent in this run, and when it is asked next. False when there was one already. */
  async finish(attempt: Attempt, result: AgentResult, next: NextTime | undefined): Promise<boolean> {
    const { fleet, id, run } = attempt
    return this.#db.transaction(async (sql) => {
      const stored = await sql.rows(
        `INSERT INTO results (fleet, agent, run, at, outcome, stage, level, kept, measured, exit_code, attempts, turns,
           duration_ms, message, name, worker, record)
         VALUES ($1, $2, $3, ${this.#db.now}, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
         ON CONFLICT DO NOTHING RETURNING agent`,
        [
          ...[fleet, id, run, result.outcome, result.stage, result.level, result.kept, result.measured],
          ...[result.exitCode, attempt.attempt, result.turns, result.durationMs, result.message, result.name],
          ...[`${this.#worker} ${packageVersion()}`, result.record ?? null],
        ],
      )
      if (stored.length === 0) return false
      const [clock] = await sql.rows<{ now: number }>(`SELECT ${this.#db.now} AS now`)
      const dueAt = (clock?.now ?? 0) + (next?.afterMs ?? 0)
      const isWaiting = next?.isScheduled === true
      // Turns that were set aside and not taken are free again.
      await sql.rows(
        `UPDATE agents SET state = $1, run = $2, due_at = $3, silent = $4, attempts = 0,
           turns = CASE WHEN turns > CAST($5 AS bigint) THEN turns - CAST($5 AS bigint) ELSE 0 END
         WHERE fleet = $6 AND id = $7 AND run = $8`,
        [
          ...[isWaiting ? 'waiting' : 'done', isWaiting ? `due ${new Date(dueAt).toISOString()}` : run, dueAt],
          ...[next?.silent ?? 0, Math.max(0, attempt.turns - result.turns), fleet, id, run],
        ],
      )
      return true
    })
  }

  /** An attempt that came to nothing through no fault of the agent: it is asked again later in the same run. */
  async postpone(attempt: Attempt, { afterMs, turns, counts }: Postponed): Promise<void> {
    const { fleet, id, run } = attempt
    await this.#db.rows(
      `UPDATE agents SET due_at = ${this.#db.now} + CAST($1 AS bigint), turns = turns - CAST($2 AS bigint),
         attempts = attempts - CAST($3 AS bigint)
       WHERE fleet = $4 AND id = $5 AND run = $6 AND state = 'waiting'`,
      [Math.ceil(afterMs), Math.max(0, attempt.turns - turns), counts ? 0 : 1, fleet, id, run],
    )
  }

  /** In how many milliseconds the next agent of this host is due; undefined when none waits. */
  async nextDue(host: string): Promise<number | undefined> {
    const [row] = await this.#db.rows<{ ms: number | null }>(
      `SELECT min(due_at) - ${this.#db.now} AS ms FROM agents WHERE host = $1 AND state = 'waiting'`,
      [host],
    )
    return row?.ms === null || row === undefined ? undefined : Math.max(0, row.ms)
  }

  /** Every host with an agent that waits, in pieces: what a crash took out of the queue comes back with it. */
  async *waitingHosts(size = 1_000): AsyncGenerator<HostOffer[]> {
    for (let after = ''; ; ) {
      const rows = await this.#db.rows<{ host: string; ms: number }>(
        `SELECT host, min(due_at) - ${this.#db.now} AS ms FROM agents
         WHERE state = 'waiting' AND host > $1 GROUP BY host ORDER BY host LIMIT $2`,
        [after, size],
      )
      if (rows.length > 0) yield rows.map(({ host, ms }) => ({ host, afterMs: Math.max(0, ms) }))
      const last = rows.at(-1)
      if (last === undefined || rows.length < size) return
      after = last.host
    }
  }
}

function attemptOf(row: AgentRow): Attempt {
  const settings = JSON.parse(row.settings) as FleetSettings
  const entry = JSON.parse(row.entry) as Attempt['entry'] & { profile?: Profile }
  const profile = entry.profile ?? settings.profile
  const day = Math.floor(row.now / DAY_MS)
  const left = Math.max(0, settings.turnsPerDay - (row.turns_day === day ? row.turns : 0))
  return {
    ...{ fleet: row.fleet, id: row.id, run: row.run, url: row.url, origin: row.origin, entry, profile, settings },
    attempt: row.attempts + 1,
    turns: profile === 'quick' ? Math.min(QUICK_TURNS, left) : left,
    silent: row.silent,
  }
}
