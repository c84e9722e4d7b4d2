// The books in PostgreSQL, in a schema of their own, over one small pool.

import type { Pool, PoolClient } from 'pg'
import { ParleyError } from '../model/errors.ts'
import { isAway, poolConfig, unusable } from '../server/backend/postgres/database.ts'
import { loadPg } from '../server/backend/postgres/driver.ts'
import type { FleetDatabase, Sql, SqlValue } from './database.ts'

const FLEET_SCHEMA = 'parley_fleet'
const INT8 = 20
const MAX_CONNECTIONS = 4
/** Counting a large fleet reads all of it. */
const STATEMENT_MS = 60_000

export class PostgresDatabase implements FleetDatabase {
  readonly now = '(extract(epoch from clock_timestamp()) * 1000)::bigint'
  readonly blob = 'bytea'
  readonly #pool: Pool

  private constructor(pool: Pool) {
    this.#pool = pool
    pool.on('error', () => {})
    pool.on('connect', (client) => client.on('error', () => {}))
  }

  static async open(url: string): Promise<PostgresDatabase> {
    const pg = await loadPg()
    const { options: _, ...config } = poolConfig(url, {
      maxConnections: MAX_CONNECTIONS,
      statementTimeoutMs: STATEMENT_MS,
    })
    // Counts and times fit a number; the driver hands out text where they might not.
    const getTypeParser = (oid: number, format?: 'text' | 'binary') =>
      oid === INT8 ? Number : pg.types.getTypeParser(oid, format as 'text')
    const database = new PostgresDatabase(
      new pg.Pool({
        ...config,
        application_name: 'parley-fleet',
        options: `-c search_path=${FLEET_SCHEMA}`,
        types: { getTypeParser } as unknown as typeof pg.types,
      }),
    )
    try {
      await database.rows(`CREATE SCHEMA IF NOT EXISTS ${FLEET_SCHEMA}`)
      return database
    } catch (error) {
      await database.close()
      throw error instanceof ParleyError ? error : unusable(url, error)
    }
  }

  async rows<R extends object>(sql: string, values: readonly SqlValue[] = []): Promise<R[]> {
    return (await this.#pool.query<R>(sql, [...values])).rows
  }

  async transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect()
    try {
      await client.query('BEGIN')
      const result = await work(sqlOf(client))
      await client.query('COMMIT')
      client.release()
      return result
    } catch (error) {
      // Closing the connection also ends its transaction.
      client.release(true)
      throw error
    }
  }

  isAway(error: unknown): boolean {
    return isAway(error)
  }

  async close(): Promise<void> {
    await this.#pool.end()
  }
}

function sqlOf(client: PoolClient): Sql {
  return {
    rows: async <R extends object>(sql: string, values: readonly SqlValue[] = []) =>
      (await client.query<R>(sql, [...values])).rows,
  }
}
