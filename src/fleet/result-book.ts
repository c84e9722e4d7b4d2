// The books as a reader sees them: which fleets there are, how far a run is, and every agent with its newest result as of
// any time. Agents come in pieces, so that a fleet of a million can be exported.

import { gunzipSync } from 'node:zlib'
import { EXIT, ParleyError } from '../model/errors.ts'
import { didYouMean } from '../yaml/did-you-mean.ts'
import { entryOf, idOf, type Profile } from './agent-entry.ts'
import type { FleetDatabase } from './database.ts'
import type { Outcome } from './outcome.ts'
import type { FleetSettings } from './settings.ts'

export interface StoredResult {
  readonly run: string
  /** Milliseconds since 1970, by the database's clock. */
  readonly at: number
  readonly outcome: Outcome
  readonly stage: number
  readonly level: string
  readonly kept: number
  readonly measured: number
  readonly exitCode: number
  readonly attempts: number
  readonly turns: number
  readonly durationMs: number
  readonly message: string
  readonly name: string
}

export interface FleetAgent {
  readonly id: string
  readonly url: string
  readonly origin: string
  readonly labels: Readonly<Record<string, string>>
  readonly profile: Profile
  /** waiting, done, opted-out. */
  readonly state: string
  readonly dueAt: number
  /** Results in a row without an answer. */
  readonly silent: number
  /** Attempts of the run that is under way. */
  readonly attempts: number
  readonly result?: StoredResult
}

export interface FleetInfo {
  readonly name: string
  readonly source: string
  readonly run: string
  readonly settings: FleetSettings
}

const RESULT = `r.run AS r_run, r.at, r.outcome, r.stage, r.level, r.kept, r.measured, r.exit_code, r.attempts AS r_attempts,
  r.turns AS r_turns, r.duration_ms, r.message, r.name`

interface ResultRow {
  r_run: string | null
  at: number
  outcome: Outcome
  stage: number
  level: string
  kept: number
  measured: number
  exit_code: number
  r_attempts: number
  r_turns: number
  duration_ms: number
  message: string
  name: string
}

interface AgentRow extends ResultRow {
  id: string
  url: string
  origin: string
  entry: string
  state: string
  due_at: number
  silent: number
  attempts: number
}

const PIECE = 1_000

export class ResultBook {
  readonly #db: FleetDatabase

  constructor(db: FleetDatabase) {
    this.#db = db
  }

