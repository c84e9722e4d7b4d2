// The tables of the PostgreSQL store, in a schema of their own. Migrations only go forward, under an advisory lock,
// so that replicas may start together; a schema of a newer Parley is refused before anything is written.

import type { PoolClient, QueryConfig } from 'pg'
import { ParleyError } from '../../../model/errors.ts'

/** Also the condition of the partial index below. */
export const UNFINISHED = `state IN ('TASK_STATE_UNSPECIFIED', 'TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING')`

/** The same for the tasks that retention may delete. */
export const AT_REST = `state NOT IN ('TASK_STATE_UNSPECIFIED', 'TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING')`

// Texts are `text`, not `jsonb`: jsonb cannot hold \u0000, reorders members and costs a parse that is not needed. Tallies are
// sharded by connection, because one hot row would make all writers of a scope wait for each other's commit.
const MIGRATIONS: readonly string[] = [
  `CREATE TABLE scopes (
     id uuid PRIMARY KEY,
     agent text NOT NULL, tenant text NOT NULL, subject text NOT NULL
   );
   CREATE TABLE tasks (
     key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     id text COLLATE "C" NOT NULL,
     scope uuid NOT NULL,
     context text COLLATE "C",
     state text COLLATE "C" NOT NULL,
     status_ms bigint NOT NULL,
     created_order bigint NOT NULL,
     owner uuid NOT NULL,
     seq bigint NOT NULL,
     snapshot_seq bigint NOT NULL,
     snapshot_size integer NOT NULL,
     tail_size integer NOT NULL,
     snapshot text NOT NULL,
     UNIQUE (id, scope)
   ) WITH (fillfactor = 80);
   CREATE UNIQUE INDEX tasks_order ON tasks (scope, created_order);
   CREATE INDEX tasks_by_recency ON tasks (scope, status_ms, created_order);
   CREATE INDEX tasks_by_state ON tasks (scope, state, status_ms, created_order);
   CREATE INDEX tasks_by_context ON tasks (scope, context, status_ms, created_order);
   CREATE INDEX tasks_unfinished ON tasks (owner) WHERE ${UNFINISHED};
   CREATE TABLE events (
     task bigint NOT NULL,
     seq bigint NOT NULL,
     body text NOT NULL,
     PRIMARY KEY (task, seq)
   );
   CREATE TABLE counts (
     scope uuid NOT NULL,
     state text COLLATE "C" NOT NULL,
     shard smallint NOT NULL,
     tasks bigint NOT NULL,
     PRIMARY KEY (scope, state, shard)
   ) WITH (fillfactor = 50);
   CREATE TABLE replicas (
     id uuid PRIMARY KEY,
     alive_until timestamptz NOT NULL
   );`,
  `CREATE TABLE push (
     task bigint NOT NULL,
     id text COLLATE "C" NOT NULL,
     body text NOT NULL,
     start text,
     delivered bigint NOT NULL,
     attempts integer NOT NULL,
     state text COLLATE "C" NOT NULL,
     error text,
     due_at bigint NOT NULL,
     lease_until bigint NOT NULL,
     token uuid,
     PRIMARY KEY (task, id)
   ) WITH (fillfactor = 80);
   CREATE INDEX push_active ON push (due_at) WHERE state = 'active';
   CREATE INDEX push_dead ON push (task) WHERE state = 'dead';`,
  `ALTER TABLE push ADD COLUMN scope uuid;
   UPDATE push SET scope = tasks.scope FROM tasks WHERE key = task;
   CREATE INDEX push_by_scope ON push (scope) WHERE state = 'active';`,
  // A process of the version before cannot write any more, rather than write without tallies.
  `DROP TABLE counts;
   CREATE TABLE tallies (
     scope uuid NOT NULL,
     width smallint NOT NULL,
     span bigint NOT NULL,
     state text COLLATE "C" NOT NULL,
     shard smallint NOT NULL,
     tasks bigint NOT NULL,
     PRIMARY KEY (scope, width, span, state, shard)
   ) WITH (fillfactor = 50);
   INSERT INTO tallies (scope, width, span, state, shard, tasks)
     SELECT scope, width, status_ms >> width, state, 0, count(*)
     FROM tasks, (VALUES (16), (26), (62)) AS widths (width)
     WHERE state NOT IN ('TASK_STATE_UNSPECIFIED', 'TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING')
     GROUP BY scope, width, status_ms >> width, state;
   DROP INDEX tasks_by_context;
   CREATE INDEX tasks_by_context ON tasks (scope, context, status_ms, created_order) INCLUDE (state);`,
  `CREATE TABLE IF NOT EXISTS proxy_tasks (
     scope uuid NOT NULL,
     ours text COLLATE "C" NOT NULL,
     ours_context text NOT NULL,
     theirs text COLLATE "C" NOT NULL,
     theirs_context text,
     number bigint GENERATED ALWAYS AS IDENTITY,
     PRIMARY KEY (scope, ours)
   );
   CREATE INDEX IF NOT EXISTS proxy_tasks_theirs ON proxy_tasks (scope, theirs, number);
   CREATE TABLE IF NOT EXISTS proxy_contexts (
     scope uuid NOT NULL,
     ours text COLLATE "C" NOT NULL,
     theirs text COLLATE "C" NOT NULL,
     number bigint GENERATED ALWAYS AS IDENTITY,
     PRIMARY KEY (scope, ours)
   );
   CREATE INDEX IF NOT EXISTS proxy_contexts_theirs ON proxy_contexts (scope, theirs, number);`,
  // When the status last changed by our own clock: an agent may tell its own times. Of older tasks it is not known.
  `ALTER TABLE tasks ADD COLUMN IF NOT EXISTS changed_ms bigint NOT NULL DEFAULT 0;
   UPDATE tasks SET changed_ms = status_ms;
   CREATE INDEX IF NOT EXISTS tasks_at_rest ON tasks (changed_ms) WHERE ${AT_REST};
   CREATE TABLE IF NOT EXISTS deleted_tasks (key bigint PRIMARY KEY);`,
  // Only tasks that are being followed: a few, however many there are.
  `CREATE TABLE IF NOT EXISTS proxy_follows (
     scope uuid NOT NULL,
     ours text COLLATE "C" NOT NULL,
     follower uuid NOT NULL,
     PRIMARY KEY (scope, ours)
   );`,
]

