// The most recently used snapshots of a durable store, bounded by weight. An entry is right for the sequence number
// it carries for ever, because events never change: the database stays the only judge of which number is current.

import type { TaskRecord } from './task-store.ts'

export class SnapshotCache<Key, Record extends TaskRecord> {
  readonly #budget: number
  /** Least recently used first. */
  readonly #entries = new Map<Key, { record: Record; weight: number }>()
  #weight = 0

  constructor(budget: number) {
    this.#budget = budget
  }

  /** `key` names one task: an id alone does not, two scopes may have the same. */
  get(key: Key, seq: number): Record | undefined {
    const entry = this.#entries.get(key)
    return entry?.record.seq === seq ? entry.record : undefined
  }

  set(key: Key, record: Record, weight: number): void {
    this.#drop(key)
    this.#entries.set(key, { record, weight })
    this.#weight += weight
    for (const oldest of this.#entries.keys()) {
      if (this.#weight <= this.#budget || oldest === key) break
      this.#drop(oldest)
    }
  }

  forget(key: Key): void {
    this.#drop(key)
  }

  clear(): void {
    this.#entries.clear()
    this.#weight = 0
  }

  #drop(key: Key): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    this.#entries.delete(key)
    this.#weight -= entry.weight
  }
}
