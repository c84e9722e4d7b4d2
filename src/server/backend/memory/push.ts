// Push configurations in this process, beside a task store that may be anywhere. Everything is synchronous between two
// looks at the tasks: each change is its own transaction.

import { randomUUID } from 'node:crypto'
import { memoryShare } from '../../../base/memory-share.ts'
import { scopeKey } from '../../../model/scope.ts'
import { weightOf, weightOfTask } from '../../../model/weight.ts'
import type {
  Lease,
  Progress,
  PushKey,
  PushRow,
  PushStore,
  PutAnswer,
  PutOptions,
  ReadyRow,
  Registration,
  TaskKey,
} from '../../store/push-store.ts'
import type { TaskRecord, TaskStore } from '../../store/task-store.ts'

/** On an open mount anybody may be as many callers as there are tenants. */
const MAX_BYTES = 64 * 1024 * 1024
const SHARE = 1 / 16

export function openMemoryPushStore(
  tasks: TaskStore,
  now: () => number = Date.now,
  maxBytes: number = memoryShare(MAX_BYTES, SHARE),
): PushStore {
  return new MemoryPushStore(tasks, now, maxBytes)
}

/** Of a row beside its texts. */
const ROW_BYTES = 500

interface Entry {
  row: PushRow
  readonly bytes: number
  dueAt: number
  leasedUntil: number
  token: string
}

class MemoryPushStore implements PushStore {
  readonly #tasks: TaskStore
  readonly #now: () => number
  readonly #byTask = new Map<string, Map<string, Entry>>()
  /** What `ready` looks through when no task is named. */
  readonly #active = new Set<Entry>()
  readonly #activeInScope = new Map<string, number>()
  readonly #maxBytes: number
  #bytes = 0

  constructor(tasks: TaskStore, now: () => number, maxBytes: number) {
    this.#tasks = tasks
    this.#now = now
    this.#maxBytes = maxBytes
  }

