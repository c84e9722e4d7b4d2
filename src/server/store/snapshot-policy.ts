// When a durable store rewrites a task's snapshot. Events are always written; the snapshot only once the events since
// the last one outweigh it, so a long stream costs a constant factor over its own bytes, and reading a task never
// folds more than about as much as it reads anyway. Shared by all durable stores.

import { isSettled } from '../../model/state-machine.ts'
import type { TaskState } from '../../model/task.ts'

/** Below this the fold is cheaper than a second write. */
const SMALL_TAIL = 4096

export interface SnapshotWeights {
  readonly state: TaskState
  /** Length of the stored snapshot's JSON text. */
  readonly snapshotSize: number
  /** Length of the JSON texts of the events after it. */
  readonly tailSize: number
}

/** A task at rest (terminal or waiting for the client) is read more often than written, so it is always whole. */
export function isSnapshotDue({ state, snapshotSize, tailSize }: SnapshotWeights): boolean {
  return isSettled(state) || tailSize > Math.max(SMALL_TAIL, snapshotSize)
}
