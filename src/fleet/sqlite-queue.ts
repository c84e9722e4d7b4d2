// The queue of hosts in the SQLite file of the books: the embedded engine, for one machine. A lease that was not prolonged
// in time is anybody's.

import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { FleetDatabase } from './database.ts'
import type { HostLease, HostOffer, HostQueue } from './host-queue.ts'

const LEASE_MS = 15_000

export class SqliteQueue implements HostQueue {
  readonly leaseMs: number
  readonly #db: FleetDatabase

  constructor(db: FleetDatabase, leaseMs: number = LEASE_MS) {
    this.#db = db
    this.leaseMs = leaseMs
  }

  /** Leases of processes of this machine that are gone: they need not be waited for. */
  async freeDead(): Promise<void> {
    const held = await this.#db.rows<{ token: string }>(`SELECT token FROM host_queue WHERE token <> ''`)
    const dead = JSON.stringify(held.filter(({ token }) => isGone(token)).map(({ token }) => token))
    if (dead === '[]') return
    await this.#db.rows(
      `UPDATE host_holds SET token = '', until = 0 WHERE token IN (SELECT value FROM json_each($1)) RETURNING host`,
      [dead],
    )
    await this.#db.rows(
      `UPDATE host_queue SET token = '', lease_until = 0 WHERE token IN (SELECT value FROM json_each($1)) RETURNING host`,
      [dead],
    )
  }

  async offer(hosts: readonly HostOffer[]): Promise<void> {
    await this.#db.transaction(async (sql) => {
      for (const { host, afterMs } of hosts)
        await sql.rows(
          `INSERT INTO host_queue (host, after, token, lease_until) VALUES ($1, ${this.#db.now} + $2, '', 0)
           ON CONFLICT DO NOTHING`,
          [host, Math.round(afterMs)],
        )
    })
  }

  async hurry(hosts: readonly string[]): Promise<void> {
    await this.#db.rows(
      `UPDATE host_queue SET after = ${this.#db.now}
       WHERE host IN (SELECT value FROM json_each($1)) AND token = '' AND after > ${this.#db.now} RETURNING host`,
      [JSON.stringify(hosts)],
    )
  }

  async take(limit: number): Promise<HostLease[]> {
    if (limit <= 0) return []
    const token = `${OWNER} ${randomUUID()}`
    const rows = await this.#db.rows<{ host: string; token: string }>(
      `UPDATE host_queue SET token = $1 || ' ' || rowid, lease_until = ${this.#db.now} + $2
       WHERE host IN (SELECT host FROM host_queue WHERE after <= ${this.#db.now} AND lease_until <= ${this.#db.now}
         ORDER BY after, rowid LIMIT $3)
       RETURNING host, token`,
      [token, this.leaseMs, limit],
    )
    return rows.map(({ host, token: own }) => ({ host, token: own }))
  }

  async beat(leases: readonly HostLease[]): Promise<ReadonlySet<string>> {
    const tokens = JSON.stringify(leases.map(({ token }) => token))
    const rows = await this.#db.rows<{ token: string }>(
      `UPDATE host_queue SET lease_until = ${this.#db.now} + $1
       WHERE token IN (SELECT value FROM json_each($2)) AND lease_until > ${this.#db.now} RETURNING token`,
      [this.leaseMs, tokens],
    )
    return new Set(rows.map(({ token }) => token))
  }

  async release({ host, token }: HostLease, afterMs: number | undefined): Promise<boolean> {
    const rows =
      afterMs === undefined
        ? await this.#db.rows('DELETE FROM host_queue WHERE host = $1 AND token = $2 RETURNING host', [host, token])
        : await this.#db.rows(
            `UPDATE host_queue SET after = ${this.#db.now} + $1, token = '', lease_until = 0
             WHERE host = $2 AND token = $3 RETURNING host`,
            [Math.round(afterMs), host, token],
          )
    return rows.length > 0
  }

  async close(): Promise<void> {}
}

/** Whose lease it is; a process is only known where it runs. */
const OWNER = `${hostname()} ${process.pid}`

function isGone(token: string): boolean {
  const [where, pid] = token.split(' ')
  if (where !== hostname()) return false
  try {
    process.kill(Number(pid), 0)
    return false
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH'
  }
}
