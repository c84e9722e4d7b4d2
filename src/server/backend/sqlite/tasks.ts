// The embedded durable store on node:sqlite. Every append is one committed transaction: events, head, tallies and,
// when due (snapshot-policy.ts), the snapshot. A task is read as its snapshot plus the fold of the events after it.

import type { DatabaseSync, SQLInputValue, StatementResultingChanges, StatementSync } from 'node:sqlite'
import { ParleyError } from '../../../model/errors.ts'
import type { TaskEvent } from '../../../model/event.ts'
import { applyEvents } from '../../../model/fold.ts'
import { keyText, nameIn } from '../../../model/key-text.ts'
import { type Scope, scopeKey } from '../../../model/scope.ts'
import type { Task, TaskState } from '../../../model/task.ts'
import { refusal } from '../../store/append-rule.ts'
import { type FirstWrite, firstWrite } from '../../store/first-write.ts'
import { FoldingRecord } from '../../store/folding-record.ts'
import { CACHE_BUDGET, RECENT_BUDGET } from '../../store/known-tasks.ts'
import { cutPage } from '../../store/page-cut.ts'
import { decodePageToken, encodePageToken } from '../../store/page-token.ts'
import { RecentEvents } from '../../store/recent-events.ts'
import { SnapshotCache } from '../../store/snapshot-cache.ts'
import { isSnapshotDue } from '../../store/snapshot-policy.ts'
import { storedFromText, storedWhole, textOfEvent } from '../../store/stored-event.ts'
import { statusKeyOf, tallyChanges } from '../../store/tally.ts'
import type {
  AppendResult,
  Expiry,
  Forgotten,
  HoldOptions,
  ListQuery,
  Page,
  Seq,
  StoredEvent,
  TaskRecord,
  TaskStore,
} from '../../store/task-store.ts'
import { asUnavailable, type Row, type SqliteFile, unusable } from './database.ts'
import { hideExpired, removeHidden } from './expiry.ts'
import { GroupCommit } from './group-commit.ts'
import { listPlan } from './list-plan.ts'
import { namesOf } from './names.ts'
import { UNFINISHED } from './schema.ts'
import { ServingLease } from './serving-lease.ts'
import { TransactionSums } from './transaction-sums.ts'

const SCOPE_CACHE_SIZE = 10_000
/** A few pages, as the events of a task are. */
const PROBE_BYTES = 8_192

/** Rows of a statement that adds events. */
const ROWS_AT_ONCE = 32
/** By the number of rows. */
const INSERT_EVENTS = Array.from(
  { length: ROWS_AT_ONCE + 1 },
  (_, rows) =>
    `INSERT INTO events (task, seq, body) VALUES ${Array.from({ length: rows }, () => '(?, ?, ?)').join(', ')}`,
)

type Refusal = Extract<AppendResult, { ok: false }>

interface Appended {
  record: FoldingRecord
  size: number
  key: number
  stored: readonly StoredEvent[]
}

/** What an append must know about the task before it. */
interface Head {
  key: number
  state: TaskState
  seq: number
  snapshot_size: number
  tail_size: number
}

const HEAD = 'key, state, seq, snapshot_size, tail_size'

export class SqliteTaskStore implements TaskStore {
  readonly #file: SqliteFile
  readonly #db: DatabaseSync
  readonly #path: string
  readonly #leave: () => Promise<void>
  #holds = 0
  #taking: Promise<ServingLease> | undefined
  #lease: ServingLease | undefined
  readonly #cache = new SnapshotCache<number, FoldingRecord>(CACHE_BUDGET)
  readonly #recent = new RecentEvents(RECENT_BUDGET)
  readonly #commits = new GroupCommit((work) => this.#transact(work))
  readonly #sums: TransactionSums
  /** Keys of scopes never change, so a known one needs no second look. */
  readonly #scopes = new Map<string, number>()

  readonly #onForgotten: Forgotten[] = []
  readonly #now: () => number

  constructor(file: SqliteFile, now: () => number = Date.now) {
    this.#now = now
    this.#file = file
    this.#sums = new TransactionSums(file)
    this.#db = file.db
    this.#path = file.path
    this.#leave = file.enter()
  }

