// Connections to PostgreSQL: opening with one clear sentence when that fails, deadlines on everything, and the line
// between "the database is away" and a mistake of ours.

import type { Pool, PoolConfig, QueryResultRow } from 'pg'
import { EXIT, ParleyError } from '../../../model/errors.ts'
import { STEP_WITHIN_MS, withinDeadline } from '../../store/deadline.ts'
import { unavailable } from '../../store/unavailable.ts'
import { type StartOptions, waitForStart } from '../../store/wait-for-start.ts'
import { SharedUse, type StoreSync } from '../backend.ts'
import { loadPg } from './driver.ts'
import { migrate } from './schema.ts'

export interface PostgresOptions extends StartOptions {
  /** The schema that holds Parley's tables. */
  readonly schema?: string
  readonly maxConnections?: number
  readonly statementTimeoutMs?: number
  /** How long after the death of this process others have ended its running tasks; see ../lease.ts. */
  readonly leaseMs?: number
  /** See ../backend.ts. */
  readonly sync?: StoreSync
}

const SCHEMA = 'parley'
const MAX_CONNECTIONS = 10
/**
 * Every statement here looks for a few rows by an index. A plan is kept for as long as its connection; one that was made
 * while the tables were empty must not read them from end to end when they are full.
 */
const BY_INDEX = '-c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off'

export class Database {
  readonly #pool: Pool
  readonly #names = new Map<string, string>()
  readonly #use = new SharedUse(() => this.close())
  #isClosed = false

  private constructor(pool: Pool) {
    this.#pool = pool
    // Connections that break are replaced on demand; one without a listener would end the process, and the pool
    // listens only to those that are idle.
    pool.on('error', () => {})
    pool.on('connect', (client) => client.on('error', () => {}))
  }

  static async open(url: string, options: PostgresOptions = {}): Promise<Database> {
    const { Pool } = await loadPg()
    const database = new Database(new Pool(poolConfig(url, options)))
    try {
      await waitForStart(() => database.#prepare(options.schema ?? SCHEMA), isAway, options)
      if (options.sync === 'full') await database.#checkSync(url)
      return database
    } catch (error) {
      await database.close()
      throw error instanceof ParleyError ? error : unusable(url, error)
    }
  }

  async #prepare(schema: string): Promise<void> {
    const client = await this.#pool.connect()
    try {
      await migrate(client, schema)
    } finally {
      client.release()
    }
  }

  /** Whether a commit waits for the disk is the database's own setting. */
  async #checkSync(url: string): Promise<void> {
    const [row] = await this.rows<{ sync: string; fsync: string }>(
      `SELECT current_setting('synchronous_commit') AS sync, current_setting('fsync') AS fsync`,
      [],
    )
    if (row?.sync !== 'off' && row?.fsync !== 'off') return
    const setting = row.fsync === 'off' ? 'fsync' : 'synchronous_commit'
    throw new ParleyError(
      'store-volatile',
      `PostgreSQL at ${URL.parse(url)?.host ?? ''} does not wait for the disk (${setting} is off).`,
      { hint: `Set "${setting} = on" in PostgreSQL, or leave out --store-sync full.` },
    )
  }

  /** Rejects with A2AError Unavailable for whatever is the database's trouble; see `runOnce` for writes. */
  async rows<R extends QueryResultRow>(sql: string, values: readonly unknown[]): Promise<R[]> {
    return this.#tryTwice(() => this.runOnce<R>(sql, values))
  }

  /** Like `rows`, but after all others that were called with the same name: a count misses none of their inserts. */
  async rowsOneByOne<R extends QueryResultRow>(name: string, sql: string, values: readonly unknown[]): Promise<R[]> {
    return this.#tryTwice(async () => {
      const client = await this.#pool.connect()
      try {
        await client.query('BEGIN')
        await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [name])
        const result = await client.query<R>({ name: this.#nameOf(sql), text: sql, values: [...values] })
        await client.query('COMMIT')
        client.release()
        return result.rows
      } catch (error) {
        // Closing the connection also ends its transaction.
        client.release(true)
        throw error
      }
    })
  }

  /** The driver's own error, for those who must know whether to try again. */
  async runOnce<R extends QueryResultRow>(sql: string, values: readonly unknown[]): Promise<R[]> {
    const result = await this.#pool.query<R>({ name: this.#nameOf(sql), text: sql, values: [...values] })
    return result.rows
  }

  #tryTwice<T>(work: () => Promise<T>): Promise<T> {
    return withinDeadline(async (isLate) => {
      try {
        return await work()
      } catch (error) {
        if (!isBroken(error) || this.#isClosed || isLate()) throw unavailable(error)
      }
      // The pool may hold connections that died unnoticed; one more try gets a fresh one.
      try {
        return await work()
      } catch (error) {
        throw unavailable(error)
      }
    })
  }

  enter(): () => Promise<void> {
    return this.#use.enter()
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    await this.#pool.end()
  }

  /** Prepared once per connection and text. */
  #nameOf(sql: string): string {
    let name = this.#names.get(sql)
    if (name === undefined) {
      name = `parley_${this.#names.size}`
      this.#names.set(sql, name)
    }
    return name
  }
}

