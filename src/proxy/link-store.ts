// Links on disk, in the SQLite file of the task store and over a connection of its own: which task and context of ours
// is which of the agent's survives the process. Nothing here is ever part of an answer.

import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Scope } from '../model/scope.ts'
import { asUnavailable, openDatabase } from '../server/store/sqlite/database.ts'
import { Patience } from '../server/store/sqlite/patience.ts'

/** One task under both its names. */
export interface LinkedIds {
  readonly scope: Scope
  readonly taskId: string
  readonly contextId: string
  readonly downstreamTaskId: string
  readonly downstreamContextId: string | undefined
}

const TABLES = `
  CREATE TABLE IF NOT EXISTS proxy_tasks (
    scope TEXT NOT NULL,
    ours TEXT NOT NULL,
    ours_context TEXT NOT NULL,
    theirs TEXT NOT NULL,
    theirs_context TEXT,
    PRIMARY KEY (scope, ours)
  ) STRICT;
  CREATE INDEX IF NOT EXISTS proxy_tasks_theirs ON proxy_tasks (scope, theirs);
  CREATE TABLE IF NOT EXISTS proxy_contexts (
    scope TEXT NOT NULL,
    ours TEXT NOT NULL,
    theirs TEXT NOT NULL,
    PRIMARY KEY (scope, ours)
  ) STRICT;
  CREATE INDEX IF NOT EXISTS proxy_contexts_theirs ON proxy_contexts (scope, theirs);`

const TASK = 'SELECT ours, ours_context, theirs, theirs_context FROM proxy_tasks'

/** Synchronous like its driver: a link that was forgotten is found without giving up the turn. */
export class LinkStore {
  readonly #db: DatabaseSync
  readonly #patience: Patience
  readonly #statements = new Map<string, StatementSync>()

  private constructor(db: DatabaseSync, path: string) {
    this.#db = db
    this.#patience = new Patience(db, path)
  }

  static open(path: string): LinkStore {
    const db = openDatabase(path)
    db.exec(TABLES)
    return new LinkStore(db, path)
  }

  saveTask({ scope, taskId, contextId, downstreamTaskId, downstreamContextId }: LinkedIds): void {
    this.#run(
      `INSERT INTO proxy_tasks (scope, ours, ours_context, theirs, theirs_context) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET ours_context = excluded.ours_context, theirs = excluded.theirs,
         theirs_context = excluded.theirs_context`,
      ...[keyOf(scope), taskId, contextId, downstreamTaskId, downstreamContextId ?? null],
    )
  }

  task(scope: Scope, taskId: string): LinkedIds | undefined {
    return toIds(scope, this.#get(`${TASK} WHERE scope = ? AND ours = ?`, keyOf(scope), taskId))
  }

  /** The last task of ours: an agent may use the name of an ended task again. */
  taskOfAgent(scope: Scope, theirs: string): LinkedIds | undefined {
    const sql = `${TASK} WHERE scope = ? AND theirs = ? ORDER BY rowid DESC LIMIT 1`
    return toIds(scope, this.#get(sql, keyOf(scope), theirs))
  }

  saveContext(scope: Scope, ours: string, theirs: string): void {
    this.#run(
      `INSERT INTO proxy_contexts (scope, ours, theirs) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET theirs = excluded.theirs`,
      ...[keyOf(scope), ours, theirs],
    )
  }

  contextOfAgent(scope: Scope, theirs: string): string | undefined {
    const sql = 'SELECT ours FROM proxy_contexts WHERE scope = ? AND theirs = ? ORDER BY rowid LIMIT 1'
    return textOf(this.#get(sql, keyOf(scope), theirs)?.ours)
  }

  agentContext(scope: Scope, ours: string): string | undefined {
    const sql = 'SELECT theirs FROM proxy_contexts WHERE scope = ? AND ours = ?'
    return textOf(this.#get(sql, keyOf(scope), ours)?.theirs)
  }

  close(): void {
    this.#db.close()
  }

  #run(sql: string, ...values: (string | null)[]): void {
    try {
      this.#patience.run(() => this.#statement(sql).run(...values))
    } catch (error) {
      throw asUnavailable(error)
    }
  }

  #get(sql: string, ...values: string[]): Row | undefined {
    try {
      return this.#statement(sql).get(...values)
    } catch (error) {
      throw asUnavailable(error)
    }
  }

  #statement(sql: string): StatementSync {
    let statement = this.#statements.get(sql)
    if (statement === undefined) {
      statement = this.#db.prepare(sql)
      this.#statements.set(sql, statement)
    }
    return statement
  }
}

type Row = ReturnType<StatementSync['get']>

function keyOf({ agent, tenant, subject }: Scope): string {
  return JSON.stringify([agent, tenant, subject])
}

function toIds(scope: Scope, row: Row): LinkedIds | undefined {
  const [taskId, downstreamTaskId] = [textOf(row?.ours), textOf(row?.theirs)]
  if (taskId === undefined || downstreamTaskId === undefined) return undefined
  return {
    ...{ scope, taskId, downstreamTaskId },
    contextId: textOf(row?.ours_context) ?? '',
    downstreamContextId: textOf(row?.theirs_context),
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
