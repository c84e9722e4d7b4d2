// One task of the memory store: its place in the indexes, and its log. The log of a task that has ended, and that no reader
// has asked for lately, is kept as one text outside the collector's heap.

import type { Task, TaskState } from '../../../model/task.ts'
import { statusMsOf } from '../../store/page-token.ts'
import type { Aging } from './age-list.ts'
import type { KeptText, Slabs } from './slabs.ts'
import type { IndexedTask, ScopeIndex } from './task-index.ts'
import { TaskLog } from './task-log.ts'

/** What an entry takes beside its log: itself, its places in the indexes. */
const OWN_BYTES = 500

export class Entry implements IndexedTask, Aging<Entry> {
  readonly id: string
  readonly index: ScopeIndex<Entry>
  readonly contextId: string | undefined
  readonly order: number
  state: TaskState
  statusMs: number
  isIndexed = false
  /** About what it takes; see model/weight.ts. */
  bytes: number
  /** When it came to rest, in seconds: as a small integer it takes no memory of its own. */
  changedAt = 0
  older: Entry | undefined = undefined
  newer: Entry | undefined = undefined
  ageList: Aging<Entry>['ageList'] = undefined
  #log: TaskLog | undefined
  #kept: KeptText | undefined = undefined

  /** `weight` of the task, see model/weight.ts. */
  constructor(index: ScopeIndex<Entry>, task: Task, weight: number) {
    this.id = task.id
    this.index = index
    this.contextId = task.contextId
    this.order = ++index.created
    this.state = task.status.state
    this.statusMs = statusMsOf(task.status)
    // What cannot be weighed is not counted; nothing of the sort comes in over the network.
    this.bytes = OWN_BYTES + (weight || 0)
    this.#log = new TaskLog(task)
  }

  get isCompact(): boolean {
    return this.#log === undefined
  }

  /** Of a compact entry it is read again; whoever may have caused that sees to it that the entry is compacted again. */
  get log(): TaskLog {
    if (this.#log === undefined) {
      this.#log = TaskLog.fromText(this.#kept?.toString() ?? '', this)
      // A long text is not worth having twice.
      if (typeof this.#kept === 'string') this.#kept = undefined
    }
    return this.#log
  }

  /** Only for a task that has ended. What an agent said that cannot be written as JSON leaves the log as it is. */
  compact(slabs: Slabs): void {
    try {
      if (this.#log !== undefined) this.#kept ??= slabs.keep(this.#log.toText(this))
      this.#log = undefined
    } catch {}
  }

  /** It was deleted: readers that still hold the entry find it empty. */
  forget(): void {
    this.#log = undefined
    this.#kept = undefined
  }
}
