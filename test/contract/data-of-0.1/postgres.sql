CREATE SCHEMA parley;
SET search_path TO parley;
CREATE TABLE parley_schema (version integer NOT NULL);
CREATE TABLE scopes (
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
CREATE INDEX tasks_unfinished ON tasks (owner) WHERE state IN ('TASK_STATE_UNSPECIFIED', 'TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING');
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
);
CREATE TABLE push (
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
CREATE INDEX push_dead ON push (task) WHERE state = 'dead';
ALTER TABLE push ADD COLUMN scope uuid;
UPDATE push SET scope = tasks.scope FROM tasks WHERE key = task;
CREATE INDEX push_by_scope ON push (scope) WHERE state = 'active';
DROP TABLE counts;
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
CREATE INDEX tasks_by_context ON tasks (scope, context, status_ms, created_order) INCLUDE (state);
INSERT INTO parley_schema (version) VALUES (4);
INSERT INTO scopes (id, agent, tenant, subject) VALUES ('6983cff0-76cf-60c3-be8c-05107eb32af1', '/a', '', 'alice');
INSERT INTO tasks (key, id, scope, context, state, status_ms, created_order, owner, seq, snapshot_seq, snapshot_size, tail_size, snapshot) OVERRIDING SYSTEM VALUE VALUES ('1', 'task-0', '6983cff0-76cf-60c3-be8c-05107eb32af1', 'context', 'TASK_STATE_WORKING', '1767225610000', '7352008617428392', '28d9f232-a2bc-48ba-bc4e-f5051ec6a426', '2', '0', 195, 256, '{"id":"task-0","contextId":"context","status":{"state":"TASK_STATE_SUBMITTED","timestamp":"2026-01-01T00:00:00.000Z"},"history":[{"messageId":"m0","role":"ROLE_USER","parts":[{"text":"hello"}]}]}');
INSERT INTO tasks (key, id, scope, context, state, status_ms, created_order, owner, seq, snapshot_seq, snapshot_size, tail_size, snapshot) OVERRIDING SYSTEM VALUE VALUES ('2', 'task-1', '6983cff0-76cf-60c3-be8c-05107eb32af1', 'context', 'TASK_STATE_COMPLETED', '1767225611000', '7352008617477544', '28d9f232-a2bc-48ba-bc4e-f5051ec6a426', '2', '2', 257, 0, '{"id":"task-1","contextId":"context","status":{"state":"TASK_STATE_COMPLETED","timestamp":"2026-01-01T00:00:11.000Z"},"history":[{"messageId":"m1","role":"ROLE_USER","parts":[{"text":"hello"}]}],"artifacts":[{"artifactId":"a","parts":[{"text":"chunk 1"}]}]}');
INSERT INTO tasks (key, id, scope, context, state, status_ms, created_order, owner, seq, snapshot_seq, snapshot_size, tail_size, snapshot) OVERRIDING SYSTEM VALUE VALUES ('3', 'task-2', '6983cff0-76cf-60c3-be8c-05107eb32af1', 'context', 'TASK_STATE_INPUT_REQUIRED', '1767225612000', '7352008617510312', '28d9f232-a2bc-48ba-bc4e-f5051ec6a426', '2', '2', 262, 0, '{"id":"task-2","contextId":"context","status":{"state":"TASK_STATE_INPUT_REQUIRED","timestamp":"2026-01-01T00:00:12.000Z"},"history":[{"messageId":"m2","role":"ROLE_USER","parts":[{"text":"hello"}]}],"artifacts":[{"artifactId":"a","parts":[{"text":"chunk 2"}]}]}');
INSERT INTO events (task, seq, body) VALUES ('1', '1', '{"artifactUpdate":{"taskId":"task-0","contextId":"context","artifact":{"artifactId":"a","parts":[{"text":"chunk 0"}]}}}');
INSERT INTO events (task, seq, body) VALUES ('1', '2', '{"statusUpdate":{"taskId":"task-0","contextId":"context","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-01-01T00:00:10.000Z"}}}');
INSERT INTO events (task, seq, body) VALUES ('2', '1', '{"artifactUpdate":{"taskId":"task-1","contextId":"context","artifact":{"artifactId":"a","parts":[{"text":"chunk 1"}]}}}');
INSERT INTO events (task, seq, body) VALUES ('2', '2', '{"statusUpdate":{"taskId":"task-1","contextId":"context","status":{"state":"TASK_STATE_COMPLETED","timestamp":"2026-01-01T00:00:11.000Z"}}}');
INSERT INTO events (task, seq, body) VALUES ('3', '1', '{"artifactUpdate":{"taskId":"task-2","contextId":"context","artifact":{"artifactId":"a","parts":[{"text":"chunk 2"}]}}}');
INSERT INTO events (task, seq, body) VALUES ('3', '2', '{"statusUpdate":{"taskId":"task-2","contextId":"context","status":{"state":"TASK_STATE_INPUT_REQUIRED","timestamp":"2026-01-01T00:00:12.000Z"}}}');
INSERT INTO tallies (scope, width, span, state, shard, tasks) VALUES ('6983cff0-76cf-60c3-be8c-05107eb32af1', 16, '26965722', 'TASK_STATE_COMPLETED', 9, '1');
INSERT INTO tallies (scope, width, span, state, shard, tasks) VALUES ('6983cff0-76cf-60c3-be8c-05107eb32af1', 26, '26333', 'TASK_STATE_COMPLETED', 9, '1');
INSERT INTO tallies (scope, width, span, state, shard, tasks) VALUES ('6983cff0-76cf-60c3-be8c-05107eb32af1', 62, '0', 'TASK_STATE_COMPLETED', 9, '1');
INSERT INTO tallies (scope, width, span, state, shard, tasks) VALUES ('6983cff0-76cf-60c3-be8c-05107eb32af1', 16, '26965722', 'TASK_STATE_INPUT_REQUIRED', 9, '1');
INSERT INTO tallies (scope, width, span, state, shard, tasks) VALUES ('6983cff0-76cf-60c3-be8c-05107eb32af1', 26, '26333', 'TASK_STATE_INPUT_REQUIRED', 9, '1');
INSERT INTO tallies (scope, width, span, state, shard, tasks) VALUES ('6983cff0-76cf-60c3-be8c-05107eb32af1', 62, '0', 'TASK_STATE_INPUT_REQUIRED', 9, '1');
INSERT INTO push (task, id, body, start, delivered, attempts, state, error, due_at, lease_until, token, scope) VALUES ('3', 'hook', '{"scope":{"agent":"/a","tenant":"","subject":"alice"},"taskId":"task-2","id":"hook","config":{"url":"https://example.com/hook","token":"secret","taskId":"task-2","id":"hook"},"registeredIn":"1.0","mediaType":"application/json"}', NULL, '1', 0, 'active', NULL, '0', '0', NULL, '6983cff0-76cf-60c3-be8c-05107eb32af1');
