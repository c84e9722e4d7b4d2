// The queue of hosts on pg-boss: one job for each host, which may be in line or active only once, with a heartbeat. A job
// whose worker fell silent is put back in line by whichever worker supervises. Giving back is one transaction: the job is
// completed, and its successor is in line.

import type { Db, PgBoss } from 'pg-boss'
import { ParleyError } from '../model/errors.ts'
import type { FleetDatabase, Sql, SqlValue } from './database.ts'
import type { HostLease, HostOffer, HostQueue } from './host-queue.ts'

const SCHEMA = 'parley_fleet_queue'
const QUEUE = 'hosts'
/** The shortest that pg-boss takes. */
const HEARTBEAT_SECONDS = 10
const SUPERVISE_SECONDS = 2
/** A silent worker costs one of these; the books count the attempts at each agent. */
const RETRIES = 1_000_000
const A_DAY_SECONDS = 86_400

interface HostJob {
  host: string
}

export class PgBossQueue implements HostQueue {
  readonly leaseMs = HEARTBEAT_SECONDS * 1_000
  readonly #boss: PgBoss
  readonly #db: FleetDatabase

  private constructor(boss: PgBoss, db: FleetDatabase) {
    this.#boss = boss
    this.#db = db
  }

  static async open(url: string, db: FleetDatabase): Promise<PgBossQueue> {
    const { PgBoss: Boss } = await load()
    const boss = new Boss({
      connectionString: url,
      schema: SCHEMA,
      max: 3,
      application_name: 'parley-fleet-queue',
      schedule: false,
      superviseIntervalSeconds: SUPERVISE_SECONDS,
      monitorIntervalSeconds: SUPERVISE_SECONDS,
    })
    // An outage is met by whoever asks next.
    boss.on('error', () => {})
    await boss.start()
    await boss.createQueue(QUEUE, {
      policy: 'exclusive',
      heartbeatSeconds: HEARTBEAT_SECONDS,
      retryLimit: RETRIES,
      retryDelay: 0,
      expireInSeconds: A_DAY_SECONDS - 1,
      // Completed jobs say nothing that the books do not.
      deleteAfterSeconds: 60,
    })
    return new PgBossQueue(boss, db)
  }

  async offer(hosts: readonly HostOffer[]): Promise<void> {
    if (hosts.length > 0) await this.#boss.insert(QUEUE, hosts.map(jobOf))
  }

  async hurry(hosts: readonly string[]): Promise<void> {
    // pg-boss takes one at a time; its pool sees to the rest.
    const now = { startAfter: 0 }
    await Promise.all(hosts.map((host) => this.#boss.update(QUEUE, undefined, { singletonKey: host, ...now })))
  }

  async take(limit: number): Promise<HostLease[]> {
    if (limit <= 0) return []
    const jobs = await this.#boss.fetch<HostJob>(QUEUE, { batchSize: limit, includeMetadata: true })
    // The same job comes back after a silent worker, so its number of attempts tells leases apart.
    return jobs.map(({ id, data, retryCount }) => ({ host: data.host, token: `${id} ${retryCount}` }))
  }

  async beat(leases: readonly HostLease[]): Promise<ReadonlySet<string>> {
    if (leases.length === 0) return new Set()
    const attempts = leases.map(attemptOf)
    const { settled } = (await this.#boss.touch(QUEUE, attempts)) as Touched
    const ids = new Set(settled)
    return new Set(leases.map(({ token }) => token).filter((_, at) => ids.has(attempts[at]?.id ?? '')))
  }

  release(lease: HostLease, afterMs: number | undefined): Promise<boolean> {
    return this.#db.transaction(async (sql) => {
      const db = dbOf(sql)
      const { affected } = (await this.#boss.complete(QUEUE, attemptOf(lease), null, { db })) as Touched
      if (affected === 0) return false
      if (afterMs !== undefined) await this.#boss.insert(QUEUE, [jobOf({ host: lease.host, afterMs })], { db })
      return true
    })
  }

  async close(): Promise<void> {
    await this.#boss.stop({ graceful: false, close: true })
  }
}

/** What pg-boss answers; its types leave it out. */
interface Touched {
  affected: number
  settled?: string[]
}

function attemptOf({ token }: HostLease): { id: string; retryCount: number } {
  const [id = '', retryCount = ''] = token.split(' ')
  return { id, retryCount: Number(retryCount) }
}

function jobOf({ host, afterMs }: HostOffer) {
  const startAfter = Math.ceil(afterMs) / 1_000
  return { data: { host }, singletonKey: host, ...(startAfter > 0 ? { startAfter } : {}) }
}

/** pg-boss on the connection of a transaction that is under way. */
function dbOf(sql: Sql): Db {
  return {
    executeSql: async (text: string, values?: unknown[]) => ({
      rows: await sql.rows(text, (values ?? []) as SqlValue[]),
    }),
  } as Db
}

async function load(): Promise<typeof import('pg-boss')> {
  try {
    return await import('pg-boss')
  } catch (cause) {
    throw new ParleyError(
      'missing-driver',
      'A fleet in PostgreSQL needs the packages pg and pg-boss; run: npm install pg pg-boss',
      {
        cause,
      },
    )
  }
}
