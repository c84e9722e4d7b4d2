// The SQL of ListTasks. Pages are keyset ranges of the index that fits the filter, never an offset; totals are put
// together from tallies (../tally.ts) and what little has to be counted.

import { keyText } from '../../../model/key-text.ts'
import type { Position } from '../../store/page-token.ts'
import { COARSE, FINE, isTallied, spansSince, WHOLE } from '../../store/tally.ts'
import type { ListQuery } from '../../store/task-store.ts'
import { UNFINISHED } from './schema.ts'

type Value = string | number

interface Query {
  sql: string
  values: Value[]
}

/** `columns` are those of the rows beside their size and their snapshot. */
export function listPlan(
  scope: string,
  query: ListQuery,
  before: Position | undefined,
  columns: string,
): { page: Query; total: Query } {
  const { contextId, state, statusAfterMs, pageSize } = query
  const values: Value[] = [scope]
  const conditions = ['scope = $1']
  const placeholder = (value: Value): string => `$${values.push(value)}`
  if (contextId !== undefined) conditions.push(`context = ${placeholder(keyText(contextId))}`)
  if (state !== undefined) conditions.push(`state = ${placeholder(state)}`)
  if (statusAfterMs !== undefined) conditions.push(`status_ms >= ${placeholder(Math.ceil(statusAfterMs))}`)
  const isCounted = contextId === undefined && (state === undefined || isTallied(state))
  const counting = { sql: `SELECT count(*) AS total FROM tasks WHERE ${conditions.join(' AND ')}`, values: [...values] }
  const total = isCounted ? totalFromTallies(scope, query) : counting
  if (before !== undefined) {
    conditions.push(`(status_ms, created_order) < (${placeholder(before.statusMs)}, ${placeholder(before.order)})`)
  }
  const found = `SELECT ${columns}, snapshot, snapshot_size + tail_size AS size
    FROM tasks WHERE ${conditions.join(' AND ')} ORDER BY ${NEWEST_FIRST} LIMIT ${placeholder(pageSize + 1)}`
  const page = withinBytes(found, columns, placeholder(query.pageBytes ?? Number.MAX_SAFE_INTEGER))
  return { page: { sql: page, values }, total }
}

const NEWEST_FIRST = 'status_ms DESC, created_order DESC'

/**
 * The same rows, but without the snapshots that are too much for the page: the database reads a large text from where it
 * keeps it only for those who ask.
 */
function withinBytes(found: string, columns: string, bytes: string): string {
  return `SELECT ${columns}, size, CASE WHEN so_far = size OR so_far <= ${bytes} THEN snapshot END AS snapshot
    FROM (SELECT *, sum(size) OVER (ORDER BY ${NEWEST_FIRST} ROWS UNBOUNDED PRECEDING) AS so_far
      FROM (${found}) AS found) AS sized
    ORDER BY ${NEWEST_FIRST}`
}

/** One statement, so that all its parts see the same moment. */
function totalFromTallies(scope: string, { state, statusAfterMs }: ListQuery): Query {
  const values: Value[] = [scope]
  const placeholder = (value: Value): string => `$${values.push(value)}`
  const isState = state === undefined ? '' : `AND state = ${placeholder(state)}`
  const counted = (condition: string) => `(SELECT count(*) FROM tasks WHERE scope = $1 AND ${condition})`
  const tallied = (spans: string) =>
    `(SELECT coalesce(sum(tasks), 0) FROM tallies WHERE scope = $1 ${isState} AND ${spans})`
  // With a state of tasks at rest there are none under way to be counted.
  const underWay = (condition: string) => (state === undefined ? [counted(`${UNFINISHED} ${condition}`)] : [])
  if (statusAfterMs === undefined) {
    const parts = [tallied(`width = ${WHOLE}`), ...underWay('')]
    return { sql: `SELECT ${parts.join(' + ')} AS total`, values }
  }
  const from = Math.ceil(statusAfterMs)
  const { end, firstFine, lastFine, firstCoarse } = spansSince(from)
  const endText = placeholder(end)
  const parts = [
    counted(`status_ms >= ${placeholder(from)} AND status_ms < ${endText} ${isState}`),
    ...underWay(`AND status_ms >= ${endText}`),
    tallied(`width = ${FINE} AND span BETWEEN ${placeholder(firstFine)} AND ${placeholder(lastFine)}`),
    tallied(`width = ${COARSE} AND span >= ${placeholder(firstCoarse)}`),
  ]
  return { sql: `SELECT ${parts.join(' + ')} AS total`, values }
}
