// One task of the memory store: its log, and snapshots of it that are folded when somebody looks. Most are looked at by
// nobody: a stream of two hundred chunks is two hundred snapshots, and only the last one is ever asked for.

import type { TaskEvent } from '../../../model/event.ts'
import { applyEvents } from '../../../model/fold.ts'
import type { Task, TaskState, TaskStatus } from '../../../model/task.ts'
import { statusMsOf } from '../page-token.ts'
import type { Seq, StoredEvent, TaskRecord } from '../task-store.ts'
import type { ScopeShelf, Shelved } from './shelf.ts'

export class Entry implements Shelved {
  readonly id: string
  readonly shelf: ScopeShelf<Entry>
  readonly contextId: string | undefined
  readonly order: number
  state: TaskState
  statusMs: number
  record: Snapshot
  events: TaskEvent[] = []
  /** The events as handed out so far, so that readers share their texts; undefined once the task has cooled. */
  handedOut: StoredEvent[] | undefined = []

  constructor(shelf: ScopeShelf<Entry>, task: Task) {
    this.id = task.id
    this.shelf = shelf
    this.contextId = task.contextId
    this.order = ++shelf.created
    this.state = task.status.state
    this.statusMs = statusMsOf(task.status)
    this.record = new Snapshot(0, this.events, task)
  }

  /** Adds to the log; whoever calls it moves the entry to its new place if the status changed. */
  append(events: readonly TaskEvent[]): TaskRecord {
    for (const event of events) this.events.push(event)
    this.record = new Snapshot(this.events.length, this.events, this.record.nearest)
    return this.record
  }

  takeStatus(status: TaskStatus): void {
    this.state = status.state
    this.statusMs = statusMsOf(status)
  }

  /** Nothing will follow: a grown array keeps room for events that will not come. */
  close(): void {
    this.events = this.events.slice()
    this.record = new Snapshot(this.record.seq, this.events, this.record.nearest)
  }
}

class Snapshot implements TaskRecord {
  readonly seq: Seq
  readonly #log: readonly TaskEvent[]
  /** The task, or an earlier snapshot that has it. */
  #known: Task | Snapshot

  constructor(seq: Seq, log: readonly TaskEvent[], known: Task | Snapshot) {
    this.seq = seq
    this.#log = log
    this.#known = known
  }

  get task(): Task {
    const known = this.#known
    if (!(known instanceof Snapshot)) return known
    const task = known.seq === this.seq ? known.task : applyEvents(known.task, this.#log.slice(known.seq, this.seq))
    this.#known = task
    return task
  }

  /** The latest snapshot up to this one that is folded already. */
  get nearest(): Snapshot {
    return this.#known instanceof Snapshot ? this.#known : this
  }
}
