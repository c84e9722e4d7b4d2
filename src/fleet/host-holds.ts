// Which run speaks to a host right now: that of one of the host's own agents, in its turn, or that of an agent elsewhere
// whose card leads there. The queue orders the turns of a host; this excludes all others until the run is over.

import type { FleetDatabase } from './database.ts'

/** When to look again at a host that is held: how long is not known. */
const LOOK_AGAIN_MS = 200

export class HostHolds {
  readonly #db: FleetDatabase
  readonly #leaseMs: number

  constructor(db: FleetDatabase, leaseMs: number) {
    this.#db = db
    this.#leaseMs = leaseMs
  }

  /** Undefined when the host is `token`'s now, else in how many milliseconds to ask again. */
  async take(host: string, token: string): Promise<number | undefined> {
    const { now } = this.#db
    const taken = await this.#db.rows(
      `INSERT INTO host_holds (host, token, until, after) VALUES ($1, $2, ${now} + CAST($3 AS bigint), 0)
       ON CONFLICT (host) DO UPDATE SET token = excluded.token, until = excluded.until
       WHERE host_holds.token = excluded.token OR (host_holds.until <= ${now} AND host_holds.after <= ${now})
       RETURNING host`,
      [host, token, this.#leaseMs],
    )
    if (taken.length > 0) return undefined
    const [row] = await this.#db.rows<{ until: number; after: number; now: number }>(
      `SELECT until, after, ${now} AS now FROM host_holds WHERE host = $1`,
      [host],
    )
    return row === undefined || row.until > row.now ? LOOK_AGAIN_MS : Math.max(1, row.after - row.now)
  }

  /** Prolongs what these have. */
  async beat(tokens: readonly string[]): Promise<void> {
    if (tokens.length === 0) return
    await this.#db.rows(
      `UPDATE host_holds SET until = ${this.#db.now} + CAST($1 AS bigint)
       WHERE token IN (${tokens.map((_, at) => `$${at + 2}`).join(', ')}) AND until > ${this.#db.now}`,
      [this.#leaseMs, ...tokens],
    )
  }

  /** Gives back all that `token` has; the hosts are left alone for their rate. */
  async release(token: string, restMs: number): Promise<void> {
    await this.#db.rows(
      `UPDATE host_holds SET token = '', until = 0, after = ${this.#db.now} + CAST($1 AS bigint) WHERE token = $2`,
      [Math.ceil(restMs), token],
    )
  }
}
