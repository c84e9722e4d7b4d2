// The links of a proxy in the SQLite file of its tasks.

import type { StatementSync } from 'node:sqlite'
import { keyText, nameIn } from '../../../model/key-text.ts'
import type { Scope } from '../../../model/scope.ts'
import type { LinkedIds, LinkStore } from '../../store/link-store.ts'
import type { SqliteFile } from './database.ts'

const TASK = 'SELECT ours, ours_context, theirs, theirs_context FROM proxy_tasks'

/** Synchronous like its driver: a link that was forgotten is found without giving up the turn. */
export class SqliteLinks implements LinkStore {
  readonly #file: SqliteFile
  readonly #leave: () => Promise<void>

  constructor(file: SqliteFile) {
    this.#file = file
    this.#leave = file.enter()
  }

  saveTask({ scope, taskId, contextId, downstreamTaskId, downstreamContextId }: LinkedIds): void {
    this.#run(
      `INSERT INTO proxy_tasks (scope, ours, ours_context, theirs, theirs_context) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET ours_context = excluded.ours_context, theirs = excluded.theirs,
         theirs_context = excluded.theirs_context`,
      ...[keyOf(scope), keyText(taskId), keyText(contextId), keyText(downstreamTaskId)],
      downstreamContextId === undefined ? null : keyText(downstreamContextId),
    )
  }

  task(scope: Scope, taskId: string): LinkedIds | undefined {
    return toIds(scope, this.#get(`${TASK} WHERE scope = ? AND ours = ?`, keyOf(scope), keyText(taskId)))
  }

  /** The last task of ours: an agent may use the name of an ended task again. */
  taskOfAgent(scope: Scope, theirs: string): LinkedIds | undefined {
    const sql = `${TASK} WHERE scope = ? AND theirs = ? ORDER BY rowid DESC LIMIT 1`
    return toIds(scope, this.#get(sql, keyOf(scope), keyText(theirs)))
  }

  saveContext(scope: Scope, ours: string, theirs: string): void {
    this.#run(
      `INSERT INTO proxy_contexts (scope, ours, theirs) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET theirs = excluded.theirs`,
      ...[keyOf(scope), keyText(ours), keyText(theirs)],
    )
  }

  contextOfAgent(scope: Scope, theirs: string): string | undefined {
    const sql = 'SELECT ours FROM proxy_contexts WHERE scope = ? AND theirs = ? ORDER BY rowid LIMIT 1'
    return textOf(this.#get(sql, keyOf(scope), keyText(theirs))?.ours)
  }

  agentContext(scope: Scope, ours: string): string | undefined {
    const sql = 'SELECT theirs FROM proxy_contexts WHERE scope = ? AND ours = ?'
    return textOf(this.#get(sql, keyOf(scope), keyText(ours))?.theirs)
  }

  close(): Promise<void> {
    return this.#leave()
  }

  #run(sql: string, ...values: (string | null)[]): void {
    this.#file.run(sql, ...values)
  }

  #get(sql: string, ...values: string[]): Row | undefined {
    return this.#file.get(sql, ...values)
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
  return typeof value === 'string' ? nameIn(value) : undefined
}
