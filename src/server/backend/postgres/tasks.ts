// The task store on PostgreSQL, shared by any number of replicas. Every write is part of one statement, hence of one
// transaction (task-writes.ts): the fold is made here, and it applies only to the sequence number it was made for.

import { randomUUID } from 'node:crypto'
import type { TaskEvent } from '../../../model/event.ts'
import { applyEvents } from '../../../model/fold.ts'
import { keyText, nameIn } from '../../../model/key-text.ts'
import type { Scope } from '../../../model/scope.ts'
import type { Task } from '../../../model/task.ts'
import { headOf, refusal } from '../../store/append-rule.ts'
import { creationOrder } from '../../store/creation-order.ts'
import { firstWrite } from '../../store/first-write.ts'
import { FoldingRecord } from '../../store/folding-record.ts'
import { KnownTasks, type RecordFacts } from '../../store/known-tasks.ts'
import { keepLease, LEASE_MS, type LeaseKeeper } from '../../store/lease.ts'
import { cutPage } from '../../store/page-cut.ts'
import { decodePageToken, encodePageToken } from '../../store/page-token.ts'
import { repeatWrite } from '../../store/repeat-write.ts'
import { scopeId } from '../../store/scope-id.ts'
import { isSnapshotDue } from '../../store/snapshot-policy.ts'
import { storedFromText, textOfEvent } from '../../store/stored-event.ts'
import { statusKeyOf } from '../../store/tally.ts'
import type {
  AppendResult,
  Expiry,
  Forgotten,
  ListQuery,
  Page,
  Seq,
  StoredEvent,
  TaskRecord,
  TaskStore,
} from '../../store/task-store.ts'
import { type Database, isBroken, isUniqueViolation } from './database.ts'
import { listPlan } from './list-plan.ts'
import { UNFINISHED } from './schema.ts'
import { CLAIM_REPLICA, DEAD_OWNERS, EXPIRE, FORGET_REPLICA, SWEEP, SWEPT } from './statements.ts'
import { type Appending, TaskWrites } from './task-writes.ts'

export async function openPostgresTasks(
  db: Database,
  leaseMs: number = LEASE_MS,
  now: () => number = Date.now,
): Promise<TaskStore> {
  const replica = randomUUID()
  return new PostgresTaskStore(db, replica, await claim(db, replica, leaseMs), now)
}

/** Deleted in one statement of retention. */
const EVENTS_PER_STEP = 1_000

/** bigint columns arrive as text. */
interface TaskRow {
  key: string
  id: string
  status_ms: string
  created_order: string
  seq: string
  snapshot_seq: string
  snapshot_size: number
  tail_size: number
  snapshot: string
}

const HEAD = 'key, id, status_ms, created_order, seq, snapshot_seq, snapshot_size, tail_size'
const COLUMNS = `${HEAD}, snapshot`

/** Keeps this process alive in the eyes of the others; their clocks do not matter, only the database's. */
async function claim(db: Database, replica: string, leaseMs: number): Promise<LeaseKeeper> {
  await db.rows(`DELETE FROM replicas WHERE alive_until < now() - interval '1 day'`, [])
  return keepLease(leaseMs, (validMs) => db.rows(CLAIM_REPLICA, [replica, validMs]))
}

class PostgresTaskStore implements TaskStore {
  readonly #db: Database
  readonly #known = new KnownTasks<RecordFacts>()
  readonly #nextOrder = creationOrder()
  /** This process, as the writer of its tasks. */
  readonly #replica: string
  readonly #lease: LeaseKeeper
  readonly #leave: () => Promise<void>
  readonly #writes: TaskWrites

  constructor(db: Database, replica: string, lease: LeaseKeeper, now: () => number) {
    this.#writes = new TaskWrites(db, replica, now)
    this.#db = db
    this.#replica = replica
    this.#lease = lease
    this.#leave = db.enter()
  }

  async create(scope: Scope, task: Task): Promise<TaskRecord | 'exists'> {
    const begun = await this.begin(scope, task, [])
    return begun !== 'exists' && begun.ok ? begun.record : 'exists'
  }

  async begin(scope: Scope, task: Task, events: readonly TaskEvent[]): Promise<AppendResult | 'exists'> {
    const first = firstWrite(task, events)
    if ('reason' in first) return first
    const { snapshot, bodies, tailSize } = first
    const size = bodies.reduce((sum, body) => sum + body.length, snapshot.length)
    await this.#lease.ensureValid()
    const write = (isLate: () => boolean): Promise<boolean> =>
      this.#writes.begins.run(
        { task: lockKey(scope, task.id), size, scope, begun: task, first, order: this.#nextOrder() },
        isLate,
      )
    // Whether a write whose connection broke was applied shows in what is stored now.
    const isOurs = async (): Promise<boolean> => {
      const [row] = await this.#select(scope, task.id)
      return Number(row?.seq) === bodies.length && row?.snapshot === snapshot
    }
    if (!(await repeatWrite({ write, isOurs, mayRepeat }))) return 'exists'
    const record = first.record(events.length)
    this.#known.remember(scope, task.id, record, { snapshotSize: snapshot.length, tailSize })
    this.#known.keepEvents(scope, task.id, record.seq, events, bodies)
    return { ok: true, record }
  }

