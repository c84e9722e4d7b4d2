// Reading a task: current state, unknown ids, history (1.0 §3.1.3, §3.2.4).

import { area, check, type PlacedCheck } from './check.ts'

export const getTaskChecks: PlacedCheck[] = area({ name: 'get-task', category: 'lifecycle', stage: 3 }, [
  check(
    'get-task-unknown',
    'MUST report an unknown task as not found',
    {
      proves: ['get-task-not-found'],
      fix: 'Answer TaskNotFoundError (JSON-RPC -32001, HTTP 404) when no task has the id.',
      category: 'error-handling',
      stage: 2,
    },
    async (t) => {
      t.expectError(await t.call('getTask', { id: t.unusedId() }), 'TaskNotFound')
    },
  ),
  check(
    'get-task-current',
    'MUST return the present state of a task',
    {
      proves: ['get-task-current-state', 'get-task-bare'],
      fix: 'Return the stored task itself: the same id, its latest status and all its artifacts.',
      basic: true,
    },
    async (t) => {
      const finished = await t.finishedTask()
      const x = await t.call('getTask', { id: finished.id })
      const task = t.taskOf(x)
      t.expectEqual(task.id, finished.id, 'the id of the task', { at: x, pointer: `${task.pointer}/id` })
      t.expectState(task, [finished.state ?? 'TASK_STATE_COMPLETED'], x)
    },
  ),
])
