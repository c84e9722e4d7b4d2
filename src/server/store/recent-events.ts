// The latest events of the tasks this process writes, as they were stored: readers in the same process take them from here
// and do not ask the database for what it has just been given. Bounded by size; whoever is further behind, or
// at the end of what is known here, asks the database.

import type { Seq, StoredEvent } from './task-store.ts'

/** Of one task: enough for readers that keep up. */
const MOST_EVENTS = 1_024

interface Tail {
  /** Without gaps. */
  events: StoredEvent[]
  size: number
}

export class RecentEvents {
  readonly #budget: number
  /** Least recently written first. */
  readonly #tails = new Map<string, Tail>()
  #size = 0

  constructor(budget: number) {
    this.#budget = budget
  }

  /** Only what is committed. */
  add(key: string, events: readonly StoredEvent[]): void {
    const [first] = events
    if (first === undefined) return
    const known = this.#tails.get(key)
    const isNext = known?.events.at(-1)?.seq === first.seq - 1
    this.forget(key)
    const tail = known !== undefined && isNext ? known : { events: [], size: 0 }
    for (const stored of events) {
      tail.events.push(stored)
      tail.size += stored.text.length
    }
    if (tail.events.length > 2 * MOST_EVENTS) {
      tail.events = tail.events.slice(-MOST_EVENTS)
      tail.size = tail.events.reduce((sum, { text }) => sum + text.length, 0)
    }
    this.#tails.set(key, tail)
    this.#size += tail.size
    for (const oldest of this.#tails.keys()) {
      if (this.#size <= this.#budget) break
      this.forget(oldest)
    }
  }

  /** Undefined where the database has to be asked. */
  read(key: string, after: Seq, limit: number): readonly StoredEvent[] | undefined {
    const events = this.#tails.get(key)?.events
    const first = events?.[0]?.seq
    if (events === undefined || first === undefined || after < first - 1) return undefined
    const start = after - first + 1
    return start >= events.length || limit === 0 ? undefined : events.slice(start, start + limit)
  }

  clear(): void {
    this.#tails.clear()
    this.#size = 0
  }

  forget(key: string): void {
    const tail = this.#tails.get(key)
    if (tail === undefined) return
    this.#tails.delete(key)
    this.#size -= tail.size
  }
}
