// A record whose task is folded when it is read. Most never are: a stream of two hundred chunks is two
// hundred records, and only the last one is ever asked for. So appending to a task costs what is appended, however long
// the task is already. Shared by all durable stores; the memory store has the events at hand anyway.

import type { TaskEvent } from '../../model/event.ts'
import { applyEvents } from '../../model/fold.ts'
import type { Task, TaskStatus } from '../../model/task.ts'
import type { Seq, TaskRecord } from './task-store.ts'

export class FoldingRecord implements TaskRecord {
  readonly seq: Seq
  /** Known without folding. */
  readonly status: TaskStatus
  /** Only ever added to, by later records, which share it; this one is about the first `#count` of them. */
  readonly #events: TaskEvent[]
  readonly #count: number
  /** The task after the first `#folded` events; the rest bring it up to date. */
  #known: Task
  #folded: number

  private constructor(
    at: { seq: Seq; status: TaskStatus },
    log: { events: TaskEvent[]; count: number },
    from: { known: Task; folded: number },
  ) {
    this.seq = at.seq
    this.status = at.status
    this.#events = log.events
    this.#count = log.count
    this.#known = from.known
    this.#folded = from.folded
  }

  static of(task: Task, seq: Seq): FoldingRecord {
    return new FoldingRecord({ seq, status: task.status }, { events: [], count: 0 }, { known: task, folded: 0 })
  }

  get task(): Task {
    if (this.#folded < this.#count) {
      this.#known = applyEvents(this.#known, this.#events.slice(this.#folded, this.#count))
      this.#folded = this.#count
    }
    return this.#known
  }

  /** The record after these events, the last of which has the number `seq`. */
  later(events: readonly TaskEvent[], seq: Seq): FoldingRecord {
    // A write may have gone on from this record already, in a write that failed.
    const log = this.#events.length === this.#count ? this.#events : this.#events.slice(0, this.#count)
    for (const event of events) log.push(event)
    return new FoldingRecord(
      { seq, status: lastStatus(events) ?? this.status },
      { events: log, count: log.length },
      { known: this.#known, folded: this.#folded },
    )
  }
}

export function lastStatus(events: readonly TaskEvent[]): TaskStatus | undefined {
  for (let at = events.length - 1; at >= 0; at--) {
    const event = events[at]
    if (event !== undefined && 'statusUpdate' in event) return event.statusUpdate.status
  }
  return undefined
}
