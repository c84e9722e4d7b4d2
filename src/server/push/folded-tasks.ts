// Tasks as they were at a position, for webhooks of generations that tell the whole task. Folding begins at the
// registration; the last result is kept, so that following a long task costs one step an event.

import { applyEvents } from '../../model/fold.ts'
import { scopeKey } from '../../model/scope.ts'
import { weightOfTask } from '../../model/weight.ts'
import type { PushRow } from '../store/push-store.ts'
import type { Seq, StoredEvent, TaskRecord, TaskStore } from '../store/task-store.ts'

const KEPT = 1_000
const KEPT_BYTES = 32 * 1024 * 1024
const BATCH = 256

export class FoldedTasks {
  readonly #tasks: TaskStore
  readonly #kept = new Map<string, { record: TaskRecord; bytes: number }>()
  #bytes = 0

  constructor(tasks: TaskStore) {
    this.#tasks = tasks
  }

  /** The task after the events up to `seq`, or as it was at registration if that was later. */
  async at(row: PushRow, seq: Seq): Promise<TaskRecord | undefined> {
    const { scope, taskId, start } = row
    const key = `${scopeKey(scope)}\u0000${taskId}\u0000${row.id}`
    const kept = this.#kept.get(key)?.record
    let record = kept !== undefined && kept.seq <= seq ? kept : start
    while (record !== undefined && record.seq < seq) {
      const events: readonly StoredEvent[] | undefined = await this.#tasks.readEvents(scope, taskId, record.seq, BATCH)
      const wanted = events?.filter((event) => event.seq <= seq) ?? []
      const last = wanted.at(-1)
      if (last === undefined) break
      const added = wanted.map(({ event }) => event)
      record = { task: applyEvents(record.task, added), seq: last.seq }
    }
    if (record !== undefined) this.#keep(key, record)
    return record
  }

  #keep(key: string, record: TaskRecord): void {
    this.#drop(key)
    const bytes = weightOfTask(record.task)
    this.#kept.set(key, { record, bytes })
    this.#bytes += bytes
    for (const oldest of this.#kept.keys()) {
      if ((this.#kept.size <= KEPT && this.#bytes <= KEPT_BYTES) || oldest === key) break
      this.#drop(oldest)
    }
  }

  #drop(key: string): void {
    this.#bytes -= this.#kept.get(key)?.bytes ?? 0
    this.#kept.delete(key)
  }
}
