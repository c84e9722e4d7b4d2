// What a durable store writes when a task begins: its first events may come with it, and then the task is stored as they
// leave it, with one snapshot and one place in every index. Shared by all durable stores.

import type { TaskEvent } from '../../model/event.ts'
import type { Task } from '../../model/task.ts'
import { refusal } from './append-rule.ts'
import { FoldingRecord } from './folding-record.ts'
import { isSnapshotDue } from './snapshot-policy.ts'
import { textOfEvent } from './stored-event.ts'
import { type StatusKey, statusKeyOf } from './tally.ts'
import type { AppendResult } from './task-store.ts'

export interface FirstWrite {
  readonly status: StatusKey
  /** The JSON texts of the events. */
  readonly bodies: readonly string[]
  readonly snapshot: string
  /** Whether the snapshot holds the events already. */
  readonly isWhole: boolean
  /** Characters of the events behind the snapshot. */
  readonly tailSize: number
  /** The task after the events, the last of which the store gave this number. */
  record(seq: number): FoldingRecord
}

export function firstWrite(
  task: Task,
  events: readonly TaskEvent[],
): FirstWrite | Extract<AppendResult, { ok: false }> {
  if (events.length > 0) {
    const refused = refusal({ seq: 0, state: task.status.state }, 0, events)
    if (refused !== undefined) return refused
  }
  const bodies = events.map(textOfEvent)
  const begun = FoldingRecord.of(task, 0)
  const folded = begun.later(events, events.length)
  const status = statusKeyOf(folded)
  const grown = bodies.reduce((sum, body) => sum + body.length, 0)
  const isWhole = events.length === 0 || isSnapshotDue({ state: status.state, snapshotSize: 0, tailSize: grown })
  return {
    status,
    bodies,
    snapshot: JSON.stringify(isWhole ? folded.task : task),
    isWhole,
    tailSize: isWhole ? 0 : grown,
    record: (seq) => (isWhole ? FoldingRecord.of(folded.task, seq) : begun.later(events, seq)),
  }
}
