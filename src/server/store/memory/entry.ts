// One task of the memory store: its log, and snapshots of it that are folded when somebody looks. Most are looked at by
// nobody: a stream of two hundred chunks is two hundred snapshots, and only the last one is ever asked for.

import type { TaskEvent } from '../../../model/event.ts'
import { applyEvents } from '../../../model/fold.ts'
import type { Task, TaskState, TaskStatus } from '../../../model/task.ts'
import { statusMsOf } from '../page-token.ts'
import type { Seq, StoredEvent, TaskRecord } from '../task-store.ts'
import type { ScopeShelf, Shelved } from './shelf.ts'

const NO_EVENTS: readonly TaskEvent[] = []

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
    this.record = new Snapshot(0, NO_EVENTS, task, 0)
  }

  /** Adds to the log; whoever calls it moves the entry to its new place if the status changed. */
  append(events: readonly TaskEvent[]): TaskRecord {
    for (const event of events) this.events.push(event)
    this.record = this.record.later(this.events.length, this.events)
    return this.record
  }

  takeStatus(status: TaskStatus): void {
    this.state = status.state
    this.statusMs = statusMsOf(status)
  }

  /** Nothing will follow: a grown array keeps room for events that will not come. */
  close(): void {
    this.events = this.events.slice()
    this.record = this.record.later(this.record.seq, this.events)
  }
}

class Snapshot implements TaskRecord {
  readonly seq: Seq
  /** A task as it was at `#knownSeq`, and the log to bring it up to date with. */
  #known: Task
  #knownSeq: Seq
  #log: readonly TaskEvent[]

  constructor(seq: Seq, log: readonly TaskEvent[], known: Task, knownSeq: Seq) {
    this.seq = seq
    this.#log = log
    this.#known = known
    this.#knownSeq = knownSeq
  }

  get task(): Task {
    if (this.#knownSeq < this.seq) {
      this.#known = applyEvents(this.#known, this.#log.slice(this.#knownSeq, this.seq))
      this.#knownSeq = this.seq
      this.#log = NO_EVENTS
    }
    return this.#known
  }

  /** What it knows, for a later snapshot to go on from. */
  later(seq: Seq, log: readonly TaskEvent[]): Snapshot {
    return new Snapshot(seq, log, this.#known, this.#knownSeq)
  }
}
