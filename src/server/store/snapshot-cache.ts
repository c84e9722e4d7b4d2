// The most recently used snapshots of a durable store, bounded by weight. An entry is right for the sequence number
// it carries for ever, because events never change: the database stays the only judge of which number is current.

import type { TaskRecord } from './task-store.ts'

export class SnapshotCache {
  readonly #budget: number
  /** Least recently used first. */
  readonly #entries = new Map<string, { record: TaskRecord; weight: number }>()
  #weight = 0

  constructor(budget: number) {
    this.#budget = budget
  }

  get(id: string, seq: number): TaskRecord | undefined {
    const entry = this.#entries.get(id)
    return entry?.record.seq === seq ? entry.record : undefined
  }

  set(record: TaskRecord, weight: number): void {
    const { id } = record.task
    this.#drop(id)
    this.#entries.set(id, { record, weight })
    this.#weight += weight
    for (const oldest of this.#entries.keys()) {
      if (this.#weight <= this.#budget || oldest === id) break
      this.#drop(oldest)
    }
  }

  #drop(id: string): void {
    const entry = this.#entries.get(id)
    if (entry === undefined) return
    this.#entries.delete(id)
    this.#weight -= entry.weight
  }
}
