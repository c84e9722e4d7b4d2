// The statements that write tasks, and the one that finds lost ones. A write is one transaction and one round trip, for as
// many tasks as are ready: rows, events and tallies change together or not at all. Columns come as arrays; JSON texts
// as one text with line feeds between them, because JSON has none: nothing is escaped on the way.

import { COARSE, FINE, WHOLE } from '../../store/tally.ts'
import { AT_REST, UNFINISHED } from './schema.ts'

const TERMINAL = `('TASK_STATE_COMPLETED', 'TASK_STATE_FAILED', 'TASK_STATE_CANCELED', 'TASK_STATE_REJECTED')`
/** Which of the 16 tallies of a span this connection uses. */
const SHARD = '(pg_backend_pid() % 16)::smallint'
const WIDTHS = `(VALUES (${FINE}::smallint), (${COARSE}::smallint), (${WHOLE}::smallint)) AS widths (width)`

/** Between the JSON texts of one task, and between tasks. */
export const TEXT_END = '\n'
export const TASK_END = '\u001e'
const TEXTS = `E'\\n'`
const TASKS = `E'\\x1e'`

/** Events of the rows of `source`, which have their texts and the number before the first. */
function writeEvents(source: string): string {
  return `INSERT INTO events (task, seq, body)
    SELECT key, before + n, body FROM ${source}, unnest(string_to_array(bodies, ${TEXTS})) WITH ORDINALITY AS given_events (body, n)`
}

/** In the same order in every statement, so that two of them never wait for each other. */
function writeTallies(changes: string): string {
  return `INSERT INTO tallies (scope, width, span, state, shard, tasks)
    SELECT scope, width, status_ms >> width, state, ${SHARD}, sum(change)
    FROM (${changes}) AS changes, ${WIDTHS}
    WHERE ${AT_REST} GROUP BY 1, 2, 3, 4 HAVING sum(change) <> 0 ORDER BY 1, 2, 3, 4
    ON CONFLICT (scope, width, span, state, shard) DO UPDATE SET tasks = tallies.tasks + excluded.tasks`
}

/** Answers the places of those that did not exist before. */
export const BEGIN = `
  WITH given AS (
    SELECT * FROM unnest($1::text[], $2::uuid[], $3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[],
      $9::integer[], $10::integer[], string_to_array($11, ${TEXTS}), string_to_array($12, ${TASKS}, ''))
    WITH ORDINALITY AS columns (id, scope, context, state, status_ms, created_order, seq, snapshot_seq, snapshot_size, tail_size,
      snapshot, bodies, place)
  ), created AS (
    INSERT INTO tasks (id, scope, context, state, status_ms, created_order, seq, snapshot_seq, snapshot_size, tail_size, snapshot,
      owner, changed_ms)
    SELECT id, scope, context, state, status_ms, created_order, seq, snapshot_seq, snapshot_size, tail_size, snapshot,
      $13::uuid, $14::bigint FROM given ORDER BY place
    ON CONFLICT (id, scope) DO NOTHING RETURNING key, id, scope, state, status_ms
  ), made AS (
    SELECT key, place, 0::bigint AS before, bodies FROM created JOIN given USING (id, scope)
  ), written AS (
    ${writeEvents('made')}
  ), tallied AS (
    ${writeTallies('SELECT scope, state, status_ms, 1 AS change FROM created')}
  )
  SELECT place::integer FROM made`

/** The caller's scopes, which stay for ever. */
export const KNOW_SCOPES = `
  INSERT INTO scopes (id, agent, tenant, subject) SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[])
  ON CONFLICT DO NOTHING`

function appendStatement(isTallied: boolean): string {
  const changes = `SELECT scope, state, status_ms, 1 AS change FROM head
      UNION ALL SELECT scope, old_state, old_status_ms, -1 FROM head`
  return `
  WITH given AS (
    SELECT * FROM unnest($1::text[], $2::uuid[], $3::bigint[], $4::text[], $5::bigint[], $6::bigint[], $7::bigint[], $8::integer[],
      $9::integer[], string_to_array($10, ${TEXTS}, ''), string_to_array($11, ${TASKS}), $13::text[], $14::bigint[])
    WITH ORDINALITY AS columns (id, scope, before, state, status_ms, changed_ms, seq, tail_size, snapshot_size, snapshot, bodies,
      old_state, old_status_ms, place)
  ), head AS (
    UPDATE tasks SET state = given.state, status_ms = given.status_ms, changed_ms = coalesce(given.changed_ms, tasks.changed_ms),
      owner = $12::uuid, seq = given.seq, tail_size = given.tail_size,
      snapshot_size = coalesce(given.snapshot_size, tasks.snapshot_size), snapshot = coalesce(given.snapshot, tasks.snapshot),
      snapshot_seq = CASE WHEN given.snapshot IS NULL THEN tasks.snapshot_seq ELSE given.seq END
    FROM given
    WHERE tasks.id = given.id AND tasks.scope = given.scope AND tasks.seq = given.before AND tasks.state NOT IN ${TERMINAL}
    RETURNING tasks.key, given.place, given.before, given.bodies, given.scope, given.state, given.status_ms, given.old_state,
      given.old_status_ms
  ), written AS (
    ${writeEvents('head')}
  )${isTallied ? `, tallied AS (${writeTallies(changes)})` : ''}
  SELECT place::integer FROM head`
}

/** Answers the places of those that were where they were expected. Most come to no rest, and need not ask for the tallies. */
export const APPEND = appendStatement(false)
export const APPEND_AND_TALLY = appendStatement(true)

/** A process lives until then, by the clock of the database. */
export const CLAIM_REPLICA = `
  INSERT INTO replicas (id, alive_until) VALUES ($1, now() + $2 * interval '1 ms')
  ON CONFLICT (id) DO UPDATE SET alive_until = excluded.alive_until`

export const FORGET_REPLICA = 'DELETE FROM replicas WHERE id = $1'

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
  ), unfollowed AS (
    DELETE FROM proxy_follows USING gone WHERE proxy_follows.scope = gone.scope AND ours = gone.id
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
