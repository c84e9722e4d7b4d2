// What a database can take: the rows of finished tasks, as many in a transaction as the server has connections, over the
// driver alone. No HTTP, no agent, no fold. Arguments: the store and how many tasks are under way.

import { randomUUID } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import pg from 'pg'
import type { TaskEvent } from '../../src/model/event.ts'
import type { Task } from '../../src/model/task.ts'
import { openBackend } from '../../src/server/backend/open.ts'
import { BEGIN, TASK_END, TEXT_END } from '../../src/server/backend/postgres/statements.ts'
import { BEGIN as BEGIN_SCRIPT } from '../../src/server/backend/redis/scripts.ts'
import { openDatabase } from '../../src/server/backend/sqlite/database.ts'
import { type FirstWrite, firstWrite } from '../../src/server/store/first-write.ts'
import { tallyChanges } from '../../src/server/store/tally.ts'
import { answerParent } from '../child.ts'
import { CHUNKS } from '../work.ts'

export interface CeilingQuestion {
  readonly work: string
  readonly durationMs: number
}

type WriteTasks = (first: FirstWrite) => Promise<unknown>

const [spec = '', connections = '32'] = process.argv.slice(2)
/** Two transactions under way, as the server has them. */
const BATCH = Number(connections) / 2
const SCOPE = '0'.repeat(32)

/** The same columns for every task of a batch. */
function column<T>(value: T): T[] {
  return Array.from({ length: BATCH }, () => value)
}

async function postgres(): Promise<WriteTasks> {
  const pool = new pg.Pool({ connectionString: spec, max: 2, options: '-c search_path=parley' })
  const owner = randomUUID()
  let order = 0
  return (first) =>
    pool.query({
      name: 'begin',
      text: BEGIN,
      values: [
        Array.from({ length: BATCH }, () => randomUUID()),
        ...[column(SCOPE), column('context'), column(first.status.state), column(first.status.statusMs)],
        Array.from({ length: BATCH }, () => ++order),
        ...[column(first.bodies.length), column(first.bodies.length), column(first.snapshot.length), column(0)],
        column(first.snapshot).join(TEXT_END),
        column(first.bodies.join(TEXT_END)).join(TASK_END),
        ...[owner, Date.now()],
      ],
    })
}

async function redis(): Promise<WriteTasks> {
  const { Redis } = await import('ioredis')
  const client = new Redis(spec)
  client.defineCommand('begin', { numberOfKeys: 1, lua: BEGIN_SCRIPT })
  const run = /run_id:(\S+)/.exec(await client.info('server'))?.[1] ?? ''
  await client.hset('ceiling:epoch', 'run', run)
  return (first) => {
    const pipeline = client.pipeline() as unknown as { begin(...args: unknown[]): void; exec(): Promise<unknown> }
    for (let n = 0; n < BATCH; n++) {
      const id = randomUUID()
      pipeline.begin(
        ...['ceiling:', id, run, SCOPE, '{}', first.status.state, `${id}:0`, 'owner', '0', first.snapshot],
        ...[first.snapshot.length, 1, 0, Date.now(), 1, 'context', ...first.bodies],
      )
    }
    return pipeline.exec()
  }
}

async function sqlite(): Promise<WriteTasks> {
  const db = openDatabase(spec.slice('sqlite:'.length))
  const task = db.prepare(
    `INSERT INTO tasks (id, scope, context, state, status_ms, created_order, changed_ms, seq, snapshot_size, tail_size)
     VALUES (?, 1, 'context', ?, ?, ?, ?, ?, ?, 0)`,
  )
  const snapshot = db.prepare('INSERT INTO snapshots (task, seq, body) VALUES (?, ?, ?)')
  const event = db.prepare('INSERT INTO events (task, seq, body) VALUES (?, ?, ?)')
  const tally = db.prepare(
    `INSERT INTO tallies (scope, width, span, state, tasks) VALUES (1, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET tasks = tasks + excluded.tasks`,
  )
  let order = 0
  return (first) => {
    db.exec('BEGIN IMMEDIATE')
    for (let n = 0; n < BATCH; n++) {
      const { state, statusMs } = first.status
      const sizes = [first.bodies.length, first.snapshot.length]
      const { lastInsertRowid: key } = task.run(randomUUID(), state, statusMs, ++order, Date.now(), ...sizes)
      snapshot.run(key, first.bodies.length, first.snapshot)
      for (const [at, body] of first.bodies.entries()) event.run(key, at + 1, body)
      for (const { width, span, by } of tallyChanges(undefined, first.status)) tally.run(width, span, state, by)
    }
    db.exec('COMMIT')
    return turn()
  }
}

/** What the agent of the benchmark says. */
function rowsOf(work: string): FirstWrite {
  const [taskId, contextId] = [randomUUID(), randomUUID()]
  const status = (state: 'TASK_STATE_SUBMITTED' | 'TASK_STATE_WORKING' | 'TASK_STATE_COMPLETED') => ({
    state,
    timestamp: new Date().toISOString(),
  })
  const chunks = work.startsWith('stream') ? CHUNKS[0] : 1
  const text = (n: number) => (work.includes('64 kB') ? 'x'.repeat(65_536) : `chunk ${n}`)
  const events: TaskEvent[] = [
    { statusUpdate: { taskId, contextId, status: status('TASK_STATE_WORKING') } },
    ...Array.from({ length: chunks }, (_, n): TaskEvent => {
      const artifact = { artifactId: 'result', parts: [{ text: text(n + 1) }] }
      return { artifactUpdate: { taskId, contextId, artifact, append: n > 0 } }
    }),
    { statusUpdate: { taskId, contextId, status: status('TASK_STATE_COMPLETED') } },
  ]
  const message = { messageId: randomUUID(), role: 'ROLE_USER' as const, parts: [{ text: 'task hello' }] }
  const task: Task = { id: taskId, contextId, status: status('TASK_STATE_SUBMITTED'), history: [message] }
  const first = firstWrite(task, events)
  if ('reason' in first) throw new Error(first.reason)
  return first
}

/** Tasks per second by the clock. */
async function measure(write: WriteTasks, { work, durationMs }: CeilingQuestion): Promise<{ perSecond: number }> {
  const first = rowsOf(work)
  const begun = performance.now()
  let tasks = 0
  const loop = async () => {
    while (performance.now() - begun < durationMs) {
      await write(first)
      tasks += BATCH
    }
  }
  await Promise.all([loop(), loop()])
  return { perSecond: (tasks * 1000) / (performance.now() - begun) }
}

// The tables are those of the server.
const backend = await openBackend(spec, { allowVolatile: true })
await backend.close()
const write = await (spec.startsWith('sqlite:') ? sqlite() : spec.startsWith('redis') ? redis() : postgres())
answerParent((question: CeilingQuestion) => measure(write, question))
