// A page of ListTasks is bounded by the number of its tasks and by their size: a shorter page with a token for the rest
// is what a client has to expect anyway (1.0 §3.1.4).

import type { ListQuery } from './task-store.ts'

/** Of rows that were read for a page, and one more where there is one, those that make it. */
export function cutPage<Row>(
  found: readonly Row[],
  { pageSize, pageBytes = Number.POSITIVE_INFINITY }: ListQuery,
  sizeOf: (row: Row) => number,
): { rows: Row[]; hasMore: boolean } {
  const rows: Row[] = []
  let bytes = 0
  for (const row of found) {
    bytes += sizeOf(row)
    if (rows.length === pageSize || (rows.length > 0 && bytes > pageBytes)) return { rows, hasMore: true }
    rows.push(row)
  }
  return { rows, hasMore: false }
}