  async hold(options: HoldOptions = {}): Promise<() => void> {
    // A database in memory cannot be opened by another process.
    if (this.#path === ':memory:') return () => {}
    this.#holds++
    try {
      this.#taking ??= ServingLease.take(this.#db, this.#path, this.#file.patience, options)
      this.#lease = await this.#taking
    } catch (error) {
      this.#taking = undefined
      this.#holds--
      throw error instanceof ParleyError ? error : unusable(this.#path, error)
    }
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      if (--this.#holds === 0) this.#letGo()
    }
  }

  async probe(): Promise<void> {
    this.#transact(() => {
      this.#db.exec('CREATE TABLE IF NOT EXISTS probe (one INTEGER PRIMARY KEY, body BLOB NOT NULL) STRICT')
      this.#run('INSERT OR REPLACE INTO probe (one, body) VALUES (1, randomblob(?))', PROBE_BYTES)
    })
  }

  #letGo(): void {
    this.#lease?.release()
    this.#lease = undefined
    this.#taking = undefined
  }

  async create(scope: Scope, task: Task): Promise<TaskRecord | 'exists'> {
    const begun = await this.begin(scope, task, [])
    return begun !== 'exists' && begun.ok ? begun.record : 'exists'
  }

  async begin(scope: Scope, task: Task, events: readonly TaskEvent[]): Promise<AppendResult | 'exists'> {
    const first = firstWrite(task, events)
    if ('reason' in first) return first
    const key = await this.#commits.run(() => this.#beginInside(scope, task, first))
    if (key === undefined) return 'exists'
    const record = first.record(events.length)
    this.#cache.set(key, record, first.snapshot.length + first.tailSize)
    const stored = events.map((event, n) => storedWhole(n + 1, event, first.bodies[n] ?? ''))
    this.#recent.add(recentKey(scope, task.id), stored)
    return { ok: true, record }
  }

  #beginInside(scope: Scope, task: Task, first: FirstWrite): number | undefined {
    const { status, bodies, snapshot } = first
    const scopeNumber = this.#scopeNumber(scope) ?? this.#sums.scopeNumber(scope)
    const { lastInsertRowid, changes } = this.#run(
      `INSERT INTO tasks (id, scope, context, state, status_ms, created_order, changed_ms, seq, snapshot_size, tail_size)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id, scope) DO NOTHING`,
      keyText(task.id),
      scopeNumber,
      task.contextId === undefined ? null : keyText(task.contextId),
      ...[status.state, status.statusMs, this.#sums.nextOrder(scopeNumber), this.#now()],
      ...[bodies.length, snapshot.length, first.tailSize],
    )
    if (Number(changes) === 0) return undefined
    const key = Number(lastInsertRowid)
    const snapshotSeq = first.isWhole ? bodies.length : 0
    this.#run('INSERT INTO snapshots (task, seq, body) VALUES (?, ?, ?)', key, snapshotSeq, snapshot)
    this.#insertEvents(key, 0, bodies)
    this.#sums.tally(scopeNumber, tallyChanges(undefined, status))
    return key
  }

  async get(scope: Scope, id: string): Promise<TaskRecord | undefined> {
    return this.#read(() => {
      const head = this.#head(this.#scopeNumber(scope), id)
      return head && this.#record(head)
    })
  }

  async append(scope: Scope, id: string, expected: Seq, events: readonly TaskEvent[]): Promise<AppendResult> {
    const appended = await this.#commits.run(() => this.#appendInside(scope, id, expected, events))
    if ('reason' in appended) return appended
    const { record, size, key, stored } = appended
    this.#cache.set(key, record, size)
    this.#recent.add(recentKey(scope, id), stored)
    return { ok: true, record }
  }

  #appendInside(scope: Scope, id: string, expected: Seq, events: readonly TaskEvent[]): Refusal | Appended {
    const scopeNumber = this.#scopeNumber(scope)
    const head = this.#head(scopeNumber, id)
    const refused = refusal(head, expected, events)
    if (head === undefined || scopeNumber === undefined || refused !== undefined)
      return refused ?? { ok: false, reason: 'gone' }
    const before = this.#record(head)
    const bodies = events.map(textOfEvent)
    const seq = before.seq + events.length
    let tailSize = bodies.reduce((sum, body) => sum + body.length, head.tail_size)
    this.#insertEvents(head.key, before.seq, bodies)
    const stored = events.map((event, n) => storedWhole(before.seq + n + 1, event, bodies[n] ?? ''))
    let record = before.later(events, seq)
    let snapshotSize = head.snapshot_size
    const [was, is] = [statusKeyOf(before), statusKeyOf(record)]
    if (events.length > 0 && isSnapshotDue({ state: is.state, snapshotSize, tailSize })) {
      record = FoldingRecord.of(record.task, seq)
      const body = JSON.stringify(record.task)
      this.#run('UPDATE snapshots SET seq = ?, body = ? WHERE task = ?', seq, body, head.key)
      snapshotSize = body.length
      tailSize = 0
    }
    const sizes = [seq, snapshotSize, tailSize, head.key]
    // SQLite rewrites every index whose column is named, whether its value changes or not.
    if (was.state === is.state && was.statusMs === is.statusMs)
      this.#run('UPDATE tasks SET seq = ?, snapshot_size = ?, tail_size = ? WHERE key = ?', ...sizes)
    else {
      this.#run(
        'UPDATE tasks SET state = ?, status_ms = ?, changed_ms = ?, seq = ?, snapshot_size = ?, tail_size = ? WHERE key = ?',
        ...[is.state, is.statusMs, this.#now(), ...sizes],
      )
      this.#sums.tally(scopeNumber, tallyChanges(was, is))
    }
    return { record, size: snapshotSize + tailSize, key: head.key, stored }
  }

  async readEvents(scope: Scope, id: string, after: Seq, limit: number): Promise<readonly StoredEvent[] | undefined> {
    const recent = this.#recent.read(recentKey(scope, id), after, limit)
    if (recent !== undefined) return recent
    return this.#read(() => {
      const head = this.#head(this.#scopeNumber(scope), id)
      return head && this.#events(head.key, after, limit)
    })
  }

  async list(scope: Scope, query: ListQuery): Promise<Page<TaskRecord>> {
    const before = decodePageToken(scope, query)
    return this.#read(() => {
      const scopeNumber = this.#scopeNumber(scope)
      if (scopeNumber === undefined) return { items: [], next: '', total: 0 }
      const plan = listPlan(scopeNumber, query, before)
      const found = this.#statement(plan.page.sql).all(...plan.page.values)
      const { rows, hasMore } = cutPage(found, query, ({ size }) => Number(size))
      const last = rows.at(-1)
      const position = { statusMs: Number(last?.status_ms), order: Number(last?.created_order) }
      return {
        items: rows.map((row) => this.#recordByKey(Number(row.key))),
        next: hasMore ? encodePageToken(scope, query, position) : '',
        total: Number(this.#get(plan.total.sql, ...plan.total.values)?.total ?? 0),
      }
    })
  }

  async unfinished(limit: number): Promise<readonly { scope: Scope; record: TaskRecord }[]> {
    return this.#read(() => {
      const rows = this.#statement(
        `SELECT tasks.key, agent, tenant, subject
         FROM tasks INDEXED BY tasks_unfinished JOIN scopes ON scopes.key = scope WHERE ${UNFINISHED} LIMIT ?`,
      ).all(limit)
      return rows.map((row) => ({
        scope: { agent: String(row.agent), tenant: nameIn(String(row.tenant)), subject: nameIn(String(row.subject)) },
        record: this.#recordByKey(Number(row.key)),
      }))
    })
  }

  async expire(expiry: Expiry): Promise<number> {
    const { hidden, removed } = await this.#commits.run(() => {
      // Which looks at the tallies, and takes from them.
      this.#sums.write()
      const expired = hideExpired(this.#file, expiry)
      return { hidden: expired, removed: removeHidden(this.#file) }
    })
    for (const { scope, id } of hidden) {
      this.#recent.forget(recentKey(scope, id))
      for (const observer of this.#onForgotten) observer(scope, id)
    }
    // The numbers of deleted tasks are given to others.
    if (removed > 0) this.#cache.clear()
    return hidden.length + removed
  }

  onCommit(listener: (writes: number) => void): void {
    this.#commits.onCommit = listener
  }

  onForgotten(listener: Forgotten): void {
    this.#onForgotten.push(listener)
  }

  async close(): Promise<void> {
    if (this.#db.isOpen) {
      this.#commits.flush()
      this.#letGo()
    }
    await this.#leave()
  }

  #scopeNumber(scope: Scope): number | undefined {
    const key = scopeKey(scope)
    const known = this.#scopes.get(key)
    if (known !== undefined) return known
    const row = this.#get('SELECT key FROM scopes WHERE agent = ? AND tenant = ? AND subject = ?', ...namesOf(scope))
    if (row === undefined) return undefined
    if (this.#scopes.size >= SCOPE_CACHE_SIZE) this.#scopes.clear()
    this.#scopes.set(key, Number(row.key))
    return Number(row.key)
  }

  #head(scopeNumber: number | undefined, id: string): Head | undefined {
    if (scopeNumber === undefined) return undefined
    const row = this.#get(`SELECT ${HEAD} FROM tasks WHERE id = ? AND scope = ?`, keyText(id), scopeNumber)
    return row && (row as unknown as Head)
  }

  #recordByKey(key: number): TaskRecord {
    const row = this.#get(`SELECT ${HEAD} FROM tasks WHERE key = ?`, key)
    return this.#record(row as unknown as Head)
  }

  /** Snapshot first, then the events after it: right even when another process appends in between. */
  #record(head: Head): FoldingRecord {
    const cached = this.#cache.get(head.key, head.seq)
    if (cached !== undefined) return cached
    const row = this.#get('SELECT seq, body FROM snapshots WHERE task = ?', head.key)
    const snapshotSeq = Number(row?.seq)
    const tail = this.#events(head.key, snapshotSeq, Number.MAX_SAFE_INTEGER)
    const task = applyEvents(
      JSON.parse(String(row?.body)) as Task,
      tail.map(({ event }) => event),
    )
    const record = FoldingRecord.of(task, snapshotSeq + tail.length)
    this.#cache.set(head.key, record, head.snapshot_size + head.tail_size)
    return record
  }

  #events(key: number, after: Seq, limit: number): StoredEvent[] {
    return this.#statement('SELECT seq, body FROM events WHERE task = ? AND seq > ? ORDER BY seq LIMIT ?')
      .all(key, after, limit)
      .map((row) => storedFromText(Number(row.seq), String(row.body)))
  }

  /** Those after the event `seq`, several in one statement. */
  #insertEvents(key: number, seq: Seq, bodies: readonly string[]): void {
    for (let at = 0; at < bodies.length; at += ROWS_AT_ONCE) {
      const rows = bodies.slice(at, at + ROWS_AT_ONCE)
      const values = rows.flatMap((body, n) => [key, seq + at + n + 1, body])
      this.#run(INSERT_EVENTS[rows.length] ?? '', ...values)
    }
  }

  #statement(sql: string): StatementSync {
    return this.#file.statement(sql)
  }

  #get(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.#statement(sql).get(...values)
  }

  #run(sql: string, ...values: SQLInputValue[]): StatementResultingChanges {
    return this.#statement(sql).run(...values)
  }

  #read<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      throw asUnavailable(error)
    }
  }

  #transact<T>(work: () => T): T {
    return this.#read(() => {
      this.#lease?.check()
      // IMMEDIATE takes the write lock at once: a reader that upgrades later could fail in the middle.
      this.#file.patience.run(() => this.#statement('BEGIN IMMEDIATE').run())
      try {
        const result = work()
        this.#sums.write()
        this.#statement('COMMIT').run()
        return result
      } catch (error) {
        if (this.#db.isTransaction) this.#statement('ROLLBACK').run()
        // What was read in between may never have been.
        this.#cache.clear()
        this.#scopes.clear()
        this.#sums.forget()
        throw error
      }
    })
  }
}

function recentKey(scope: Scope, id: string): string {
  return `${scopeKey(scope)}\u0000${id}`
}
