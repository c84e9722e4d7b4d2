// Lists follow the life of tasks: what changed last comes first (1.0 §3.1.4).

import type { Probe } from '../probe/probe.ts'
import { listAt, rawTask } from '../probe/raw.ts'
import { area, check, type PlacedCheck } from './check.ts'

/** Clocks of whole milliseconds may give two changes one time. */
const MOST_UPDATES = 5

export const listUpdateChecks: PlacedCheck[] = area({ name: 'list-updates', category: 'lifecycle', phase: 3 }, [
  check(
    'list-order-updated',
    'MUST list a task first after its status changed',
    {
      proves: ['list-order-after-update'],
      fix: 'Sort by the timestamp of the current status, not by the time of creation.',
      needs: ['behaviour:input-required'],
      yieldsTo: ['list-by-context', 'list-order', 'send-follow-up'],
    },
    async (t) => {
      const { task: oldest, contextId } = await t.startInNewContext('input-required')
      if (oldest.state !== 'TASK_STATE_INPUT_REQUIRED') t.notMeasured(`the first task is ${oldest.stateText}`)
      const { task: newer } = await t.startTask('task', { contextId })
      const later = await t.awaitTask(newer.id, ({ state }) => state === 'TASK_STATE_COMPLETED')
      await updateBeyond(t, oldest.id, later.timestamp ?? '')
      const x = await t.call('listTasks', { contextId })
      const ids = (listAt(t.expectSuccess(x), 'tasks') ?? []).map((task) => rawTask(task, '')?.id)
      t.expectEqual(ids[0], oldest.id, 'the first task of the list', {
        pointer: `${x.resultPointer}/tasks/0/id`,
        at: x,
      })
    },
  ),
])

/** Says something to the task until its status is later than that. */
async function updateBeyond(t: Probe, id: string, timestamp: string): Promise<void> {
  for (let count = 0; count < MOST_UPDATES; count++) {
    const task = t.taskOf(await t.send({ text: 'tell me more' }, { taskId: id }))
    if (Date.parse(task.timestamp ?? '') > Date.parse(timestamp)) return
    if (task.state !== 'TASK_STATE_INPUT_REQUIRED') break
  }
  t.notMeasured('the status of the older task did not get a later timestamp')
}
