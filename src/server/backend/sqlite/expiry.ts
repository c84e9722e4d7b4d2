// Deletes tasks from a SQLite file, a little at a time. A task is first taken out of everybody's sight, with its tallies,
// push configurations and link; its events go in pieces, because a transaction that deletes fifty thousand rows keeps all
// others waiting; then goes the row itself, whose number may be used again only when nothing is left under it.

import { keyText, nameIn } from '../../../model/key-text.ts'
import type { Scope } from '../../../model/scope.ts'
import type { TaskState } from '../../../model/task.ts'
import { isTallied, tallyChanges, WHOLE } from '../../store/tally.ts'
import type { Expiry } from '../../store/task-store.ts'
import type { SqliteFile } from './database.ts'
import { AT_REST } from './schema.ts'

/** The scope of tasks that are being deleted: no caller has this number. */
const DELETED_SCOPE = -1
const EVENTS_PER_STEP = 500

export interface Hidden {
  readonly scope: Scope
  readonly id: string
}

/** Inside a transaction: hides at most `limit` tasks, and says which. */
export function hideExpired(file: SqliteFile, { before = 0, keep, limit }: Expiry): Hidden[] {
  const surplus = keep === undefined ? 0 : Math.max(0, countAtRest(file) - keep)
  const rows = file
    .statement(
      `SELECT tasks.key, id, scope, state, status_ms, changed_ms, agent, tenant, subject
       FROM tasks INDEXED BY tasks_at_rest JOIN scopes ON scopes.key = scope WHERE ${AT_REST} ORDER BY changed_ms LIMIT ?`,
    )
    .all(limit)
    .filter((row, n) => n < surplus || Number(row.changed_ms) < before)
  return rows.map((row) => {
    const scope = {
      agent: String(row.agent),
      tenant: nameIn(String(row.tenant)),
      subject: nameIn(String(row.subject)),
    }
    const id = nameIn(String(row.id))
    const at = { state: String(row.state) as TaskState, statusMs: Number(row.status_ms) }
    for (const { width, span, state } of isTallied(at.state) ? tallyChanges(undefined, at) : [])
      file
        .statement('UPDATE tallies SET tasks = tasks - 1 WHERE scope = ? AND width = ? AND span = ? AND state = ?')
        .run(Number(row.scope), width, span, state)
    const key = Number(row.key)
    // A state of work under way keeps it out of the index of what may be deleted.
    file
      .statement(
        `UPDATE tasks SET scope = ${DELETED_SCOPE}, id = 'deleted ' || key, context = NULL, state = 'TASK_STATE_UNSPECIFIED' WHERE key = ?`,
      )
      .run(key)
    file.statement('DELETE FROM push WHERE task = ?').run(key)
    const link = JSON.stringify([scope.agent, scope.tenant, scope.subject])
    file.statement('DELETE FROM proxy_tasks WHERE scope = ? AND ours = ?').run(link, keyText(id))
    return { scope, id }
  })
}

/** Inside a transaction: removes some of what hidden tasks left behind; how many rows. */
export function removeHidden(file: SqliteFile): number {
  let removed = 0
  const hidden = file.statement(`SELECT key FROM tasks WHERE scope = ${DELETED_SCOPE} LIMIT 50`).all()
  for (const { key } of hidden) {
    const task = Number(key)
    const room = EVENTS_PER_STEP - removed
    if (room <= 0) break
    const { changes } = file
      .statement(
        `DELETE FROM events WHERE task = ?1 AND seq <=
           (SELECT max(seq) FROM (SELECT seq FROM events WHERE task = ?1 ORDER BY seq LIMIT ?2))`,
      )
      .run(task, room)
    removed += Number(changes) + 1
    if (Number(changes) >= room) break
    file.statement('DELETE FROM snapshots WHERE task = ?').run(task)
    file.statement('DELETE FROM tasks WHERE key = ?').run(task)
  }
  return removed
}

function countAtRest(file: SqliteFile): number {
  return Number(file.statement(`SELECT sum(tasks) AS tasks FROM tallies WHERE width = ${WHOLE}`).get()?.tasks ?? 0)
}
