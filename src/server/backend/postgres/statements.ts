// The statements that write tasks, and the one that finds lost ones. A write is one transaction and one round trip: the
// row, its events and the tallies change together or not at all.

import { COARSE, FINE, type TallyChange, WHOLE } from '../../store/tally.ts'
import { AT_REST, UNFINISHED } from './schema.ts'

const TERMINAL = `('TASK_STATE_COMPLETED', 'TASK_STATE_FAILED', 'TASK_STATE_CANCELED', 'TASK_STATE_REJECTED')`
/** Out of one span and into another, in three widths. */
const MAX_CHANGES = 6
/** Which of the 16 tallies of a span this connection uses. */
const SHARD = '(pg_backend_pid() % 16)::smallint'

/** Adds so many changes once the row is `written`; their parameters begin at `first`. */
function tally(changes: number, written: string, scope: string, first: number): string {
  if (changes === 0) return ''
  const rows = Array.from({ length: changes }, (_, row) => {
    const [width, span, state, by] = [0, 1, 2, 3].map((n) => `$${first + 4 * row + n}`)
    return `(${width}::smallint, ${span}::bigint, ${state}::text, ${by}::bigint)`
  })
  return `, tallied AS (
    INSERT INTO tallies (scope, width, span, state, shard, tasks)
    SELECT ${scope}, width, span, state, ${SHARD}, change
    FROM ${written}, (VALUES ${rows.join(', ')}) AS moved (width, span, state, change)
    ON CONFLICT (scope, width, span, state, shard) DO UPDATE SET tasks = tallies.tasks + excluded.tasks
  )`
}

/** The parameters that `tally` reads. */
export function tallyValues(changes: readonly TallyChange[]): (string | number)[] {
  return changes.flatMap(({ width, span, state, by }) => [width, span, state, by])
}

function createStatement(changes: number): string {
  return `
  WITH known_scope AS (
    INSERT INTO scopes (id, agent, tenant, subject) VALUES ($2, $3, $4, $5) ON CONFLICT DO NOTHING
  ), created AS (
    INSERT INTO tasks (id, scope, context, state, status_ms, created_order, owner, seq, snapshot_seq, snapshot_size,
      tail_size, snapshot, changed_ms)
    VALUES ($1, $2, $6, $7, $8, $9, $10, 0, 0, $11, 0, $12, $13)
    ON CONFLICT (id, scope) DO NOTHING RETURNING scope
  )${tally(changes, 'created', 'scope', 14)}
  SELECT 1 FROM created`
}

function appendStatement(changes: number): string {
  return `
  WITH head AS (
    UPDATE tasks SET state = $4, status_ms = $5, changed_ms = CASE WHEN $11::bigint IS NULL THEN changed_ms ELSE $11 END, owner = $6, seq = seq + cardinality($7::text[]), tail_size = $8,
      snapshot_size = coalesce($10::integer, snapshot_size), snapshot = coalesce($9, snapshot),
      snapshot_seq = CASE WHEN $9 IS NULL THEN snapshot_seq ELSE seq + cardinality($7::text[]) END
    WHERE id = $1 AND scope = $2 AND seq = $3 AND state NOT IN ${TERMINAL}
    RETURNING key
  ), written AS (
    INSERT INTO events (task, seq, body)
    SELECT key, $3::bigint + n, body FROM head, unnest($7::text[]) WITH ORDINALITY AS given (body, n)
  )${tally(changes, 'head', '$2::uuid', 12)}
  SELECT 1 FROM head`
}

/** By the number of changes to the tallies: most writes make none, and need not pay for the question. */
export const CREATE = Array.from({ length: MAX_CHANGES + 1 }, (_, changes) => createStatement(changes))
export const APPEND = Array.from({ length: MAX_CHANGES + 1 }, (_, changes) => appendStatement(changes))

/** Steps from owner to owner in the index: asked often, and there are few owners of many running tasks. */
export const DEAD_OWNERS = `
  WITH RECURSIVE owners (id) AS (
    (SELECT owner FROM tasks WHERE ${UNFINISHED} ORDER BY owner LIMIT 1)
    UNION ALL
    SELECT (SELECT owner FROM tasks WHERE ${UNFINISHED} AND owner > owners.id ORDER BY owner LIMIT 1)
    FROM owners WHERE owners.id IS NOT NULL
  )
  SELECT id FROM owners WHERE id IS NOT NULL
    AND NOT EXISTS (SELECT FROM replicas WHERE replicas.id = owners.id AND alive_until > now())`

/**
 * Deletes tasks at rest, with everything but their events, which are many: those that changed before $1, and as many more as
 * there are above $2. Whoever else deletes at the same time takes others.
 */
export const EXPIRE = `
  WITH surplus AS (
    SELECT greatest(0, coalesce(sum(tasks), 0) - $2::bigint) AS count FROM tallies WHERE $2::bigint IS NOT NULL AND width = ${WHOLE}
  ), oldest AS (
    SELECT key, changed_ms, row_number() OVER (ORDER BY changed_ms) AS n
    FROM (SELECT key, changed_ms FROM tasks WHERE ${AT_REST} ORDER BY changed_ms LIMIT $3 FOR UPDATE SKIP LOCKED) AS found
  ), gone AS (
    DELETE FROM tasks USING oldest, surplus WHERE tasks.key = oldest.key AND (oldest.changed_ms < $1 OR n <= surplus.count)
    RETURNING tasks.key, tasks.id, tasks.scope, tasks.state, tasks.status_ms
  ), unsubscribed AS (
    DELETE FROM push USING gone WHERE push.task = gone.key
  ), unlinked AS (
    DELETE FROM proxy_tasks USING gone WHERE proxy_tasks.scope = gone.scope AND ours = gone.id
  ), remembered AS (
    INSERT INTO deleted_tasks (key) SELECT key FROM gone
  ), tallied AS (
    INSERT INTO tallies (scope, width, span, state, shard, tasks)
    SELECT gone.scope, width, status_ms >> width, state, ${SHARD}, -count(*)
    FROM gone, (VALUES (${FINE}::smallint), (${COARSE}::smallint), (${WHOLE}::smallint)) AS widths (width)
    GROUP BY gone.scope, width, status_ms >> width, state
    ON CONFLICT (scope, width, span, state, shard) DO UPDATE SET tasks = tallies.tasks + excluded.tasks
  )
  SELECT gone.id, agent, tenant, subject FROM gone JOIN scopes ON scopes.id = gone.scope`

/** Some of the events of deleted tasks. */
export const SWEEP = `
  WITH doomed AS (
    SELECT task, seq FROM deleted_tasks JOIN events ON task = key LIMIT $1
  ), swept AS (
    DELETE FROM events USING doomed WHERE events.task = doomed.task AND events.seq = doomed.seq RETURNING 1
  )
  SELECT count(*) AS count FROM swept`

export const SWEPT = `DELETE FROM deleted_tasks WHERE NOT EXISTS (SELECT FROM events WHERE task = key) RETURNING 1`
