// The task store on Redis, shared by any number of replicas: as durable as Redis's append-only file is set to be. Every
// write is one script; the fold is made here, and the script applies only to the sequence number it was made for.

import { randomUUID } from 'node:crypto'
import type { TaskEvent } from '../../../model/event.ts'
import { applyEvents } from '../../../model/fold.ts'
import { keyText, nameIn } from '../../../model/key-text.ts'
import type { Scope } from '../../../model/scope.ts'
import { isSettled } from '../../../model/state-machine.ts'
import type { Task, TaskState } from '../../../model/task.ts'
import { headOf, refusal } from '../../store/append-rule.ts'
import { creationOrder } from '../../store/creation-order.ts'
import { firstWrite } from '../../store/first-write.ts'
import { FoldingRecord, lastStatus } from '../../store/folding-record.ts'
import { KnownTasks, type RecordFacts } from '../../store/known-tasks.ts'
import { keepLease, LEASE_MS, type LeaseKeeper } from '../../store/lease.ts'
import { cutPage } from '../../store/page-cut.ts'
import { decodePageToken, encodePageToken, statusMsOf } from '../../store/page-token.ts'
import { repeatWrite } from '../../store/repeat-write.ts'
import { scopeId } from '../../store/scope-id.ts'
import { isSnapshotDue } from '../../store/snapshot-policy.ts'
import { textOfEvent } from '../../store/stored-event.ts'
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
import { type Connection, isBroken, type ScriptedRedis } from './connection.ts'
import { encodePosition, idIn, listRange, positionIn } from './position.ts'
import { TaskRows } from './task-rows.ts'

export async function openRedisTasks(
  connection: Connection,
  leaseMs: number = LEASE_MS,
  now: () => number = Date.now,
): Promise<TaskStore> {
  const replica = randomUUID()
  const key = aliveKey(connection.prefix, replica)
  // Expiry is Redis's own business: no clock of a replica takes part in it.
  const beat = (validMs: number) => connection.use((redis) => redis.set(key, '1', 'PX', validMs))
  return new RedisTaskStore(connection, replica, await keepLease(leaseMs, beat), now)
}

interface Facts extends RecordFacts {
  readonly order: number
}

class RedisTaskStore implements TaskStore {
  readonly #connection: Connection
  readonly #rows: TaskRows
  readonly #known = new KnownTasks<Facts>()
  #connections = 0
  readonly #nextOrder = creationOrder()
  /** This process, as the writer of its tasks. */
  readonly #replica: string
  readonly #lease: LeaseKeeper
  readonly #leave: () => Promise<void>
  readonly #now: () => number
  #onCommit: ((writes: number) => void) | undefined
  #turnWrites = 0

  constructor(connection: Connection, replica: string, lease: LeaseKeeper, now: () => number) {
    this.#now = now
    this.#connection = connection
    this.#rows = new TaskRows(connection)
    this.#replica = replica
    this.#lease = lease
    this.#leave = connection.enter()
  }

  async create(scope: Scope, task: Task): Promise<TaskRecord | 'exists'> {
    const begun = await this.begin(scope, task, [])
    return begun !== 'exists' && begun.ok ? begun.record : 'exists'
  }

