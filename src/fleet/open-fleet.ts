// Turns what a person writes after --store into the books and the queue of a fleet; the code of a database is loaded when
// it is asked for.

import { existsSync } from 'node:fs'
import { EXIT, ParleyError } from '../model/errors.ts'
import type { FleetDatabase } from './database.ts'
import type { HostQueue } from './host-queue.ts'
import { migrate } from './schema.ts'

export interface FleetStore {
  readonly db: FleetDatabase
  readonly queue: HostQueue
  close(): Promise<void>
}

export interface OpenFleetOptions {
  /** Only to look into it: nothing is created. */
  readonly mustExist?: boolean
  /** Of the embedded engine, for tests. */
  readonly leaseMs?: number
}

export async function openFleet(spec: string, options: OpenFleetOptions = {}): Promise<FleetStore> {
  if (/^postgres(ql)?:\/\//.test(spec)) return openPostgres(spec)
  if (/^[a-z]+:\/\//.test(spec)) throw unknownStore(spec.split(':', 1)[0] ?? '')
  return openSqlite(spec.replace(/^sqlite:/, ''), options)
}

async function openSqlite(file: string, { mustExist = false, leaseMs }: OpenFleetOptions): Promise<FleetStore> {
  if (mustExist && !existsSync(file))
    throw new ParleyError('store-missing', `There is no fleet store ${file}; parley fleet run creates one.`, {
      exitCode: EXIT.usage,
    })
  const { SqliteDatabase } = await import('./sqlite-database.ts')
  const { SqliteQueue } = await import('./sqlite-queue.ts')
  const db = new SqliteDatabase(file)
  return opened(db, file, async () => {
    const queue = new SqliteQueue(db, leaseMs)
    if (!mustExist) await queue.freeDead()
    return queue
  })
}

async function openPostgres(url: string): Promise<FleetStore> {
  const { PostgresDatabase } = await import('./postgres-database.ts')
  const { PgBossQueue } = await import('./pg-boss-queue.ts')
  const db = await PostgresDatabase.open(url)
  return opened(db, URL.parse(url)?.host ?? 'PostgreSQL', () => PgBossQueue.open(url, db))
}

async function opened(db: FleetDatabase, where: string, open: () => Promise<HostQueue>): Promise<FleetStore> {
  try {
    await migrate(db, where)
    const queue = await open()
    return {
      db,
      queue,
      async close() {
        await queue.close()
        await db.close()
      },
    }
  } catch (error) {
    await db.close()
    throw error
  }
}

function unknownStore(scheme: string): ParleyError {
  return new ParleyError('unknown-store', `A fleet cannot be stored in "${scheme}".`, {
    exitCode: EXIT.usage,
    hint: 'Stores are: the path of a SQLite file, or postgres://user:password@host:port/database.',
  })
}
