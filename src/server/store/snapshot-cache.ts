// The snapshots of a durable store that were written or read last, bounded by weight. An entry is right for the sequence number
// it carries for ever, because events never change: the database stays the only judge of which number is current.

import { WeightedMap } from '../../base/bounded.ts'
import type { TaskRecord } from './task-store.ts'

export class SnapshotCache<Key, Record extends TaskRecord> {
  readonly #entries: WeightedMap<Key, Record>

  constructor(budget: number) {
    this.#entries = new WeightedMap(budget)
  }

  /** `key` names one task: an id alone does not, two scopes may have the same. */
  get(key: Key, seq: number): Record | undefined {
    const record = this.#entries.get(key)
    return record?.seq === seq ? record : undefined
  }

  set(key: Key, record: Record, weight: number): void {
    this.#entries.set(key, record, weight)
  }

  forget(key: Key): void {
    this.#entries.delete(key)
  }

  clear(): void {
    this.#entries.clear()
  }
}