  async put(registration: Registration, at: PutOptions): Promise<PutAnswer> {
    const { id, scope } = registration
    const task = nameOf(registration)
    const entries = this.#byTask.get(task) ?? new Map<string, Entry>()
    const known = entries.get(id)?.row
    if (known === undefined && entries.size >= at.maxPerTask) return 'task-full'
    const activeInScope = this.#activeInScope.get(scopeKey(scope)) ?? 0
    if (known === undefined && activeInScope >= at.maxPerScope) return 'scope-full'
    const bytes = bytesOf(registration, known?.start ?? at.start)
    if (this.#bytes + bytes > this.#maxBytes) return 'store-full'
    const row: PushRow = {
      ...registration,
      start: known?.start ?? at.start,
      deliveredSeq: known?.deliveredSeq ?? at.deliveredSeq,
      ...{ attempts: 0, error: undefined },
      state: known?.state === 'done' ? 'done' : 'active',
    }
    this.#forget(row)
    const entry: Entry = { row, bytes, dueAt: 0, leasedUntil: 0, token: '' }
    this.#bytes += bytes
    this.#byTask.set(task, entries.set(id, entry))
    if (row.state === 'active') this.#activate(entry)
    return 'stored'
  }

  async list(task: TaskKey): Promise<readonly PushRow[]> {
    return this.#of(task)
      .map(({ row }) => row)
      .sort((a, b) => (a.id < b.id ? -1 : 1))
  }

  async remove(key: PushKey): Promise<void> {
    this.#forget(key)
  }

  forget(task: TaskKey): void {
    for (const { row } of this.#of(task)) this.#forget(row)
  }

  async ready({ task, limit }: { task?: TaskKey; limit: number }): Promise<readonly ReadyRow[]> {
    const found: ReadyRow[] = []
    for (const entry of task === undefined ? [...this.#active] : this.#of(task)) {
      if (found.length >= limit) break
      if (!this.#isFree(entry)) continue
      const { scope, taskId, id, config, deliveredSeq } = entry.row
      const record = await this.#tasks.get(scope, taskId)
      // A task that retention has forgotten takes its configurations along.
      if (record === undefined) this.#forget(entry.row)
      else if (record.seq > deliveredSeq) found.push({ scope, taskId, id, url: config.url })
    }
    return found
  }

  async isLive(task: TaskKey): Promise<boolean> {
    return this.#of(task).some(({ row }) => row.state === 'active')
  }

  async claim(key: PushKey, leaseMs: number): Promise<Lease | undefined> {
    const entry = this.#find(key)
    if (entry === undefined || !this.#isFree(entry)) return undefined
    entry.token = randomUUID()
    entry.leasedUntil = this.#now() + leaseMs
    return { row: entry.row, token: entry.token }
  }

  async settle({ row, token }: Lease, progress: Progress | 'remove'): Promise<boolean> {
    const entry = this.#find(row)
    if (entry === undefined || entry.token !== token) return false
    if (progress === 'remove') {
      this.#forget(row)
      return true
    }
    const { retryInMs, leaseMs, ...change } = progress
    entry.row = { ...entry.row, ...change }
    entry.dueAt = this.#now() + retryInMs
    entry.leasedUntil = leaseMs === 0 ? 0 : this.#now() + leaseMs
    if (leaseMs === 0) entry.token = ''
    if (change.state !== 'active') this.#deactivate(entry)
    return true
  }

  async dead(limit: number): Promise<readonly PushRow[]> {
    const rows = [...this.#byTask.values()].flatMap((entries) => [...entries.values()].map(({ row }) => row))
    return rows.filter(({ state }) => state === 'dead').slice(0, limit)
  }

  async revive(key: PushKey): Promise<boolean> {
    const entry = this.#find(key)
    if (entry?.row.state !== 'dead') return false
    entry.row = { ...entry.row, state: 'active' }
    entry.dueAt = 0
    this.#activate(entry)
    return true
  }

  async close(): Promise<void> {
    this.#byTask.clear()
    this.#active.clear()
    this.#activeInScope.clear()
    this.#bytes = 0
  }

  #of(task: TaskKey): Entry[] {
    return [...(this.#byTask.get(nameOf(task))?.values() ?? [])]
  }

  #find(key: PushKey): Entry | undefined {
    return this.#byTask.get(nameOf(key))?.get(key.id)
  }

  #isFree({ row, dueAt, leasedUntil }: Entry): boolean {
    const now = this.#now()
    return row.state === 'active' && dueAt <= now && leasedUntil <= now
  }

  #activate(entry: Entry): void {
    const scope = scopeKey(entry.row.scope)
    if (!this.#active.has(entry)) this.#activeInScope.set(scope, (this.#activeInScope.get(scope) ?? 0) + 1)
    this.#active.add(entry)
  }

  #deactivate(entry: Entry): void {
    if (!this.#active.delete(entry)) return
    const scope = scopeKey(entry.row.scope)
    const left = (this.#activeInScope.get(scope) ?? 1) - 1
    if (left === 0) this.#activeInScope.delete(scope)
    else this.#activeInScope.set(scope, left)
  }

  #forget(key: PushKey): void {
    const entries = this.#byTask.get(nameOf(key))
    const entry = entries?.get(key.id)
    if (entries === undefined || entry === undefined) return
    this.#deactivate(entry)
    this.#bytes -= entry.bytes
    entries.delete(key.id)
    if (entries.size === 0) this.#byTask.delete(nameOf(key))
  }
}

function nameOf({ scope, taskId }: TaskKey): string {
  return `${scopeKey(scope)}\u0000${taskId}`
}

/** With the task as it was at registration, which may be all that still holds it. */
function bytesOf({ config, scope, id, taskId }: Registration, start: TaskRecord | undefined): number {
  const names = scope.tenant.length + scope.subject.length + id.length + taskId.length
  return ROW_BYTES + names + weightOf(config) + (start === undefined ? 0 : weightOfTask(start.task))
}