  /** The fleet of that name; the only one there is without it. */
  async fleet(name: string | undefined): Promise<FleetInfo> {
    const rows = await this.#db.rows<Omit<FleetInfo, 'settings'> & { settings: string }>(
      'SELECT name, source, run, settings FROM fleets ORDER BY name',
    )
    const names = rows.map((row) => row.name)
    const found = name === undefined && rows.length === 1 ? rows[0] : rows.find((row) => row.name === name)
    if (found !== undefined) return { ...found, settings: JSON.parse(found.settings) as FleetSettings }
    if (rows.length === 0) throw usage('There is no fleet in this store yet; parley fleet run creates one.')
    if (name === undefined)
      throw usage(`There are several fleets in this store; choose with --name: ${names.join(', ')}.`)
    throw usage(
      `There is no fleet '${name}' in this store${didYouMean(name, names) || `; it has ${names.join(', ')}.`}`,
    )
  }

  async now(): Promise<number> {
    const [row] = await this.#db.rows<{ now: number }>(`SELECT ${this.#db.now} AS now`)
    return row?.now ?? 0
  }

  /** How many agents of a run have their result, and how many wait. */
  async progress(fleet: string, run: string): Promise<{ done: number; waiting: number }> {
    const [row] = await this.#db.rows<{ done: number; waiting: number }>(
      `SELECT (SELECT count(*) FROM results WHERE fleet = $1 AND run = $2) AS done,
         (SELECT count(*) FROM agents WHERE fleet = $1 AND run = $2 AND state = 'waiting') AS waiting`,
      [fleet, run],
    )
    return row ?? { done: 0, waiting: 0 }
  }

  /** Whether no agent of any fleet is due. */
  async isIdle(): Promise<boolean> {
    const due = await this.#db.rows(
      `SELECT 1 AS one FROM agents WHERE state = 'waiting' AND due_at <= ${this.#db.now} LIMIT 1`,
    )
    return due.length === 0
  }

  /** The exit codes of a run, with how many agents each. */
  async exitCodes(fleet: string, run: string): Promise<Map<number, number>> {
    const rows = await this.#db.rows<{ exit_code: number; agents: number }>(
      'SELECT exit_code, count(*) AS agents FROM results WHERE fleet = $1 AND run = $2 GROUP BY exit_code',
      [fleet, run],
    )
    return new Map(rows.map(({ exit_code, agents }) => [exit_code, agents]))
  }

  /** Every listed agent with its newest result, or the newest as of a time; in the order of their ids. */
  async *agents(fleet: string, asOf: number = Number.MAX_SAFE_INTEGER): AsyncGenerator<FleetAgent> {
    const { settings } = await this.fleet(fleet)
    for (let after = ''; ; ) {
      const rows = await this.#db.rows<AgentRow>(
        `SELECT a.id, a.url, a.origin, a.entry, a.state, a.due_at, a.silent, a.attempts, ${RESULT}
         FROM agents a LEFT JOIN results r ON r.fleet = a.fleet AND r.agent = a.id AND r.at =
           (SELECT max(x.at) FROM results x WHERE x.fleet = a.fleet AND x.agent = a.id AND x.at <= CAST($2 AS bigint))
         WHERE a.fleet = $1 AND a.state <> 'unlisted' AND a.id > $3 ORDER BY a.id LIMIT ${PIECE}`,
        [fleet, asOf, after],
      )
      for (const row of rows) yield agentOf(row, settings)
      const last = rows.at(-1)
      if (last === undefined || rows.length < PIECE) return
      after = last.id
    }
  }

  /** The results of one agent, newest first. */
  async history(fleet: string, id: string, limit = 100): Promise<StoredResult[]> {
    const rows = await this.#db.rows<ResultRow>(
      `SELECT ${RESULT} FROM results r WHERE fleet = $1 AND agent = $2 ORDER BY at DESC LIMIT ${limit}`,
      [fleet, id],
    )
    return rows.map(resultOf)
  }

  /** Every result since a time, for all agents, in pieces of one agent each. */
  async *histories(fleet: string, since: number): AsyncGenerator<{ id: string; results: StoredResult[] }> {
    for (let after = ''; ; ) {
      const rows = await this.#db.rows<ResultRow & { agent: string }>(
        `SELECT r.agent, ${RESULT} FROM results r WHERE fleet = $1 AND at >= CAST($2 AS bigint) AND agent IN
           (SELECT id FROM agents WHERE fleet = $1 AND id > $3 ORDER BY id LIMIT ${PIECE})
         ORDER BY r.agent, at`,
        [fleet, since, after],
      )
      for (const [id, own] of Map.groupBy(rows, ({ agent }) => agent)) yield { id, results: own.map(resultOf) }
      const [last] = await this.#db.rows<{ id: string }>(
        `SELECT max(id) AS id FROM (SELECT id FROM agents WHERE fleet = $1 AND id > $2 ORDER BY id LIMIT ${PIECE}) AS piece`,
        [fleet, after],
      )
      if (last?.id === undefined || last.id === null) return
      after = last.id
    }
  }

  /** One agent by its address or its id. */
  async agent(fleet: string, given: string): Promise<{ id: string; url: string }> {
    const entry = entryOf(given, { mayNameCredentials: false })
    const url = typeof entry === 'string' ? given : entry.url
    const [found] = await this.#db.rows<{ id: string; url: string }>(
      'SELECT id, url FROM agents WHERE fleet = $1 AND (id = $2 OR id = $3 OR url = $4)',
      [fleet, given, idOf(url), url],
    )
    if (found !== undefined) return found
    throw usage(`There is no agent ${given} in the fleet '${fleet}'; parley fleet results lists them.`)
  }

  /** The text of the newest run record of an agent, or of one run. */
  async record(fleet: string, id: string, run?: string): Promise<string | undefined> {
    const [row] = await this.#db.rows<{ record: Uint8Array | null }>(
      `SELECT record FROM results WHERE fleet = $1 AND agent = $2 AND record IS NOT NULL ${run === undefined ? '' : 'AND run = $3'}
       ORDER BY at DESC LIMIT 1`,
      run === undefined ? [fleet, id] : [fleet, id, run],
    )
    return row?.record === null || row === undefined ? undefined : gunzipSync(row.record).toString('utf8')
  }

  /** Hosts that want to be left alone, and for how long still. */
  async pausedHosts(): Promise<{ origin: string; ms: number; reason: string }[]> {
    return this.#db.rows(
      `SELECT origin, until - ${this.#db.now} AS ms, reason FROM hosts WHERE until > ${this.#db.now} ORDER BY until DESC LIMIT 100`,
    )
  }
}

function agentOf(row: AgentRow, settings: FleetSettings): FleetAgent {
  const { labels = {}, profile } = JSON.parse(row.entry) as Partial<Pick<FleetAgent, 'labels' | 'profile'>>
  return {
    ...{ id: row.id, url: row.url, origin: row.origin, labels, profile: profile ?? settings.profile, state: row.state },
    ...{ dueAt: row.due_at, silent: row.silent, attempts: row.attempts },
    ...(row.r_run === null ? {} : { result: resultOf(row) }),
  }
}

function resultOf(row: ResultRow): StoredResult {
  return {
    ...{ run: row.r_run ?? '', at: row.at, outcome: row.outcome, stage: row.stage, level: row.level, kept: row.kept },
    ...{ measured: row.measured, exitCode: row.exit_code, attempts: row.r_attempts, turns: row.r_turns },
    ...{ durationMs: row.duration_ms, message: row.message, name: row.name },
  }
}

function usage(message: string): ParleyError {
  return new ParleyError('usage', message, { exitCode: EXIT.usage })
}