  async begin(scope: Scope, task: Task, events: readonly TaskEvent[]): Promise<AppendResult | 'exists'> {
    const first = firstWrite(task, events)
    if ('reason' in first) return first
    const { snapshot, bodies, tailSize } = first
    const { state, statusMs } = first.status
    const order = this.#nextOrder()
    const key = taskKey(scope, task.id)
    await this.#lease.ensureValid()
    let seq = 0
    const write = async (): Promise<boolean> => {
      this.#countWrite()
      const answer = await this.#connection.useOnce((redis, run) =>
        redis.parleyBegin(
          this.#connection.prefix,
          ...[key, run, scopeId(scope), JSON.stringify(scope), state, encodePosition(statusMs, order, key)],
          ...[
            this.#replica,
            isUnfinished(state),
            snapshot,
            snapshot.length,
            first.isWhole ? 1 : 0,
            tailSize,
            this.#now(),
          ],
          ...(task.contextId === undefined ? [0, ''] : [1, keyText(task.contextId)]),
          ...bodies,
        ),
      )
      seq = this.#seqIn(answer)
      return !Number.isNaN(seq)
    }
    const isOurs = async (): Promise<boolean> => {
      const [row] = await this.#rows.find([key])
      seq = row?.seq ?? 0
      return row?.snapshot === snapshot && encodePosition(statusMs, order, key) === row.pos
    }
    if (!(await repeatWrite({ write, isOurs, mayRepeat: isBroken }))) return 'exists'
    const record = first.record(seq)
    this.#known.remember(scope, task.id, record, { order, snapshotSize: snapshot.length, tailSize })
    this.#known.keepEvents(scope, task.id, seq, events, bodies)
    return { ok: true, record }
  }

  /** Not a number where nothing was written. */
  #seqIn(answer: string): Seq {
    if (answer !== 'epoch') return Number(answer)
    this.#connection.forgetRun()
    throw new Error('Redis restarted')
  }

  async get(scope: Scope, id: string): Promise<TaskRecord | undefined> {
    return this.#read(scope, id)
  }

  async append(scope: Scope, id: string, expected: Seq, events: readonly TaskEvent[]): Promise<AppendResult> {
    await this.#lease.ensureValid()
    const before = this.#known.recall(scope, id, expected) ?? (await this.#read(scope, id))
    const facts = before && this.#known.factsOf(before)
    const refused = refusal(headOf(before), expected, events)
    if (before === undefined || refused !== undefined) return refused ?? { ok: false, reason: 'gone' }
    if (events.length === 0) return { ok: true, record: before }
    // Another writer appended while we read: the number we were given is no longer the last.
    if (facts === undefined) return { ok: false, reason: 'conflict' }

    const bodies = events.map(textOfEvent)
    const grown = facts.tailSize + bodies.reduce((sum, body) => sum + body.length, 0)
    const status = lastStatus(events) ?? before.status
    const { state } = status
    const isDue = isSnapshotDue({ state, snapshotSize: facts.snapshotSize, tailSize: grown })
    const task = isDue ? applyEvents(before.task, events) : undefined
    const snapshot = task === undefined ? '' : JSON.stringify(task)
    const tailSize = isDue ? 0 : grown
    const key = taskKey(scope, id)
    let seq = 0
    const write = async (): Promise<boolean> => {
      this.#countWrite()
      const answer = await this.#connection.useOnce((redis, run) =>
        redis.parleyAppend(
          this.#connection.prefix,
          ...[key, run, scopeId(scope), expected, this.#replica, state],
          ...[encodePosition(statusMsOf(status), facts.order, key), isUnfinished(state), tailSize],
          ...[snapshot, snapshot.length, this.#now(), ...bodies],
        ),
      )
      seq = this.#seqIn(answer)
      return !Number.isNaN(seq)
    }
    const isOurs = async (): Promise<boolean> => {
      const stored = (await this.#storedEvents(scope, id, expected, bodies.length)) ?? []
      seq = stored.at(-1)?.seq ?? 0
      return stored.length === bodies.length && stored.every(({ text }, n) => text === bodies[n])
    }
    if (!(await repeatWrite({ write, isOurs, mayRepeat: isBroken }))) {
      // Another writer was faster; what is stored now says how the race ended.
      const current = headOf(await this.#read(scope, id))
      return refusal(current, expected, events) ?? { ok: false, reason: 'conflict' }
    }
    const record = task === undefined ? before.later(events, seq) : FoldingRecord.of(task, seq)
    const snapshotSize = isDue ? snapshot.length : facts.snapshotSize
    this.#known.remember(scope, id, record, { ...facts, snapshotSize, tailSize })
    this.#known.keepEvents(scope, id, seq, events, bodies)
    return { ok: true, record }
  }

  async readEvents(scope: Scope, id: string, after: Seq, limit: number): Promise<readonly StoredEvent[] | undefined> {
    if (this.#connections !== this.#connection.connections) {
      this.#connections = this.#connection.connections
      this.#known.clearEvents()
    }
    return this.#known.recentEvents(scope, id, after, limit) ?? this.#storedEvents(scope, id, after, limit)
  }

  async #storedEvents(
    scope: Scope,
    id: string,
    after: Seq,
    limit: number,
  ): Promise<readonly StoredEvent[] | undefined> {
    const key = taskKey(scope, id)
    return this.#connection.use(async (redis) => {
      const [isKnown, entries] = await Promise.all([
        redis.exists(`${this.#connection.prefix}task:${key}`),
        limit === 0 ? [] : this.#rows.entries(redis, key, after, limit),
      ])
      return isKnown === 1 ? entries : undefined
    })
  }

  async list(scope: Scope, query: ListQuery): Promise<Page<TaskRecord>> {
    const { key, max, min, isWhole } = listRange(scopeId(scope), query, decodePageToken(scope, query))
    const list = `${this.#connection.prefix}${key}`
    const [found, total] = await this.#connection.use((redis) =>
      Promise.all([
        redis.zrange(list, max, min, 'BYLEX', 'REV', 'LIMIT', 0, query.pageSize + 1),
        isWhole ? redis.zcard(list) : redis.zlexcount(list, min, '+'),
      ]),
    )
    const sizes = await this.#rows.sizes(found.map(idIn))
    const { rows: page, hasMore } = cutPage(found, query, (place) => sizes.get(idIn(place)) ?? 0)
    const last = page.at(-1)
    const rows = await this.#rows.find(page.map(idIn))
    return {
      items: await this.#rows.records(rows),
      next: hasMore && last !== undefined ? encodePageToken(scope, query, positionIn(last)) : '',
      total,
    }
  }

  unfinished(limit: number): Promise<readonly { scope: Scope; record: TaskRecord }[]> {
    return this.#unfinished(limit, async () => true)
  }

  orphaned(limit: number): Promise<readonly { scope: Scope; record: TaskRecord }[]> {
    const { prefix } = this.#connection
    return this.#unfinished(limit, async (redis, owner) => (await redis.exists(aliveKey(prefix, owner))) === 0)
  }

  async #unfinished(
    limit: number,
    isWanted: (redis: ScriptedRedis, owner: string) => Promise<boolean>,
  ): Promise<readonly { scope: Scope; record: TaskRecord }[]> {
    const { prefix } = this.#connection
    const keys = await this.#connection.use(async (redis) => {
      const found: string[] = []
      for (const owner of await redis.smembers(`${prefix}owners`)) {
        const room = limit - found.length
        if (room <= 0) break
        if (await isWanted(redis, owner)) found.push(...(await redis.srandmember(`${prefix}owned:${owner}`, room)))
      }
      return found
    })
    const rows = await this.#rows.find(keys)
    const records = await this.#rows.records(rows)
    return rows.flatMap(({ who }, n) => {
      const record = records[n]
      return record === undefined ? [] : [{ scope: JSON.parse(who) as Scope, record }]
    })
  }

  async expire({ before = 0, keep, limit }: Expiry): Promise<number> {
    const { prefix } = this.#connection
    const rest = `${prefix}rest`
    const deleted = await this.#connection.use(async (redis) => {
      const surplus = keep === undefined ? 0 : Math.max(0, (await redis.zcard(rest)) - keep)
      const [old, oldest] = await Promise.all([
        redis.zrange(rest, '-inf', `(${before}`, 'BYSCORE', 'LIMIT', 0, limit),
        surplus === 0 ? [] : redis.zrange(rest, 0, `${Math.min(surplus, limit) - 1}`),
      ])
      const keys = [...new Set([...old, ...oldest])].slice(0, limit)
      return Promise.all(keys.map(async (key) => ({ key, who: await redis.parleyExpire(prefix, key) })))
    })
    for (const { key, who } of deleted) {
      if (who === '') continue
      const scope = JSON.parse(who) as Scope
      this.#known.forget(scope, nameIn(key.slice(scopeId(scope).length + 1)))
    }
    return deleted.length
  }

  onForgotten(listener: Forgotten): void {
    this.#known.onForgotten(listener)
  }

  onCommit(listener: (writes: number) => void): void {
    this.#onCommit = listener
  }

  /** Writes of one turn of the event loop travel in one pipeline, and Redis saves what it read together at once. */
  #countWrite(): void {
    const listener = this.#onCommit
    if (listener === undefined || this.#turnWrites++ > 0) return
    setImmediate(() => {
      listener(this.#turnWrites)
      this.#turnWrites = 0
    })
  }

  /** This process says that it lives: a write like any other. */
  probe(): Promise<void> {
    return this.#lease.beat()
  }

  async close(): Promise<void> {
    this.#lease.stop()
    // An orderly end leaves nothing to wait for.
    await this.#connection.use((redis) => redis.del(aliveKey(this.#connection.prefix, this.#replica))).catch(() => {})
    await this.#leave()
  }

  async #read(scope: Scope, id: string): Promise<FoldingRecord | undefined> {
    const [row] = await this.#rows.find([taskKey(scope, id)])
    if (row === undefined) return undefined
    const [record] = await this.#rows.records([row])
    // Only what the row itself says is remembered: events that came after it changed the sizes too.
    if (record?.seq === row.seq) {
      const { snapshotSize, tailSize } = row
      this.#known.remember(scope, id, record, { order: positionIn(row.pos).order, snapshotSize, tailSize })
    }
    return record
  }
}

function aliveKey(prefix: string, replica: string): string {
  return `${prefix}alive:${replica}`
}

/** An id names a task only together with its scope. */
function taskKey(scope: Scope, id: string): string {
  return `${scopeId(scope)}:${keyText(id)}`
}

function isUnfinished(state: TaskState): '1' | '0' {
  return isSettled(state) ? '0' : '1'
}
