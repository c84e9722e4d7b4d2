// The task store that lives in this process. Snapshots are immutable and share structure (model/fold.ts), so they are
// handed out as they are. Everything is synchronous inside: each method is its own transaction.

import { A2AError } from '../../../model/errors.ts'
import type { TaskEvent } from '../../../model/event.ts'
import { type Scope, scopeKey } from '../../../model/scope.ts'
import { isInterrupted, isTerminal } from '../../../model/state-machine.ts'
import { TASK_STATES, type Task } from '../../../model/task.ts'
import { refusal } from '../append-rule.ts'
import { lastStatus } from '../folding-record.ts'
import { decodePageToken, encodePageToken, statusMsOf } from '../page-token.ts'
import type { AppendResult, ListQuery, Page, Seq, StoredEvent, TaskRecord, TaskStore } from '../task-store.ts'
import { Entry } from './entry.ts'
import { ScopeShelf } from './shelf.ts'
import { Slabs } from './slabs.ts'
import type { TaskLog } from './task-log.ts'
import { Warm } from './warm.ts'

export interface MemoryStoreOptions {
  /** With this many tasks stored, creating another fails with ResourceExhausted. */
  maxTasks?: number
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

const UNFINISHED_STATES = TASK_STATES.filter((state) => !isTerminal(state) && !isInterrupted(state))

class MemoryTaskStore implements TaskStore {
  readonly #options: MemoryStoreOptions
  readonly #shelves = new Map<string, ScopeShelf<Entry>>()
  /** Most requests in a row are for one scope; finding it again needs no key. */
  #lastShelf: ScopeShelf<Entry> | undefined
  #size = 0
  readonly #slabs = new Slabs()
  readonly #justEnded = new Warm(JUST_ENDED, this.#slabs)
  readonly #askedFor = new Warm(ASKED_FOR, this.#slabs)
  /** Finished tasks in the order they finished; kept only when retention is limited. */
  readonly #finished = new Set<Entry>()

  constructor(options: MemoryStoreOptions) {
    this.#options = options
  }

  create(scope: Scope, task: Task): TaskRecord | 'exists' {
    let shelf = this.#shelfOf(scope)
    const { maxTasks } = this.#options
    if (maxTasks !== undefined && this.#size >= maxTasks) {
      if (shelf?.byId.get(task.id) !== undefined) return 'exists'
      throw new A2AError('ResourceExhausted', `the server already holds its limit of ${maxTasks} tasks`)
    }
    if (shelf === undefined) {
      shelf = new ScopeShelf(scope)
      this.#shelves.set(scopeKey(scope), shelf)
    }
    const entry = new Entry(shelf, task)
    if (shelf.byId.add(entry) !== undefined) return 'exists'
    this.#size++
    shelf.add(entry)
    const { record } = entry.log
    if (isTerminal(entry.state)) this.#finish(entry)
    return record
  }

  get(scope: Scope, id: string): TaskRecord | undefined {
    const entry = this.#find(scope, id)
    return entry && this.#logOf(entry).record
  }

  append(scope: Scope, id: string, expected: Seq, events: readonly TaskEvent[]): AppendResult {
    const entry = this.#find(scope, id)
    const refused = refusal(entry && { seq: this.#logOf(entry).record.seq, state: entry.state }, expected, events)
    if (entry === undefined || refused !== undefined) return refused ?? { ok: false, reason: 'gone' }
    const record = entry.log.append(events)
    const status = lastStatus(events)
    if (status !== undefined) entry.shelf.move(entry, status.state, statusMsOf(status))
    if (isTerminal(entry.state)) this.#finish(entry)
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
    const index = this.#shelfOf(scope)?.narrowest(contextId, state)
    if (index === undefined) return { items: [], next: '', total: 0 }
    const entries = index.newest(pageSize + 1, before, statusAfterMs)
    const hasMore = entries.length > pageSize
    if (hasMore) entries.length = pageSize
    const last = entries.at(-1)
    return {
      items: entries.map((entry) => this.#logOf(entry).record),
      next: hasMore && last !== undefined ? encodePageToken(scope, query, last) : '',
      total: statusAfterMs === undefined ? index.size : index.countSince(statusAfterMs),
    }
  }

  async unfinished(limit: number): Promise<readonly { scope: Scope; record: TaskRecord }[]> {
    const found: { scope: Scope; record: TaskRecord }[] = []
    for (const shelf of this.#shelves.values()) {
      for (const state of UNFINISHED_STATES) {
        const entries = shelf.index(state)?.newest(limit - found.length) ?? []
        for (const { log } of entries) found.push({ scope: shelf.scope, record: log.record })
        if (found.length >= limit) return found
      }
    }
    return found
  }

  async close(): Promise<void> {
    this.#size = 0
    this.#shelves.clear()
    this.#lastShelf = undefined
    this.#justEnded.clear()
    this.#askedFor.clear()
    this.#finished.clear()
  }

  #find(scope: Scope, id: string): Entry | undefined {
    return this.#shelfOf(scope)?.byId.get(id)
  }

  #shelfOf(scope: Scope): ScopeShelf<Entry> | undefined {
    const last = this.#lastShelf?.scope
    if (last?.subject === scope.subject && last.tenant === scope.tenant && last.agent === scope.agent)
      return this.#lastShelf
    const shelf = this.#shelves.get(scopeKey(scope))
    if (shelf !== undefined) this.#lastShelf = shelf
    return shelf
  }

  #logOf(entry: Entry): TaskLog {
    if (entry.isCold) this.#askedFor.add(entry)
    return entry.log
  }

  #finish(entry: Entry): void {
    entry.shelf.shelve(entry)
    this.#justEnded.add(entry)
    const keep = this.#options.retain?.finishedTasks
    if (keep === undefined) return
    this.#finished.add(entry)
    for (const oldest of this.#finished) {
      if (this.#finished.size <= keep) break
      this.#forget(oldest)
    }
  }

  #forget(entry: Entry): void {
    this.#finished.delete(entry)
    this.#size--
    entry.shelf.byId.delete(entry.id)
    entry.shelf.remove(entry)
    entry.forget()
    if (entry.shelf.byId.size > 0) return
    this.#shelves.delete(scopeKey(entry.shelf.scope))
    this.#lastShelf = undefined
  }
}
