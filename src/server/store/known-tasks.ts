// What one process remembers of the tasks in a store it shares with others: records and what an append must know about
// them, and the latest events it wrote. All of it is right for the sequence number it carries; which one is current, the
// database says.

import type { TaskEvent } from '../../model/event.ts'
import type { Scope } from '../../model/scope.ts'
import type { FoldingRecord } from './folding-record.ts'
import { RecentEvents } from './recent-events.ts'
import { scopeId } from './scope-id.ts'
import { SnapshotCache } from './snapshot-cache.ts'
import { storedWhole } from './stored-event.ts'
import type { Forgotten, Seq, StoredEvent } from './task-store.ts'

/** Characters of JSON kept parsed; mostly the tasks that are being written right now. */
export const CACHE_BUDGET = 32 * 1024 * 1024
/** Characters of events that readers take without asking the database. */
export const RECENT_BUDGET = 16 * 1024 * 1024

/** What an append must know about the record before it. */
export interface RecordFacts {
  readonly snapshotSize: number
  readonly tailSize: number
}

export class KnownTasks<Facts extends RecordFacts> {
  readonly #cache = new SnapshotCache<string, FoldingRecord>(CACHE_BUDGET)
  readonly #recent = new RecentEvents(RECENT_BUDGET)
  readonly #facts = new WeakMap<FoldingRecord, Facts>()
  readonly #onForgotten: Forgotten[] = []

  remember(scope: Scope, id: string, record: FoldingRecord, facts: Facts): void {
    this.#facts.set(record, facts)
    this.#cache.set(keyOf(scope, id), record, facts.snapshotSize + facts.tailSize)
  }

  /** The record at this sequence number, if this process knows it and it is the caller's. */
  recall(scope: Scope, id: string, seq: Seq): FoldingRecord | undefined {
    return this.#cache.get(keyOf(scope, id), seq)
  }

  factsOf(record: FoldingRecord): Facts | undefined {
    return this.#facts.get(record)
  }

  /** For readers in this process, once it is committed; `last` is the number of the last event. */
  keepEvents(scope: Scope, id: string, last: Seq, events: readonly TaskEvent[], bodies: readonly string[]): void {
    const first = last - events.length + 1
    const stored = events.map((event, n) => storedWhole(first + n, event, bodies[n] ?? ''))
    this.#recent.add(keyOf(scope, id), stored)
  }

  /** Undefined where the database has to be asked. */
  recentEvents(scope: Scope, id: string, after: Seq, limit: number): readonly StoredEvent[] | undefined {
    return this.#recent.read(keyOf(scope, id), after, limit)
  }

  clearEvents(): void {
    this.#recent.clear()
  }

  onForgotten(listener: Forgotten): void {
    this.#onForgotten.push(listener)
  }

  /** The store has deleted it. */
  forget(scope: Scope, id: string): void {
    this.#recent.forget(keyOf(scope, id))
    this.#cache.forget(keyOf(scope, id))
    for (const observer of this.#onForgotten) observer(scope, id)
  }
}

function keyOf(scope: Scope, id: string): string {
  return `${scopeId(scope)} ${id}`
}
