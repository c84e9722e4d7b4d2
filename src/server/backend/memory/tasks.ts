// The task store that lives in this process. Snapshots are immutable and share structure (model/fold.ts), so they are
// handed out as they are. Everything is synchronous inside: each method is its own transaction. What it holds is bounded,
// in tasks and in bytes: for what is new, the finished task that changed longest ago is forgotten, then one that waits for
// its client; a running task never is.

import { A2AError } from '../../../model/errors.ts'
import type { TaskEvent } from '../../../model/event.ts'
import { type Scope, scopeKey } from '../../../model/scope.ts'
import { isInterrupted, isSettled, isTerminal } from '../../../model/state-machine.ts'
import { TASK_STATES, type Task } from '../../../model/task.ts'
import { weightOfEvents, weightOfTask } from '../../../model/weight.ts'
import { refusal } from '../../store/append-rule.ts'
import { lastStatus } from '../../store/folding-record.ts'
import { cutPage } from '../../store/page-cut.ts'
import { decodePageToken, encodePageToken, statusMsOf } from '../../store/page-token.ts'
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
import { AgeList } from './age-list.ts'
import { checkBound, defaultMaxBytes, MAX_TASKS } from './bounds.ts'
import { Entry } from './entry.ts'
import { HotList } from './hot-list.ts'
import { Slabs } from './slabs.ts'
import { ScopeIndex } from './task-index.ts'
import type { TaskLog } from './task-log.ts'

export interface MemoryStoreOptions {
  /** So many tasks are held; for another one room is made, or it fails with ResourceExhausted. 100,000 by default. */
  maxTasks?: number
  /** The same for what they take together; by default a quarter of the memory of the process, at most 256 MiB. */
  maxBytes?: number
  /** Milliseconds; Date.now unless given. */
  now?: () => number
  retain?: {
    /** Keep this many finished tasks; the one that finished first is forgotten first. */
    finishedTasks?: number
  }
}

export function openMemoryStore(options: MemoryStoreOptions = {}): TaskStore {
  return new MemoryTaskStore(options)
}

/** So many tasks that have just ended stay at hand, for subscribers that are still reading the end. */
const JUST_ENDED = 8
/** And so many that were asked for since: a page of the largest size, and more. */
const ASKED_FOR = 128
/** Of all that is held, this much of either may be at hand. */
const HOT_SHARE = 1 / 8
const RETRY_AFTER_SECONDS = 5
/** What a caller takes beside its tasks: on an open mount anybody may be as many callers as there are tenants. */
const SCOPE_BYTES = 3_000

const UNFINISHED_STATES = TASK_STATES.filter((state) => !isSettled(state))

class MemoryTaskStore implements TaskStore {
  readonly #now: () => number
  readonly #maxTasks: number
  readonly #maxBytes: number
  readonly #maxFinished: number
  readonly #scopes = new Map<string, ScopeIndex<Entry>>()
  /** Most requests in a row are for one scope; finding it again needs no key. */
  #lastIndex: ScopeIndex<Entry> | undefined
  #size = 0
  #bytes = 0
  readonly #slabs = new Slabs()
  readonly #justEnded: HotList
  readonly #askedFor: HotList
  readonly #finished = new AgeList<Entry>()
  /** For their client to answer; perhaps it never does. */
  readonly #waiting = new AgeList<Entry>()
  readonly #onForgotten: Forgotten[] = []

  constructor({ maxTasks = MAX_TASKS, maxBytes = defaultMaxBytes(), retain, now = Date.now }: MemoryStoreOptions) {
    this.#now = now
    this.#maxTasks = checkBound('tasks', maxTasks)
    this.#maxBytes = checkBound('bytes', maxBytes)
    this.#maxFinished = retain?.finishedTasks ?? Number.POSITIVE_INFINITY
    this.#justEnded = new HotList(JUST_ENDED, maxBytes * HOT_SHARE, this.#slabs)
    this.#askedFor = new HotList(ASKED_FOR, maxBytes * HOT_SHARE, this.#slabs)
  }

