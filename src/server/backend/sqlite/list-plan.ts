// The SQL of ListTasks. Pages are keyset ranges of the one index that fits the filter, never an offset; totals are put
// together from tallies (../tally.ts) and what little has to be counted.

import type { SQLInputValue } from 'node:sqlite'
import { keyText } from '../../../model/key-text.ts'
import type { Position } from '../../store/page-token.ts'
import { COARSE, FINE, isTallied, spansSince, WHOLE } from '../../store/tally.ts'
import type { ListQuery } from '../../store/task-store.ts'
import { UNFINISHED } from './schema.ts'

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
  if (contextId !== undefined) require('context = ?', keyText(contextId))
  if (state !== undefined) require('state = ?', state)
  if (statusAfterMs !== undefined) require('status_ms >= ?', statusAfterMs)

  // Named, because the planner has no statistics to prefer a context over a state.
  const index =
    contextId !== undefined ? 'tasks_by_context' : state !== undefined ? 'tasks_by_state' : 'tasks_by_recency'
  const from = `FROM tasks INDEXED BY ${index}`
  const isCounted = contextId === undefined && (state === undefined || isTallied(state))
  const counting = { sql: `SELECT count(*) AS total ${from} WHERE ${conditions.join(' AND ')}`, values: [...values] }
  const total = isCounted ? totalFromTallies(scope, query, index) : counting

  if (before !== undefined) require('(status_ms, created_order) < (?, ?)', before.statusMs, before.order)
  const page = `SELECT key, status_ms, created_order, snapshot_size + tail_size AS size ${from} WHERE ${conditions.join(' AND ')}
    ORDER BY status_ms DESC, created_order DESC LIMIT ?`
  return { page: { sql: page, values: [...values, pageSize + 1] }, total }
}

/** One statement, so that all its parts see the same moment. */
function totalFromTallies(scope: number, { state, statusAfterMs }: ListQuery, index: string): Query {
  const parts: string[] = []
  const values: SQLInputValue[] = []
  const isState = state === undefined ? '' : 'AND state = ?'
  const ofState = state === undefined ? [] : [state]
  const count = (by: string, condition: string, ...given: SQLInputValue[]) => {
    parts.push(`(SELECT count(*) FROM tasks INDEXED BY ${by} WHERE scope = ? AND ${condition})`)
    values.push(scope, ...given)
  }
  const tally = (spans: string, ...given: number[]) => {
    parts.push(`(SELECT coalesce(sum(tasks), 0) FROM tallies WHERE scope = ? ${isState} AND ${spans})`)
    values.push(scope, ...ofState, ...given)
  }
  if (statusAfterMs === undefined) {
    tally(`width = ${WHOLE}`)
    // With a state of tasks at rest there are none under way to be counted.
    if (state === undefined) count('tasks_by_state', UNFINISHED)
  } else {
    const { end, firstFine, lastFine, firstCoarse } = spansSince(Math.ceil(statusAfterMs))
    count(index, `status_ms >= ? AND status_ms < ? ${isState}`, statusAfterMs, end, ...ofState)
    if (state === undefined) count('tasks_by_state', `${UNFINISHED} AND status_ms >= ?`, end)
    tally(`width = ${FINE} AND span BETWEEN ? AND ?`, firstFine, lastFine)
    tally(`width = ${COARSE} AND span >= ?`, firstCoarse)
  }
  return { sql: `SELECT ${parts.join(' + ')} AS total`, values }
}
