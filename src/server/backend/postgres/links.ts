// The links of proxies in the PostgreSQL of their tasks; any number of proxies share them.

import { keyText, nameIn } from '../../../model/key-text.ts'
import type { Scope } from '../../../model/scope.ts'
import type { LinkedIds, LinkStore } from '../../store/link-store.ts'
import { scopeId } from '../../store/scope-id.ts'
import type { Database } from './database.ts'
import { PostgresFollows } from './follows.ts'

interface Row {
  ours: string
  ours_context: string
  theirs: string
  theirs_context: string | null
}

const TASK = 'SELECT ours, ours_context, theirs, theirs_context FROM proxy_tasks WHERE scope = $1'

export class PostgresLinks implements LinkStore {
  readonly follows: PostgresFollows
  readonly #db: Database
  readonly #leave: () => Promise<void>

  private constructor(db: Database, follows: PostgresFollows) {
    this.follows = follows
    this.#db = db
    this.#leave = db.enter()
  }

  static async open(db: Database, leaseMs?: number): Promise<PostgresLinks> {
    return new PostgresLinks(db, await PostgresFollows.open(db, leaseMs))
  }

  async saveTask({ scope, taskId, contextId, downstreamTaskId, downstreamContextId }: LinkedIds): Promise<void> {
    const theirContext = downstreamContextId === undefined ? null : keyText(downstreamContextId)
    await this.#db.rows(
      `INSERT INTO proxy_tasks (scope, ours, ours_context, theirs, theirs_context) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (scope, ours) DO UPDATE SET ours_context = excluded.ours_context, theirs = excluded.theirs,
         theirs_context = excluded.theirs_context`,
      [scopeId(scope), keyText(taskId), keyText(contextId), keyText(downstreamTaskId), theirContext],
    )
  }

  async task(scope: Scope, taskId: string): Promise<LinkedIds | undefined> {
    const [row] = await this.#db.rows<Row>(`${TASK} AND ours = $2`, [scopeId(scope), keyText(taskId)])
    return row && toIds(scope, row)
  }

  async taskOfAgent(scope: Scope, theirs: string): Promise<LinkedIds | undefined> {
    const sql = `${TASK} AND theirs = $2 ORDER BY number DESC LIMIT 1`
    const [row] = await this.#db.rows<Row>(sql, [scopeId(scope), keyText(theirs)])
    return row && toIds(scope, row)
  }

  async saveContext(scope: Scope, ours: string, theirs: string): Promise<void> {
    await this.#db.rows(
      `INSERT INTO proxy_contexts (scope, ours, theirs) VALUES ($1, $2, $3)
       ON CONFLICT (scope, ours) DO UPDATE SET theirs = excluded.theirs`,
      [scopeId(scope), keyText(ours), keyText(theirs)],
    )
  }

  async contextOfAgent(scope: Scope, theirs: string): Promise<string | undefined> {
    const sql = 'SELECT ours AS name FROM proxy_contexts WHERE scope = $1 AND theirs = $2 ORDER BY number LIMIT 1'
    return this.#name(sql, scope, theirs)
  }

  async agentContext(scope: Scope, ours: string): Promise<string | undefined> {
    return this.#name('SELECT theirs AS name FROM proxy_contexts WHERE scope = $1 AND ours = $2', scope, ours)
  }

  async close(): Promise<void> {
    await this.follows.close()
    await this.#leave()
  }

  async #name(sql: string, scope: Scope, id: string): Promise<string | undefined> {
    const [row] = await this.#db.rows<{ name: string }>(sql, [scopeId(scope), keyText(id)])
    return row && nameIn(row.name)
  }
}

function toIds(scope: Scope, row: Row): LinkedIds {
  return {
    ...{ scope, taskId: nameIn(row.ours), contextId: nameIn(row.ours_context), downstreamTaskId: nameIn(row.theirs) },
    downstreamContextId: row.theirs_context === null ? undefined : nameIn(row.theirs_context),
  }
}
