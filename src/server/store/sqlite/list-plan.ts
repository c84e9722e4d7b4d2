// The SQL of ListTasks. Pages are keyset ranges of the one index that fits the filter, never an offset; totals come
// from the counts table where it knows them, else from a range of that same index.

import type { SQLInputValue } from 'node:sqlite'
import type { Position } from '../page-token.ts'
import type { ListQuery } from '../task-store.ts'

interface Query {
  sql: string
  values: SQLInputValue[]
}

export function listPlan(scope: number, query: ListQuery, before: Position | undefined): { page: Query; total: Query } {
  const { contextId, state, statusAfterMs, pageSize } = query
  const conditions = ['scope = ?']
  const values: SQLInputValue[] = [scope]
  const require = (condition: string, ...given: SQLInputValue[]) => {
    conditions.push(condition)
    values.push(...given)
  }
  if (contextId !== undefined) require('context = ?', contextId)
  if (state !== undefined) require('state = ?', state)
  if (statusAfterMs !== undefined) require('status_ms >= ?', statusAfterMs)

  // Named, because the planner has no statistics to prefer a context over a state.
  const index =
    contextId !== undefined ? 'tasks_by_context' : state !== undefined ? 'tasks_by_state' : 'tasks_by_recency'
  const from = `FROM tasks INDEXED BY ${index}`
  const isCounted = contextId === undefined && statusAfterMs === undefined
  const where = conditions.join(' AND ')
  const total = isCounted
    ? `SELECT sum(tasks) AS total FROM counts WHERE ${where}`
    : `SELECT count(*) AS total ${from} WHERE ${where}`
  const totalValues = [...values]

  if (before !== undefined) require('(status_ms, created_order) < (?, ?)', before.statusMs, before.order)
  const page = `SELECT key, status_ms, created_order ${from} WHERE ${conditions.join(' AND ')}
    ORDER BY status_ms DESC, created_order DESC LIMIT ?`
  return { page: { sql: page, values: [...values, pageSize + 1] }, total: { sql: total, values: totalValues } }
}