  async get(scope: Scope, id: string): Promise<TaskRecord | undefined> {
    return this.#read(scope, id)
  }

  async append(scope: Scope, id: string, expected: Seq, events: readonly TaskEvent[]): Promise<AppendResult> {
    await this.#lease.ensureValid()
    const before = this.#known.recall(scope, id, expected) ?? (await this.#read(scope, id))
    const refused = refusal(headOf(before), expected, events)
    if (before === undefined || refused !== undefined) return refused ?? { ok: false, reason: 'gone' }
    if (events.length === 0) return { ok: true, record: before }

    const facts = this.#known.factsOf(before)
    const bodies = events.map(textOfEvent)
    // Without facts (another writer appended while we read) the snapshot is simply due.
    const grown = (facts?.tailSize ?? Number.POSITIVE_INFINITY) + bodies.reduce((sum, body) => sum + body.length, 0)
    const later = before.later(events, expected + events.length)
    const is = statusKeyOf(later)
    const isDue = isSnapshotDue({ state: is.state, snapshotSize: facts?.snapshotSize ?? 0, tailSize: grown })
    const snapshot = isDue ? JSON.stringify(later.task) : undefined
    const tailSize = isDue ? 0 : grown
    const appending: Appending = {
      ...{ task: lockKey(scope, id), size: grown + (snapshot?.length ?? 0) },
      ...{ scope: scopeId(scope), id, expected, was: statusKeyOf(before), is, bodies, tailSize, snapshot },
    }
    const write = (isLate: () => boolean) => this.#writes.appends.run(appending, isLate)
    const isOurs = async (): Promise<boolean> => {
      const stored = await this.#storedEvents(scope, id, expected, bodies.length)
      return stored?.length === bodies.length && stored.every(({ text }, n) => text === bodies[n])
    }
    if (!(await repeatWrite({ write, isOurs, mayRepeat }))) {
      // Another writer was faster; what is stored now says how the race ended.
      const current = headOf(await this.#read(scope, id))
      return refusal(current, expected, events) ?? { ok: false, reason: 'conflict' }
    }
    const record = isDue ? FoldingRecord.of(later.task, later.seq) : later
    const snapshotSize = snapshot?.length ?? facts?.snapshotSize ?? 0
    this.#known.remember(scope, id, record, { snapshotSize, tailSize })
    this.#known.keepEvents(scope, id, later.seq, events, bodies)
    return { ok: true, record }
  }

  async readEvents(scope: Scope, id: string, after: Seq, limit: number): Promise<readonly StoredEvent[] | undefined> {
    return this.#known.recentEvents(scope, id, after, limit) ?? this.#storedEvents(scope, id, after, limit)
  }

  async #storedEvents(
    scope: Scope,
    id: string,
    after: Seq,
    limit: number,
  ): Promise<readonly StoredEvent[] | undefined> {
    // One row with nulls when the task has no such events, none when there is no such task.
    const rows = await this.#db.rows<{ seq: string | null; body: string }>(
      `SELECT events.seq, body FROM tasks LEFT JOIN LATERAL (
         SELECT seq, body FROM events WHERE task = key AND seq > $3 ORDER BY seq LIMIT $4
       ) events ON true WHERE id = $1 AND scope = $2 ORDER BY events.seq`,
      [keyText(id), scopeId(scope), after, limit],
    )
    if (rows.length === 0) return undefined
    return rows.filter(({ seq }) => seq !== null).map(({ seq, body }) => storedFromText(Number(seq), body))
  }

  async list(scope: Scope, query: ListQuery): Promise<Page<TaskRecord>> {
    const plan = listPlan(scopeId(scope), query, decodePageToken(scope, query), HEAD)
    const [found, totals] = await Promise.all([
      this.#db.rows<TaskRow & { size: number }>(plan.page.sql, plan.page.values),
      this.#db.rows<{ total: string }>(plan.total.sql, plan.total.values),
    ])
    const { rows, hasMore } = cutPage(found, query, ({ size }) => size)
    const last = rows.at(-1)
    const position = { statusMs: Number(last?.status_ms), order: Number(last?.created_order) }
    return {
      items: await this.#records(rows),
      next: hasMore ? encodePageToken(scope, query, position) : '',
      total: Number(totals[0]?.total ?? 0),
    }
  }

  unfinished(limit: number): Promise<readonly { scope: Scope; record: TaskRecord }[]> {
    return this.#unfinished('true', limit)
  }

  orphaned(limit: number): Promise<readonly { scope: Scope; record: TaskRecord }[]> {
    return this.#unfinished(`owner IN (${DEAD_OWNERS})`, limit)
  }

  async #unfinished(condition: string, limit: number): Promise<readonly { scope: Scope; record: TaskRecord }[]> {
    const columns = COLUMNS.replaceAll(/\b(key|id)\b/g, 'tasks.$1')
    const rows = await this.#db.rows<TaskRow & Scope>(
      `SELECT ${columns}, agent, tenant, subject FROM tasks JOIN scopes ON scopes.id = scope
       WHERE ${UNFINISHED} AND ${condition} LIMIT $1`,
      [limit],
    )
    const records = await this.#records(rows)
    return rows.flatMap(({ agent, tenant, subject }, n) => {
      const record = records[n]
      return record === undefined
        ? []
        : [{ scope: { agent, tenant: nameIn(tenant), subject: nameIn(subject) }, record }]
    })
  }

  async expire({ before = 0, keep, limit }: Expiry): Promise<number> {
    const gone = await this.#db.rows<Scope & { id: string }>(EXPIRE, [before, keep ?? null, limit])
    for (const { id, agent, tenant, subject } of gone) {
      const scope = { agent, tenant: nameIn(tenant), subject: nameIn(subject) }
      this.#known.forget(scope, nameIn(id))
    }
    const [swept] = await this.#db.rows<{ count: string }>(SWEEP, [EVENTS_PER_STEP])
    const events = Number(swept?.count ?? 0)
    if (events < EVENTS_PER_STEP) await this.#db.rows(SWEPT, [])
    return gone.length + events
  }

  onCommit(listener: (writes: number) => void): void {
    this.#writes.begins.onCommit = listener
    this.#writes.appends.onCommit = listener
  }

  onForgotten(listener: Forgotten): void {
    this.#known.onForgotten(listener)
  }

  /** This process says that it lives: a write like any other. */
  probe(): Promise<void> {
    return this.#lease.beat()
  }

  async close(): Promise<void> {
    this.#lease.stop()
    // An orderly end leaves nothing to wait for.
    await this.#db.rows(FORGET_REPLICA, [this.#replica]).catch(() => {})
    await this.#leave()
  }

  #select(scope: Scope, id: string): Promise<TaskRow[]> {
    const sql = `SELECT ${COLUMNS} FROM tasks WHERE id = $1 AND scope = $2`
    return this.#db.rows<TaskRow>(sql, [keyText(id), scopeId(scope)])
  }

  async #read(scope: Scope, id: string): Promise<FoldingRecord | undefined> {
    const [row] = await this.#select(scope, id)
    if (row === undefined) return undefined
    const [record] = await this.#records([row])
    // Only what the row itself says is remembered: events that came after it changed the sizes too.
    if (record?.seq === Number(row.seq)) {
      this.#known.remember(scope, id, record, { snapshotSize: row.snapshot_size, tailSize: row.tail_size })
    }
    return record
  }

  /** Snapshots plus the events after them; one query for all tails. */
  async #records(rows: readonly TaskRow[]): Promise<FoldingRecord[]> {
    const tails = rows.filter(({ seq, snapshot_seq }) => seq !== snapshot_seq)
    const events = new Map<string, StoredEvent[]>()
    if (tails.length > 0) {
      const found = await this.#db.rows<{ task: string; seq: string; body: string }>(
        `SELECT task, events.seq, body FROM unnest($1::bigint[], $2::bigint[]) AS wanted (key, after)
         JOIN events ON task = key AND events.seq > after ORDER BY task, events.seq`,
        [tails.map(({ key }) => key), tails.map(({ snapshot_seq }) => snapshot_seq)],
      )
      for (const { task, seq, body } of found) {
        const list = events.get(task) ?? []
        if (list.length === 0) events.set(task, list)
        list.push(storedFromText(Number(seq), body))
      }
    }
    return rows.map((row) => {
      const tail = events.get(row.key) ?? []
      const snapshot = JSON.parse(row.snapshot) as Task
      const task = applyEvents(
        snapshot,
        tail.map(({ event }) => event),
      )
      return FoldingRecord.of(task, tail.at(-1)?.seq ?? Number(row.snapshot_seq))
    })
  }
}

function lockKey(scope: Scope, id: string): string {
  return `${scopeId(scope)} ${id}`
}

/** A broken connection, or two replicas that drew the same creation order. */
function mayRepeat(error: unknown): boolean {
  return isBroken(error) || isUniqueViolation(error)
}
