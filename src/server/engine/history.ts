// How much of a task's history a client sees (1.0 §3.2.4): unset means all, 0 none, n the n most recent.

import type { Task } from '../../model/task.ts'

export function limitHistory(task: Task, historyLength: number | undefined): Task {
  if (historyLength === undefined || task.history === undefined) return task
  if (historyLength === 0) return withoutHistory(task)
  if (task.history.length <= historyLength) return task
  return { ...task, history: task.history.slice(-historyLength) }
}

function withoutHistory(task: Task): Task {
  const { history: _omitted, ...rest } = task
  return rest
}

export function withoutArtifacts(task: Task): Task {
  const { artifacts: _omitted, ...rest } = task
  return rest
}
