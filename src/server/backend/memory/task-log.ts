// The events of one task, and snapshots of it that are folded when they are read. Most never are: a stream
// of two hundred chunks is two hundred snapshots, and only the last one is ever asked for.

import type { TaskEvent } from '../../../model/event.ts'
import { applyEvents } from '../../../model/fold.ts'
import type { Task, TaskStatus } from '../../../model/task.ts'
import { lastStatus } from '../../store/folding-record.ts'
import { hasText, storedFromEvent } from '../../store/stored-event.ts'
import type { Seq, StoredEvent, TaskRecord } from '../../store/task-store.ts'
import { type PackedLog, packEvent, packTask, type TaskIds, unpackEvent, unpackTask } from './packed-log.ts'

export class TaskLog {
  readonly #created: Task
  readonly #events: TaskEvent[]
  /** The events as handed out so far, so that readers share their texts. */
  readonly #handedOut: StoredEvent[] = []
  #record: Snapshot

  constructor(created: Task, events: TaskEvent[] = []) {
    this.#created = created
    this.#events = events
    this.#record = new Snapshot(
      { seq: events.length, status: lastStatus(events) ?? created.status },
      events,
      created,
      0,
    )
  }

  /** What `toText` wrote about the task of these ids. */
  static fromText(text: string, ids: TaskIds): TaskLog {
    const [created, ...events] = JSON.parse(text) as PackedLog
    return new TaskLog(
      unpackTask(created, ids),
      events.map((event) => unpackEvent(event, ids)),
    )
  }

  get record(): TaskRecord {
    return this.#record
  }

  append(events: readonly TaskEvent[]): TaskRecord {
    for (const event of events) this.#events.push(event)
    this.#record = this.#record.later(this.#events.length, lastStatus(events))
    return this.#record
  }

  read(after: Seq, limit: number): readonly StoredEvent[] {
    const end = Math.min(this.#events.length, after + limit)
    for (let index = this.#handedOut.length; index < end; index++) {
      const event = this.#events[index]
      if (event !== undefined) this.#handedOut.push(storedFromEvent(index + 1, event))
    }
    return this.#handedOut.slice(after, end)
  }

  /** All of it as one JSON array. What was written to a stream is not written again. */
  toText(ids: TaskIds): string {
    const created = packTask(this.#created)
    const handedOut = this.#handedOut
    if (handedOut.length > 0 && handedOut.length === this.#events.length && handedOut.every(hasText))
      return `[${JSON.stringify(created)},${handedOut.map(({ text }) => text).join(',')}]`
    const packed: unknown[] = [created]
    for (const event of this.#events) packed.push(packEvent(event, ids))
    return JSON.stringify(packed)
  }
}

class Snapshot implements TaskRecord {
  readonly seq: Seq
  readonly status: TaskStatus
  readonly #events: readonly TaskEvent[]
  /** The task as it was at `#knownSeq`; the events after that bring it up to date. */
  #known: Task
  #knownSeq: Seq

  constructor(at: { seq: Seq; status: TaskStatus }, events: readonly TaskEvent[], known: Task, knownSeq: Seq) {
    this.seq = at.seq
    this.status = at.status
    this.#events = events
    this.#known = known
    this.#knownSeq = knownSeq
  }

  get task(): Task {
    if (this.#knownSeq < this.seq) {
      this.#known = applyEvents(this.#known, this.#events.slice(this.#knownSeq, this.seq))
      this.#knownSeq = this.seq
    }
    return this.#known
  }

  /** What it knows, for a later snapshot to go on from. */
  later(seq: Seq, status = this.status): Snapshot {
    return new Snapshot({ seq, status }, this.#events, this.#known, this.#knownSeq)
  }
}
