// One task of the memory store: its place in the indexes, and its log. The log of a task that has ended, and that nobody
// has asked for lately, is kept as one text outside the collector's heap.

import type { Task, TaskState } from '../../../model/task.ts'
import { statusMsOf } from '../page-token.ts'
import type { Aging } from './age-list.ts'
import type { ScopeShelf, Shelved } from './shelf.ts'
import type { KeptText, Slabs } from './slabs.ts'
import { TaskLog } from './task-log.ts'

/** What an entry takes beside its log: itself, its places in the indexes. */
const OWN_BYTES = 500

export class Entry implements Shelved, Aging<Entry> {
  readonly id: string
  readonly shelf: ScopeShelf<Entry>
  readonly contextId: string | undefined
  readonly order: number
  state: TaskState
  statusMs: number
  isShelved = false
  /** About what it takes; see model/weight.ts. */
  bytes: number
  older: Entry | undefined = undefined
  newer: Entry | undefined = undefined
  ageList: Aging<Entry>['ageList'] = undefined
  #log: TaskLog | undefined
  #kept: KeptText | undefined = undefined

  /** `weight` of the task, see model/weight.ts. */
  constructor(shelf: ScopeShelf<Entry>, task: Task, weight: number) {
    this.id = task.id
    this.shelf = shelf
    this.contextId = task.contextId
    this.order = ++shelf.created
    this.state = task.status.state
    this.statusMs = statusMsOf(task.status)
    // What cannot be weighed is not counted; nothing of the sort comes in over the network.
    this.bytes = OWN_BYTES + (weight || 0)
    this.#log = new TaskLog(task)
  }

  get isCold(): boolean {
    return this.#log === undefined
  }

  /** Of a cold entry it is read again; whoever may have caused that sees to it that the entry cools again. */
  get log(): TaskLog {
    if (this.#log === undefined) {
      this.#log = TaskLog.fromText(this.#kept?.toString() ?? '', this)
      // A long text is not worth having twice.
      if (typeof this.#kept === 'string') this.#kept = undefined
    }
    return this.#log
  }

  /** Only for a task that has ended. What an agent said that cannot be written as JSON leaves the log as it is. */
  cool(slabs: Slabs): void {
    try {
      if (this.#log !== undefined) this.#kept ??= slabs.keep(this.#log.toText(this))
      this.#log = undefined
    } catch {}
  }

  /** Nobody will ask again; whoever still holds the entry holds nothing. */
  forget(): void {
    this.#log = undefined
    this.#kept = undefined
  }
}
