// Which proxy follows which task, in the PostgreSQL of their tasks. Who lives is told by the table of replicas and the
// database's clock.

import { randomUUID } from 'node:crypto'
import { keyText, nameIn } from '../../../model/key-text.ts'
import type { Scope } from '../../../model/scope.ts'
import { keepLease, LEASE_MS, type LeaseKeeper } from '../../store/lease.ts'
import type { FollowClaims } from '../../store/link-store.ts'
import { scopeId } from '../../store/scope-id.ts'
import type { Database } from './database.ts'
import { CLAIM_REPLICA, FORGET_REPLICA } from './statements.ts'

const LIVES = 'EXISTS (SELECT FROM replicas WHERE id = follower AND alive_until > now())'

const CLAIM = `INSERT INTO proxy_follows (scope, ours, follower) VALUES ($1, $2, $3)
  ON CONFLICT (scope, ours) DO UPDATE SET follower = excluded.follower
  WHERE $4 OR proxy_follows.follower = excluded.follower
    OR NOT EXISTS (SELECT FROM replicas WHERE id = proxy_follows.follower AND alive_until > now())
  RETURNING 1`

export class PostgresFollows implements FollowClaims {
  readonly #db: Database
  readonly #process: string
  readonly #lease: LeaseKeeper

  private constructor(db: Database, process: string, lease: LeaseKeeper) {
    this.#db = db
    this.#process = process
    this.#lease = lease
  }

  static async open(db: Database, leaseMs: number = LEASE_MS): Promise<PostgresFollows> {
    const process = randomUUID()
    const lease = await keepLease(leaseMs, (validMs) => db.rows(CLAIM_REPLICA, [process, validMs]))
    return new PostgresFollows(db, process, lease)
  }

  get lapses(): number {
    return this.#lease.lapses
  }

  async claim(scope: Scope, taskId: string, isForced = false): Promise<boolean> {
    await this.#lease.ensureValid()
    const rows = await this.#db.rows(CLAIM, [scopeId(scope), keyText(taskId), this.#process, isForced])
    return rows.length > 0
  }

  async isOurs(scope: Scope, taskId: string): Promise<boolean> {
    await this.#lease.ensureValid()
    return this.#has('follower = $3', scope, taskId)
  }

  isTaken(scope: Scope, taskId: string): Promise<boolean> {
    return this.#has(`follower <> $3 AND ${LIVES}`, scope, taskId)
  }

  async release(scope: Scope, taskId: string): Promise<void> {
    const sql = 'DELETE FROM proxy_follows WHERE scope = $1 AND ours = $2 AND follower = $3'
    await this.#db.rows(sql, [scopeId(scope), keyText(taskId), this.#process])
  }

  async abandoned(agent: string, limit: number): Promise<readonly { scope: Scope; taskId: string }[]> {
    const rows = await this.#db.rows<Scope & { ours: string }>(
      `SELECT agent, tenant, subject, ours FROM proxy_follows JOIN scopes ON scopes.id = scope
       WHERE agent = $1 AND NOT ${LIVES} LIMIT $2`,
      [agent, limit],
    )
    return rows.map(({ tenant, subject, ours }) => ({
      scope: { agent, tenant: nameIn(tenant), subject: nameIn(subject) },
      taskId: nameIn(ours),
    }))
  }

  /** An orderly end: the others need not wait. */
  async close(): Promise<void> {
    this.#lease.stop()
    await this.#db.rows(FORGET_REPLICA, [this.#process]).catch(() => {})
  }

  async #has(condition: string, scope: Scope, taskId: string): Promise<boolean> {
    const sql = `SELECT FROM proxy_follows WHERE scope = $1 AND ours = $2 AND ${condition}`
    return (await this.#db.rows(sql, [scopeId(scope), keyText(taskId), this.#process])).length > 0
  }
}