  onForgotten(listener: Forgotten): void {
    this.#onForgotten.push(listener)
  }

  create(scope: Scope, task: Task, weight = weightOfTask(task)): TaskRecord | 'exists' {
    const known = this.#indexOf(scope)
    if (known?.byId.get(task.id) !== undefined) return 'exists'
    const index = known ?? new ScopeIndex<Entry>(scope)
    const entry = new Entry(index, task, weight)
    const bytes = entry.bytes + (known === undefined ? SCOPE_BYTES : 0)
    const isTight = this.#size >= this.#maxTasks || this.#bytes + bytes > this.#maxBytes
    if (isTight && !this.#makeRoom(1, bytes)) throw this.#full()
    // A new caller, or one whose last task made room just now.
    if (known === undefined || isTight) this.#keepIndex(index)
    index.byId.add(entry)
    this.#size++
    this.#bytes += entry.bytes
    index.add(entry)
    const { record } = entry.log
    this.#file(entry)
    return record
  }

  get(scope: Scope, id: string): TaskRecord | undefined {
    const entry = this.#find(scope, id)
    return entry && this.#logOf(entry).record
  }

  append(
    scope: Scope,
    id: string,
    expected: Seq,
    events: readonly TaskEvent[],
    bytes = weightOfEvents(events),
  ): AppendResult {
    const entry = this.#find(scope, id)
    const refused = refusal(entry && { seq: this.#logOf(entry).record.seq, state: entry.state }, expected, events)
    if (entry === undefined || refused !== undefined) return refused ?? { ok: false, reason: 'gone' }
    const status = lastStatus(events)
    this.#grow(entry, bytes || 0, status !== undefined && isTerminal(status.state))
    const record = entry.log.append(events)
    if (status !== undefined) {
      entry.index.move(entry, status.state, statusMsOf(status))
      this.#file(entry)
    }
    return { ok: true, record }
  }

  readEvents(scope: Scope, id: string, after: Seq, limit: number): readonly StoredEvent[] | undefined {
    const entry = this.#find(scope, id)
    if (entry === undefined) return undefined
    return this.#logOf(entry).read(after, limit)
  }

  async list(scope: Scope, query: ListQuery): Promise<Page<TaskRecord>> {
    const before = decodePageToken(scope, query)
    const { contextId, state, statusAfterMs, pageSize } = query
    const index = this.#indexOf(scope)?.narrowest(contextId, state)
    if (index === undefined) return { items: [], next: '', total: 0 }
    const found = index.newest(pageSize + 1, before, statusAfterMs)
    const { rows: entries, hasMore } = cutPage(found, query, ({ bytes }) => bytes)
    const last = entries.at(-1)
    return {
      items: entries.map((entry) => this.#logOf(entry).record),
      next: hasMore && last !== undefined ? encodePageToken(scope, query, last) : '',
      total: statusAfterMs === undefined ? index.size : index.countSince(statusAfterMs),
    }
  }

  async unfinished(limit: number): Promise<readonly { scope: Scope; record: TaskRecord }[]> {
    const found: { scope: Scope; record: TaskRecord }[] = []
    for (const index of this.#scopes.values()) {
      for (const state of UNFINISHED_STATES) {
        const entries = index.index(state)?.newest(limit - found.length) ?? []
        for (const { log } of entries) found.push({ scope: index.scope, record: log.record })
        if (found.length >= limit) return found
      }
    }
    return found
  }

  async expire({ before = 0, keep = Number.POSITIVE_INFINITY, limit }: Expiry): Promise<number> {
    let deleted = 0
    for (; deleted < limit; deleted++) {
      const [ended, waiting] = [this.#finished.oldest, this.#waiting.oldest]
      const oldest = ended !== undefined && ended.changedAt <= (waiting?.changedAt ?? ended.changedAt) ? ended : waiting
      if (oldest === undefined) break
      if (oldest.changedAt * 1000 >= before && this.#finished.size + this.#waiting.size <= keep) break
      this.#forget(oldest)
    }
    return deleted
  }

  async close(): Promise<void> {
    this.#size = 0
    this.#bytes = 0
    this.#scopes.clear()
    this.#lastIndex = undefined
    this.#justEnded.clear()
    this.#askedFor.clear()
    this.#finished.clear()
    this.#waiting.clear()
  }

  #find(scope: Scope, id: string): Entry | undefined {
    return this.#indexOf(scope)?.byId.get(id)
  }

  #indexOf(scope: Scope): ScopeIndex<Entry> | undefined {
    const last = this.#lastIndex?.scope
    if (last?.subject === scope.subject && last.tenant === scope.tenant && last.agent === scope.agent)
      return this.#lastIndex
    const index = this.#scopes.get(scopeKey(scope))
    if (index !== undefined) this.#lastIndex = index
    return index
  }

  #keepIndex(index: ScopeIndex<Entry>): void {
    const key = scopeKey(index.scope)
    if (this.#scopes.has(key)) return
    this.#scopes.set(key, index)
    this.#bytes += SCOPE_BYTES
  }

  #logOf(entry: Entry): TaskLog {
    if (entry.isCompact) this.#askedFor.add(entry)
    return entry.log
  }

  /** Where the entry stands among those that may be forgotten. */
  #file(entry: Entry): void {
    entry.changedAt = Math.floor(this.#now() / 1000)
    if (isTerminal(entry.state)) {
      entry.index.insert(entry)
      this.#finished.add(entry)
      this.#justEnded.add(entry)
      for (let oldest = this.#finished.oldest; oldest !== undefined; oldest = this.#finished.oldest) {
        if (this.#finished.size <= this.#maxFinished) break
        this.#forget(oldest)
      }
    } else if (isInterrupted(entry.state)) this.#waiting.add(entry)
    else this.#waiting.remove(entry)
  }

  /** This one is running, so it makes no room itself; its end is always taken. */
  #grow(entry: Entry, bytes: number, isEnd: boolean): void {
    if (this.#bytes + bytes > this.#maxBytes) {
      this.#waiting.remove(entry)
      const hasRoom = this.#makeRoom(0, bytes)
      this.#file(entry)
      if (!hasRoom && !isEnd) throw this.#full()
    }
    entry.bytes += bytes
    this.#bytes += bytes
  }

  /** Forgets as many as that takes, or all it may. */
  #makeRoom(tasks: number, bytes: number): boolean {
    while (this.#size + tasks > this.#maxTasks || this.#bytes + bytes > this.#maxBytes) {
      const oldest = this.#finished.oldest ?? this.#waiting.oldest
      if (oldest === undefined) return false
      this.#forget(oldest)
    }
    return true
  }

  #full(): A2AError {
    const held = `${this.#size.toLocaleString('en-US')} of ${this.#maxTasks.toLocaleString('en-US')} tasks`
    const size = `${this.#bytes.toLocaleString('en-US')} of ${this.#maxBytes.toLocaleString('en-US')} bytes`
    const message = `This server has no room left: it holds ${held}, ${size}, and all of them are being worked on.`
    return new A2AError('ResourceExhausted', message, { retryAfterSeconds: RETRY_AFTER_SECONDS })
  }

  #forget(entry: Entry): void {
    const { index } = entry
    entry.ageList?.remove(entry)
    this.#size--
    this.#bytes -= entry.bytes
    index.byId.delete(entry.id)
    index.remove(entry)
    entry.forget()
    if (index.byId.size === 0 && this.#scopes.delete(scopeKey(index.scope))) {
      this.#bytes -= SCOPE_BYTES
      this.#lastIndex = undefined
    }
    for (const observer of this.#onForgotten) observer(index.scope, entry.id)
  }
}
