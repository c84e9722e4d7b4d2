// The SQL of ListTasks. Pages are keyset ranges of the index that fits the filter, never an offset; totals come from
// the counts table where it knows them.

import { keyText } from '../key-text.ts'
import type { Position } from '../page-token.ts'
import type { ListQuery } from '../task-store.ts'

interface Query {
  sql: string
  values: (string | number)[]
}

export function listPlan(
  scope: string,
  query: ListQuery,
  before: Position | undefined,
  columns: string,
): { page: Query; total: Query } {
  const { contextId, state, statusAfterMs, pageSize } = query
  const values: (string | number)[] = [scope]
  const conditions = ['scope = $1']
  const placeholder = (value: string | number): string => `$${values.push(value)}`
  if (contextId !== undefined) conditions.push(`context = ${placeholder(keyText(contextId))}`)
  if (state !== undefined) conditions.push(`state = ${placeholder(state)}`)
  if (statusAfterMs !== undefined) conditions.push(`status_ms >= ${placeholder(Math.ceil(statusAfterMs))}`)
  const isCounted = contextId === undefined && statusAfterMs === undefined
  const counted = isCounted ? 'coalesce(sum(tasks), 0) AS total FROM counts' : 'count(*) AS total FROM tasks'
  const total: Query = { sql: `SELECT ${counted} WHERE ${conditions.join(' AND ')}`, values: [...values] }
  if (before !== undefined) {
    conditions.push(`(status_ms, created_order) < (${placeholder(before.statusMs)}, ${placeholder(before.order)})`)
  }
  const page = `SELECT ${columns} FROM tasks WHERE ${conditions.join(' AND ')}
    ORDER BY status_ms DESC, created_order DESC LIMIT ${placeholder(pageSize + 1)}`
  return { page: { sql: page, values }, total }
}