export function poolConfig(url: string, options: PostgresOptions): PoolConfig {
  const parsed = URL.parse(url)
  if (parsed === null || parsed.hostname === '' || parsed.pathname.length < 2) {
    throw new ParleyError(
      'bad-store-url',
      'A PostgreSQL store is written postgres://user:password@host:port/database.',
      {
        exitCode: EXIT.usage,
      },
    )
  }
  const statementTimeoutMs = options.statementTimeoutMs ?? STEP_WITHIN_MS
  return {
    connectionString: url,
    max: options.maxConnections ?? MAX_CONNECTIONS,
    // Also the longest wait for a free connection: in an outage requests do not pile up.
    connectionTimeoutMillis: STEP_WITHIN_MS,
    // The server stops a slow statement; the client stops waiting when not even that answer comes.
    statement_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs,
    keepAlive: true,
    application_name: 'parley',
    options: `-c search_path=${options.schema ?? SCHEMA} ${BY_INDEX}`,
  }
}

/** SQLSTATE classes for "not now": connection, resources, intervention; and a primary that became a replica. */
const AWAY_STATES = /^(08|53|57)|^25006$/

export function isAway(error: unknown): boolean {
  const code = codeOf(error)
  if (code === undefined) return error instanceof Error && /timeout|terminated|closed|ended/i.test(error.message)
  return AWAY_STATES.test(code) || /^E[A-Z]+$/.test(code)
}

/** A connection that broke in use, where a fresh one may do; not one that cannot be had or does not answer. */
export function isBroken(error: unknown): boolean {
  return (
    isAway(error) && codeOf(error) !== 'ECONNREFUSED' && !(error instanceof Error && /timeout/i.test(error.message))
  )
}

export function isUniqueViolation(error: unknown): boolean {
  return codeOf(error) === '23505'
}

function codeOf(error: unknown): string | undefined {
  if (error instanceof AggregateError) return codeOf(error.errors[0])
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

/** Names host and database, never the password. */
export function unusable(url: string, cause: unknown): ParleyError {
  const { host = '', pathname = '' } = URL.parse(url) ?? {}
  const code = codeOf(cause)
  const database = decodeURIComponent(pathname.slice(1))
  if (code === '28P01' || code === '28000') {
    return new ParleyError('store-refused', `PostgreSQL at ${host} refused the user or password.`, { cause })
  }
  if (code === '3D000') {
    return new ParleyError('store-refused', `PostgreSQL at ${host} has no database "${database}"; create it.`, {
      cause,
    })
  }
  if (code === '42501') {
    const message = `The user may not create tables in "${database}" at ${host}; grant CREATE on the database.`
    return new ParleyError('store-refused', message, { cause })
  }
  const reason = code ?? (cause instanceof Error ? cause.message : String(cause))
  return new ParleyError('store-unavailable', `PostgreSQL at ${host} cannot be reached (${reason}).`, {
    exitCode: EXIT.unreachable,
    cause,
  })
}
