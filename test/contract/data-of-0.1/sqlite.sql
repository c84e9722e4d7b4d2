CREATE TABLE parley_schema (version INTEGER NOT NULL) STRICT;
CREATE TABLE scopes (
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
CREATE TABLE push (
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
     token TEXT, scope INTEGER,
     PRIMARY KEY (task, id)
   ) STRICT;
CREATE TABLE tallies (
     scope INTEGER NOT NULL,
     width INTEGER NOT NULL,
     span INTEGER NOT NULL,
     state TEXT NOT NULL,
     tasks INTEGER NOT NULL,
     PRIMARY KEY (scope, width, span, state)
   ) STRICT, WITHOUT ROWID;
CREATE TABLE proxy_tasks (
    scope TEXT NOT NULL,
    ours TEXT NOT NULL,
    ours_context TEXT NOT NULL,
    theirs TEXT NOT NULL,
    theirs_context TEXT,
    PRIMARY KEY (scope, ours)
  ) STRICT;
CREATE TABLE proxy_contexts (
    scope TEXT NOT NULL,
    ours TEXT NOT NULL,
    theirs TEXT NOT NULL,
    PRIMARY KEY (scope, ours)
  ) STRICT;
CREATE INDEX tasks_by_recency ON tasks (scope, status_ms, created_order);
CREATE INDEX tasks_by_state ON tasks (scope, state, status_ms, created_order);
CREATE INDEX tasks_by_context ON tasks (scope, context, status_ms, created_order, state);
CREATE INDEX tasks_unfinished ON tasks (scope) WHERE state IN ('TASK_STATE_UNSPECIFIED', 'TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING');
CREATE INDEX push_by_state ON push (state, due_at);
CREATE INDEX push_by_scope ON push (scope) WHERE state = 'active';
CREATE INDEX proxy_tasks_theirs ON proxy_tasks (scope, theirs);
CREATE INDEX proxy_contexts_theirs ON proxy_contexts (scope, theirs);
INSERT INTO parley_schema (version) VALUES (4);
INSERT INTO scopes (key, agent, tenant, subject, created) VALUES (1, '/a', '', 'alice', 3);
INSERT INTO tasks (key, id, scope, context, state, status_ms, created_order, seq, snapshot_size, tail_size) VALUES (1, 'task-0', 1, 'context', 'TASK_STATE_WORKING', 1767225610000, 1, 2, 195, 256);
INSERT INTO tasks (key, id, scope, context, state, status_ms, created_order, seq, snapshot_size, tail_size) VALUES (2, 'task-1', 1, 'context', 'TASK_STATE_COMPLETED', 1767225611000, 2, 2, 257, 0);
INSERT INTO tasks (key, id, scope, context, state, status_ms, created_order, seq, snapshot_size, tail_size) VALUES (3, 'task-2', 1, 'context', 'TASK_STATE_INPUT_REQUIRED', 1767225612000, 3, 2, 262, 0);
INSERT INTO snapshots (task, seq, body) VALUES (1, 0, '{"id":"task-0","contextId":"context","status":{"state":"TASK_STATE_SUBMITTED","timestamp":"2026-01-01T00:00:00.000Z"},"history":[{"messageId":"m0","role":"ROLE_USER","parts":[{"text":"hello"}]}]}');
INSERT INTO snapshots (task, seq, body) VALUES (2, 2, '{"id":"task-1","contextId":"context","status":{"state":"TASK_STATE_COMPLETED","timestamp":"2026-01-01T00:00:11.000Z"},"history":[{"messageId":"m1","role":"ROLE_USER","parts":[{"text":"hello"}]}],"artifacts":[{"artifactId":"a","parts":[{"text":"chunk 1"}]}]}');
INSERT INTO snapshots (task, seq, body) VALUES (3, 2, '{"id":"task-2","contextId":"context","status":{"state":"TASK_STATE_INPUT_REQUIRED","timestamp":"2026-01-01T00:00:12.000Z"},"history":[{"messageId":"m2","role":"ROLE_USER","parts":[{"text":"hello"}]}],"artifacts":[{"artifactId":"a","parts":[{"text":"chunk 2"}]}]}');
INSERT INTO events (task, seq, body) VALUES (1, 1, '{"artifactUpdate":{"taskId":"task-0","contextId":"context","artifact":{"artifactId":"a","parts":[{"text":"chunk 0"}]}}}');
INSERT INTO events (task, seq, body) VALUES (1, 2, '{"statusUpdate":{"taskId":"task-0","contextId":"context","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-01-01T00:00:10.000Z"}}}');
INSERT INTO events (task, seq, body) VALUES (2, 1, '{"artifactUpdate":{"taskId":"task-1","contextId":"context","artifact":{"artifactId":"a","parts":[{"text":"chunk 1"}]}}}');
INSERT INTO events (task, seq, body) VALUES (2, 2, '{"statusUpdate":{"taskId":"task-1","contextId":"context","status":{"state":"TASK_STATE_COMPLETED","timestamp":"2026-01-01T00:00:11.000Z"}}}');
INSERT INTO events (task, seq, body) VALUES (3, 1, '{"artifactUpdate":{"taskId":"task-2","contextId":"context","artifact":{"artifactId":"a","parts":[{"text":"chunk 2"}]}}}');
INSERT INTO events (task, seq, body) VALUES (3, 2, '{"statusUpdate":{"taskId":"task-2","contextId":"context","status":{"state":"TASK_STATE_INPUT_REQUIRED","timestamp":"2026-01-01T00:00:12.000Z"}}}');
INSERT INTO push (task, id, body, start, delivered, attempts, state, error, due_at, lease_until, token, scope) VALUES (3, 'hook', '{"scope":{"agent":"/a","tenant":"","subject":"alice"},"taskId":"task-2","id":"hook","config":{"url":"https://example.com/hook","token":"secret","taskId":"task-2","id":"hook"},"registeredIn":"1.0","mediaType":"application/json"}', NULL, 1, 0, 'active', NULL, 0, 0, NULL, 1);
INSERT INTO tallies (scope, width, span, state, tasks) VALUES (1, 16, 26965722, 'TASK_STATE_COMPLETED', 1);
INSERT INTO tallies (scope, width, span, state, tasks) VALUES (1, 16, 26965722, 'TASK_STATE_INPUT_REQUIRED', 1);
INSERT INTO tallies (scope, width, span, state, tasks) VALUES (1, 26, 26333, 'TASK_STATE_COMPLETED', 1);
INSERT INTO tallies (scope, width, span, state, tasks) VALUES (1, 26, 26333, 'TASK_STATE_INPUT_REQUIRED', 1);
INSERT INTO tallies (scope, width, span, state, tasks) VALUES (1, 62, 0, 'TASK_STATE_COMPLETED', 1);
INSERT INTO tallies (scope, width, span, state, tasks) VALUES (1, 62, 0, 'TASK_STATE_INPUT_REQUIRED', 1);
INSERT INTO proxy_tasks (scope, ours, ours_context, theirs, theirs_context) VALUES ('["/a","","alice"]', 'task-2', 'context', 'theirs', 'their context');
