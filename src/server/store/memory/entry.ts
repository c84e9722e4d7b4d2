// One task of the memory store: its log, and snapshots of it that are folded when somebody looks. Most are looked at by
// nobody: a stream of two hundred chunks is two hundred snapshots, and only the last one is ever asked for.

import type { TaskEvent } from '../../../model/event.ts'
import { applyEvents } from '../../../model/fold.ts'
import type { Task, TaskState, TaskStatus } from '../../../model/task.ts'
import { statusMsOf } from '../page-token.ts'
import { hasText } from '../stored-event.ts'
import type { Seq, StoredEvent, TaskRecord } from '../task-store.ts'
import type { ScopeShelf, Shelved } from './shelf.ts'

const NO_EVENTS: TaskEvent[] = []

export class Entry implements Shelved {
  readonly id: string
  readonly shelf: ScopeShelf<Entry>
  readonly contextId: string | undefined
  readonly order: number
  state: TaskState
  statusMs: number
  record: Snapshot
  #events: TaskEvent[] = []
  /** The events as one JSON array in place of `#events`. */
  #packed: string | undefined
  /** The events as handed out so far, so that readers share their texts; undefined once the task has cooled. */
  handedOut: StoredEvent[] | undefined = []

  constructor(shelf: ScopeShelf<Entry>, task: Task) {
    this.id = task.id
    this.shelf = shelf
    this.contextId = task.contextId
    this.order = ++shelf.created
    this.state = task.status.state
    this.statusMs = statusMsOf(task.status)
    this.record = new Snapshot(0, this, task, 0)
  }

  get events(): readonly TaskEvent[] {
    if (this.#packed !== undefined) {
      this.#events = JSON.parse(this.#packed) as TaskEvent[]
      this.#packed = undefined
    }
    return this.#events
  }

  /** Adds to the log; whoever calls it moves the entry to its new place if the status changed. */
  append(events: readonly TaskEvent[]): TaskRecord {
    for (const event of events) this.#events.push(event)
    this.record = this.record.later(this.#events.length)
    return this.record
  }

  takeStatus(status: TaskStatus): void {
    this.state = status.state
    this.statusMs = statusMsOf(status)
  }

  /**
   * Nothing will follow: a grown array keeps room for events that will not come, and the snapshot that whoever ended the
   * task looks at need not stay folded.
   */
  close(): void {
    this.#events = this.#events.slice()
    this.record = this.record.later(this.record.seq)
  }

  /**
   * Nobody is expected to read on. Where the events were written to a stream, their texts are kept instead of them: one
   * piece for the collector to carry along instead of seven for each event.
   */
  cool(): void {
    const told = this.handedOut ?? []
    this.handedOut = undefined
    if (told.length === 0 || told.length < this.record.seq || !told.every(hasText)) return
    this.#packed = `[${told.map(({ text }) => text).join(',')}]`
    this.#events = NO_EVENTS
  }
}

class Snapshot implements TaskRecord {
  readonly seq: Seq
  /** A task as it was at `#knownSeq`, and whose log brings it up to date. */
  #known: Task
  #knownSeq: Seq
  readonly #entry: Entry

  constructor(seq: Seq, entry: Entry, known: Task, knownSeq: Seq) {
    this.seq = seq
    this.#entry = entry
    this.#known = known
    this.#knownSeq = knownSeq
  }

  get task(): Task {
    if (this.#knownSeq < this.seq) {
      this.#known = applyEvents(this.#known, this.#entry.events.slice(this.#knownSeq, this.seq))
      this.#knownSeq = this.seq
    }
    return this.#known
  }

  /** What it knows, for a later snapshot to go on from. */
  later(seq: Seq): Snapshot {
    return new Snapshot(seq, this.#entry, this.#known, this.#knownSeq)
  }
}
