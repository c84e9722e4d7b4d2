// Where the card promises `stateTransitionHistory`, `history` holds every status with its time instead of messages. A
// snapshot of the model does not know past statuses; whoever has the event log adds them under this name.

import type { Task, TaskStatus } from '../../model/task.ts'

export interface TaskWithStatusHistory extends Task {
  /** Every status the task went through, oldest first, the present one included. */
  statusHistory?: TaskStatus[]
}

export function withStatusHistory(task: Task, statuses: readonly TaskStatus[]): TaskWithStatusHistory {
  return { ...task, statusHistory: [...statuses] }
}
