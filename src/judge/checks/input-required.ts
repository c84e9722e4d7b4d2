// Tasks that wait for the user: what they say, and where they stand in lists (1.0 §3.1.4, §4.1.3).

import { quote } from '../probe/judgement.ts'
import type { Probe } from '../probe/probe.ts'
import { listAt, textAt } from '../probe/seen.ts'
import { area, check, type PlacedCheck } from './check.ts'

const NEEDS = ['behaviour:input-required'] as const

export const inputRequiredChecks: PlacedCheck[] = area({ name: 'input-required', category: 'lifecycle', stage: 3 }, [
  check(
    'input-required-message',
    'SHOULD say what input is needed',
    {
      proves: ['state-input-required-message'],
      fix: 'Put a message with at least one part into the status of a task that needs input.',
      needs: NEEDS,
    },
    async (t) => {
      const { task, x } = await waiting(t)
      t.expect((task.statusMessage?.parts.length ?? 0) > 0, 'the status has no message', {
        expected: 'a message with parts',
        pointer: `${task.pointer}/status/message`,
        at: x,
      })
    },
  ),
  check(
    'input-required-moves-up',
    'MUST list a task first when its status has just changed',
    {
      proves: ['list-order-after-update'],
      fix: 'Sort lists by the time of the latest status, not of the creation.',
      needs: NEEDS,
    },
    async (t) => {
      const older = await waiting(t)
      const contextId = older.task.contextId ?? t.notMeasured('the task has no context')
      await t.startTask('input-required', { contextId })
      const { followUp = 'done' } = t.behaviour('input-required')
      await t.send({ text: followUp }, { taskId: older.task.id })
      const x = await t.call('listTasks', { contextId })
      const tasks = listAt(t.expectSuccess(x), 'tasks') ?? []
      if (tasks.length < 2) t.notMeasured('the second task is not in the context of the first')
      t.expectEqual(textAt(tasks[0], 'id'), older.task.id, 'the first task of the list', {
        actual: quote(tasks.map((task) => textAt(task, 'id') ?? '')),
        at: x,
      })
    },
  ),
])

async function waiting(t: Probe) {
  const started = await t.startTask('input-required')
  if (started.task.state !== 'TASK_STATE_INPUT_REQUIRED') t.notMeasured(`the task is ${started.task.stateText}`)
  return started
}
