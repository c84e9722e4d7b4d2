// The tables of the SQLite store and how a file gets them. Migrations only go forward, each in one transaction with
// its version number; a file of another program or of a newer Parley is refused before anything is written.

import type { DatabaseSync } from 'node:sqlite'
import { ParleyError } from '../../../model/errors.ts'

/** Also the condition of the partial index below: SQLite uses it only for a query that repeats it word for word. */
export const UNFINISHED = `state IN ('TASK_STATE_UNSPECIFIED', 'TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING')`

/** The same for the tasks that retention may delete. */
export const AT_REST = `state NOT IN ('TASK_STATE_UNSPECIFIED', 'TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING')`

// The snapshot has its own table: SQLite rewrites a whole row on update, and the head changes with every event.
// Listing reads only the index named after its filter; the text of a state is kept readable for people with a shell.
const MIGRATIONS: readonly string[] = [
  `CREATE TABLE scopes (
     key INTEGER PRIMARY KEY,
     agent TEXT NOT NULL, tenant TEXT NOT NULL, subject TEXT NOT NULL,
     created INTEGER NOT NULL,
     UNIQUE (agent, tenant, subject)
   ) STRICT;
   CREATE TABLE tasks (
     key INTEGER PRIMARY KEY,
     id TEXT NOT NULL,
     scope INTEGER NOT NULL,
     context TEXT,
     state TEXT NOT NULL,
     status_ms INTEGER NOT NULL,
     created_order INTEGER NOT NULL,
     seq INTEGER NOT NULL,
     snapshot_size INTEGER NOT NULL,
     tail_size INTEGER NOT NULL,
     UNIQUE (id, scope)
   ) STRICT;
   CREATE INDEX tasks_by_recency ON tasks (scope, status_ms, created_order);
   CREATE INDEX tasks_by_state ON tasks (scope, state, status_ms, created_order);
   CREATE INDEX tasks_by_context ON tasks (scope, context, status_ms, created_order, state);
   CREATE INDEX tasks_unfinished ON tasks (scope) WHERE ${UNFINISHED};
   CREATE TABLE snapshots (
     task INTEGER PRIMARY KEY,
     seq INTEGER NOT NULL,
     body TEXT NOT NULL
   ) STRICT;
   CREATE TABLE events (
     task INTEGER NOT NULL,
     seq INTEGER NOT NULL,
     body TEXT NOT NULL,
     PRIMARY KEY (task, seq)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE counts (
     scope INTEGER NOT NULL,
     state TEXT NOT NULL,
     tasks INTEGER NOT NULL,
     PRIMARY KEY (scope, state)
   ) STRICT, WITHOUT ROWID;`,
  `CREATE TABLE push (
     task INTEGER NOT NULL,
     id TEXT NOT NULL,
     body TEXT NOT NULL,
     start TEXT,
     delivered INTEGER NOT NULL,
     attempts INTEGER NOT NULL,
     state TEXT NOT NULL,
     error TEXT,
     due_at INTEGER NOT NULL,
     lease_until INTEGER NOT NULL,
     token TEXT,
     PRIMARY KEY (task, id)
   ) STRICT;
   CREATE INDEX push_by_state ON push (state, due_at);`,
  `ALTER TABLE push ADD COLUMN scope INTEGER;
   UPDATE push SET scope = (SELECT tasks.scope FROM tasks WHERE key = task);
   CREATE INDEX push_by_scope ON push (scope) WHERE state = 'active';`,
  `DROP TABLE counts;
   CREATE TABLE tallies (
     scope INTEGER NOT NULL,
     width INTEGER NOT NULL,
     span INTEGER NOT NULL,
     state TEXT NOT NULL,
     tasks INTEGER NOT NULL,
     PRIMARY KEY (scope, width, span, state)
   ) STRICT, WITHOUT ROWID;
   INSERT INTO tallies (scope, width, span, state, tasks)
     SELECT scope, width, status_ms >> width, state, count(*)
     FROM tasks, (SELECT 16 AS width UNION ALL SELECT 26 UNION ALL SELECT 62)
     WHERE state NOT IN ('TASK_STATE_UNSPECIFIED', 'TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING')
     GROUP BY scope, width, status_ms >> width, state;`,
  // The proxy of earlier versions made these itself.
  `CREATE TABLE IF NOT EXISTS proxy_tasks (
     scope TEXT NOT NULL,
     ours TEXT NOT NULL,
     ours_context TEXT NOT NULL,
     theirs TEXT NOT NULL,
     theirs_context TEXT,
     PRIMARY KEY (scope, ours)
   ) STRICT;
   CREATE INDEX IF NOT EXISTS proxy_tasks_theirs ON proxy_tasks (scope, theirs);
   CREATE TABLE IF NOT EXISTS proxy_contexts (
     scope TEXT NOT NULL,
     ours TEXT NOT NULL,
     theirs TEXT NOT NULL,
     PRIMARY KEY (scope, ours)
   ) STRICT;
   CREATE INDEX IF NOT EXISTS proxy_contexts_theirs ON proxy_contexts (scope, theirs);`,
  // When the status last changed by our own clock: an agent may tell its own times. Of older tasks it is not known.
  `ALTER TABLE tasks ADD COLUMN changed_ms INTEGER NOT NULL DEFAULT 0;
   UPDATE tasks SET changed_ms = status_ms;
   CREATE INDEX tasks_at_rest ON tasks (changed_ms) WHERE ${AT_REST};`,
]

export function migrate(db: DatabaseSync, path: string): void {
  // A plain read first: a file that is already right is opened without taking the write lock.
  if (readVersion(db, path) === MIGRATIONS.length) return
  db.exec('BEGIN IMMEDIATE')
  try {
    const version = readVersion(db, path)
    db.exec('CREATE TABLE IF NOT EXISTS parley_schema (version INTEGER NOT NULL) STRICT')
    for (const migration of MIGRATIONS.slice(version)) db.exec(migration)
    db.exec('DELETE FROM parley_schema')
    db.prepare('INSERT INTO parley_schema (version) VALUES (?)').run(MIGRATIONS.length)
    db.exec('COMMIT')
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}

function readVersion(db: DatabaseSync, path: string): number {
  const names = db.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).all()
  if (names.length === 0) return 0
  if (!names.some(({ name }) => name === 'parley_schema')) {
    throw new ParleyError(
      'store-foreign',
      `${path} is a database of another program; give the task store its own file.`,
    )
  }
  const version = Number(db.prepare('SELECT version FROM parley_schema').get()?.version ?? 0)
  if (version > MIGRATIONS.length) {
    throw new ParleyError(
      'store-too-new',
      `${path} was written by a newer Parley (schema ${version}, this one knows ${MIGRATIONS.length}); update Parley or use another file.`,
    )
  }
  return version
}
