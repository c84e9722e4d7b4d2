// Writes a list into the books: which fleet it is, which run begins or goes on, which agents belong to it. A list is
// written in pieces, so its length does not matter; agents that stood in an earlier one and not in this are left alone.

import { packageVersion } from '../base/package-version.ts'
import { EXIT, ParleyError } from '../model/errors.ts'
import { type AgentEntry, idOf } from './agent-entry.ts'
import type { FleetDatabase, Sql, SqlValue } from './database.ts'
import { WORK_FORMAT } from './schema.ts'
import { type FleetSettings, isOptedOut } from './settings.ts'

export interface BegunRun {
  readonly fleet: string
  readonly run: string
  /** Which writing of the list this is. */
  readonly list: number
  /** An earlier run was not through. */
  readonly isContinued: boolean
}

export interface BeginOptions {
  readonly name: string
  readonly source: string
  readonly settings: FleetSettings
  /** The list may replace one that came from elsewhere. */
  readonly mayReplace: boolean
}

interface FleetRow {
  source: string
  format: number
  parley: string
  list: number
  run: string
}

export async function beginRun(db: FleetDatabase, options: BeginOptions): Promise<BegunRun> {
  const { name, source, settings, mayReplace } = options
  return db.transaction(async (sql) => {
    const [known] = await sql.rows<FleetRow>('SELECT source, format, parley, list, run FROM fleets WHERE name = $1', [
      name,
    ])
    if (known !== undefined) checkFleet(known, name, source, mayReplace)
    const isContinued = known !== undefined && (await hasWaiting(sql, name, known.run))
    const run = isContinued ? known.run : await newRun(sql, db.now, known?.run)
    const list = (known?.list ?? 0) + 1
    await sql.rows(
      `INSERT INTO fleets (name, source, format, parley, settings, list, run, created_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, ${db.now})
       ON CONFLICT (name) DO UPDATE SET source = excluded.source, format = excluded.format, parley = excluded.parley,
         settings = excluded.settings, list = excluded.list, run = excluded.run`,
      [name, source, WORK_FORMAT, packageVersion(), JSON.stringify(settings), list, run],
    )
    return { fleet: name, run, list, isContinued }
  })
}

function checkFleet(known: FleetRow, name: string, source: string, mayReplace: boolean): void {
  if (known.format > WORK_FORMAT) throw tooNewFleet(name, known.parley)
  if (known.source === source || mayReplace) return
  throw new ParleyError(
    'fleet-exists',
    `There is a fleet '${name}' in this store already, from ${known.source}; give this one another name with --name.`,
    { exitCode: EXIT.usage, hint: 'If it is the same fleet and only its list has moved, use --replace-list.' },
  )
}

export function tooNewFleet(name: string, parley: string): ParleyError {
  return new ParleyError(
    'fleet-too-new',
    `The fleet '${name}' was written by Parley ${parley}, which asks for work this Parley ${packageVersion()} does not understand; update Parley on this machine.`,
    { exitCode: EXIT.usage },
  )
}

async function hasWaiting(sql: Sql, fleet: string, run: string): Promise<boolean> {
  const found = await sql.rows(
    `SELECT 1 AS one FROM agents WHERE fleet = $1 AND run = $2 AND state = 'waiting' LIMIT 1`,
    [fleet, run],
  )
  return found.length > 0
}

/** Named by its time, and later than the one before, also within a millisecond and after a clock that was set back. */
async function newRun(sql: Sql, now: string, before: string | undefined): Promise<string> {
  const [row] = await sql.rows<{ ms: number }>(`SELECT ${now} AS ms`)
  const earliest = before === undefined ? 0 : Date.parse(before) + 1
  return new Date(Math.max(row?.ms ?? 0, earliest)).toISOString()
}

/** How many of a piece were new to this list; the others stood in it before. */
export async function addAgents(
  db: FleetDatabase,
  begun: BegunRun,
  settings: FleetSettings,
  { entries, asksAll }: { entries: readonly AgentEntry[]; asksAll: boolean },
): Promise<number> {
  const unique = new Map(entries.map((entry) => [idOf(entry.url), entry]))
  if (unique.size === 0) return 0
  const values: SqlValue[] = [begun.fleet, begun.list, begun.run, asksAll ? 1 : 0]
  const rows = [...unique].map(([id, entry]) => {
    const at = values.length
    values.push(
      id,
      entry.url,
      entry.origin,
      hostOf(id, entry.origin, settings),
      entryText(entry),
      stateOf(entry, settings),
    )
    const own = [1, 2, 3, 4, 5, 6].map((n) => `$${at + n}`)
    return `($1, ${own.slice(0, 5).join(', ')}, CAST($2 AS bigint), ${own[5]}, $3, ${db.now}, 0, 0, 0, 0)`
  })
  // An agent that did not answer lately keeps resting; one of this run keeps what it has.
  const rests = `(agents.silent > 0 AND agents.due_at > ${db.now} AND CAST($4 AS bigint) = 0)`
  const keeps = `(agents.state <> 'unlisted' AND excluded.state = 'waiting' AND (agents.run = excluded.run OR ${rests}))`
  const kept = (column: string) => `${column} = CASE WHEN ${keeps} THEN agents.${column} ELSE excluded.${column} END`
  const written = await db.rows(
    `INSERT INTO agents (fleet, id, url, origin, host, entry, list, state, run, due_at, attempts, silent, turns_day, turns)
     VALUES ${rows.join(', ')}
     ON CONFLICT (fleet, id) DO UPDATE SET url = excluded.url, origin = excluded.origin, host = excluded.host,
       entry = excluded.entry, list = excluded.list, ${['state', 'run', 'due_at', 'attempts'].map(kept).join(', ')}
     WHERE agents.list <> excluded.list
     RETURNING id`,
    values,
  )
  return written.length
}

/** What the list does not name any more is not asked any more; its results stay. */
export async function endListing(db: FleetDatabase, { fleet, list }: BegunRun): Promise<void> {
  await db.rows(`UPDATE agents SET state = 'unlisted' WHERE fleet = $1 AND list <> $2 AND state <> 'unlisted'`, [
    fleet,
    list,
  ])
}

/** With more than one lane, an agent always has the same one. */
function hostOf(id: string, origin: string, { hostConcurrency }: FleetSettings): string {
  if (hostConcurrency <= 1) return origin
  return `${origin}#${Number.parseInt(id.slice(0, 8), 16) % hostConcurrency}`
}

function entryText({ labels, credentials, profile, only, everyMs }: AgentEntry): string {
  return JSON.stringify({ labels, credentials, profile, only, everyMs })
}

function stateOf({ url }: AgentEntry, { optOut }: FleetSettings): string {
  return optOut.length > 0 && isOptedOut(new URL(url).hostname, optOut) ? 'opted-out' : 'waiting'
}