/** A million tasks take seconds; the time limit of requests is not for this. */
const MIGRATION_TIMEOUT_MS = 3_600_000

const LOCK = 0x7061726c

export async function migrate(client: PoolClient, schema: string): Promise<void> {
  await client.query('BEGIN')
  try {
    await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK])
    await client.query(`CREATE SCHEMA IF NOT EXISTS ${client.escapeIdentifier(schema)}`)
    await client.query('CREATE TABLE IF NOT EXISTS parley_schema (version integer NOT NULL)')
    const found = await client.query<{ version: number }>('SELECT version FROM parley_schema')
    const version = found.rows[0]?.version ?? 0
    if (version > MIGRATIONS.length) {
      throw new ParleyError(
        'store-too-new',
        `The database was written by a newer Parley (schema ${version}, this one knows ${MIGRATIONS.length}); update Parley or use another database.`,
      )
    }
    await client.query(`SET LOCAL statement_timeout = ${MIGRATION_TIMEOUT_MS}`)
    for (const text of MIGRATIONS.slice(version)) {
      const unhurried: QueryConfig & { query_timeout: number } = { text, query_timeout: MIGRATION_TIMEOUT_MS }
      await client.query(unhurried)
    }
    if (version < MIGRATIONS.length) {
      await client.query('DELETE FROM parley_schema')
      await client.query('INSERT INTO parley_schema (version) VALUES ($1)', [MIGRATIONS.length])
    }
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {})
    throw error
  }
}
