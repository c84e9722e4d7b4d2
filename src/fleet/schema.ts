// The tables of a fleet's books and how a database gets them: forward only, in one transaction with their version. A
// database of a newer Parley is refused before anything is written.

import { EXIT, ParleyError } from '../model/errors.ts'
import type { FleetDatabase, Sql } from './database.ts'

/**
 * The work itself has a version, too: a worker leaves alone what a newer Parley put there and it would not understand.
 * It rises when an entry or a setting gets a meaning that must not be overlooked.
 */
export const WORK_FORMAT = 1

function migrations({ blob }: FleetDatabase): readonly string[][] {
  return [
    [
      `CREATE TABLE fleets (
         name text PRIMARY KEY, source text NOT NULL, format bigint NOT NULL, parley text NOT NULL,
         settings text NOT NULL, list bigint NOT NULL, run text NOT NULL, created_at bigint NOT NULL
       )`,
      // host: what is leased, the origin or one of its lanes. silent: results in a row without an answer.
      `CREATE TABLE agents (
         fleet text NOT NULL, id text NOT NULL, url text NOT NULL, origin text NOT NULL, host text NOT NULL,
         entry text NOT NULL, list bigint NOT NULL, state text NOT NULL, run text NOT NULL, due_at bigint NOT NULL,
         attempts bigint NOT NULL, silent bigint NOT NULL, turns_day bigint NOT NULL, turns bigint NOT NULL,
         PRIMARY KEY (fleet, id)
       )`,
      `CREATE INDEX agents_waiting ON agents (host, due_at) WHERE state = 'waiting'`,
      `CREATE INDEX agents_of_run ON agents (fleet, run) WHERE state = 'waiting'`,
      // The idempotency key of a result is its primary key.
      `CREATE TABLE results (
         fleet text NOT NULL, agent text NOT NULL, run text NOT NULL, at bigint NOT NULL, outcome text NOT NULL,
         stage bigint NOT NULL, level text NOT NULL, kept bigint NOT NULL, measured bigint NOT NULL,
         exit_code bigint NOT NULL, attempts bigint NOT NULL, turns bigint NOT NULL, duration_ms bigint NOT NULL,
         message text NOT NULL, name text NOT NULL, worker text NOT NULL, record ${blob},
         PRIMARY KEY (fleet, agent, run)
       )`,
      `CREATE INDEX results_by_time ON results (fleet, agent, at)`,
      `CREATE INDEX results_of_run ON results (fleet, run)`,
      `CREATE TABLE hosts (
         origin text PRIMARY KEY, until bigint NOT NULL, refusals bigint NOT NULL, reason text NOT NULL
       )`,
      // Only the embedded engine uses it.
      `CREATE TABLE host_queue (
         host text PRIMARY KEY, after bigint NOT NULL, token text NOT NULL, lease_until bigint NOT NULL
       )`,
      `CREATE INDEX host_queue_by_time ON host_queue (after)`,
      // host: an origin or one of its lanes. after: when it may be asked again.
      `CREATE TABLE host_holds (
         host text PRIMARY KEY, token text NOT NULL, until bigint NOT NULL, after bigint NOT NULL
       )`,
      `CREATE INDEX host_holds_by_token ON host_holds (token) WHERE token <> ''`,
    ],
  ]
}

export async function migrate(db: FleetDatabase, where: string): Promise<void> {
  const steps = migrations(db)
  await db.rows('CREATE TABLE IF NOT EXISTS fleet_schema (one bigint PRIMARY KEY, version bigint NOT NULL)')
  await db.transaction(async (sql) => {
    // The row is also the lock under which workers that start together wait for each other.
    await sql.rows('INSERT INTO fleet_schema (one, version) VALUES (1, 0) ON CONFLICT DO NOTHING')
    await sql.rows('UPDATE fleet_schema SET version = version WHERE one = 1')
    const version = await versionOf(sql)
    if (version > steps.length) throw tooNew(where, version, steps.length)
    for (const step of steps.slice(version)) for (const statement of step) await sql.rows(statement)
    await sql.rows('UPDATE fleet_schema SET version = $1 WHERE one = 1', [steps.length])
  })
}

async function versionOf(sql: Sql): Promise<number> {
  const [row] = await sql.rows<{ version: number }>('SELECT version FROM fleet_schema WHERE one = 1')
  return row?.version ?? 0
}

function tooNew(where: string, found: number, known: number): ParleyError {
  return new ParleyError(
    'store-too-new',
    `The fleet store ${where} was written by a newer Parley (schema ${found}, this one knows ${known}); update Parley.`,
    { exitCode: EXIT.usage },
  )
}
