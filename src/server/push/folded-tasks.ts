// Tasks as they were at a position, for webhooks of generations that tell the whole task. Folding begins at the
// registration; the last result is kept, so that following a long task costs one step an event.

import { WeightedMap } from '../../base/bounded.ts'
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
  readonly #kept = new WeightedMap<string, TaskRecord>(KEPT_BYTES, KEPT)

  constructor(tasks: TaskStore) {
    this.#tasks = tasks
  }

  /** The task after the events up to `seq`, or as it was at registration if that was later. */
  async at(row: PushRow, seq: Seq): Promise<TaskRecord | undefined> {
    const { scope, taskId, start } = row
    const key = `${scopeKey(scope)}\u0000${taskId}\u0000${row.id}`
    const kept = this.#kept.get(key)
    let record = kept !== undefined && kept.seq <= seq ? kept : start
    while (record !== undefined && record.seq < seq) {
      const events: readonly StoredEvent[] | undefined = await this.#tasks.readEvents(scope, taskId, record.seq, BATCH)
      const wanted = events?.filter((event) => event.seq <= seq) ?? []
      const last = wanted.at(-1)
      if (last === undefined) break
      const added = wanted.map(({ event }) => event)
      record = { task: applyEvents(record.task, added), seq: last.seq }
    }
    if (record !== undefined) this.#kept.set(key, record, weightOfTask(record.task))
    return record
  }
}
