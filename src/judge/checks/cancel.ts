// Canceling: what can be canceled, what it leaves behind (1.0 §3.1.5, §3.3.1).

import { defined } from '../../base/defined.ts'
import type { JsonObject } from '../../model/json.ts'
import { isTerminal } from '../../model/state-machine.ts'
import type { Answer } from '../probe/answer.ts'
import { quote } from '../probe/assertions.ts'
import { describeError } from '../probe/error-table.ts'
import type { Probe } from '../probe/probe.ts'
import type { RawTask } from '../probe/raw.ts'
import { area, check, type PlacedCheck } from './check.ts'
import { cancelsOfFinished, isNotCancelable } from './refusals.ts'

export const cancelChecks: PlacedCheck[] = area({ name: 'cancel', category: 'lifecycle', phase: 3 }, [
  check(
    'cancel-unknown',
    'MUST answer CancelTask for an unknown task with TaskNotFound',
    {
      proves: ['cancel-not-found'],
      fix: 'Return TaskNotFoundError (JSON-RPC -32001, HTTP 404) when no task has the id.',
      category: 'error-handling',
      phase: 2,
    },
    async (t) => {
      t.expectError(await t.call('cancelTask', { id: t.unusedId() }), 'TaskNotFound')
    },
  ),
  check(
    'cancel-finished',
    'MUST refuse to cancel a finished task',
    {
      proves: ['cancel-terminal'],
      fix: 'Return TaskNotCancelableError (JSON-RPC -32002) when the task is in a terminal state.',
      // Whoever ignores every cancel is told that.
      yieldsTo: ['cancel-state'],
      category: 'error-handling',
      causes: ['The handler sets the state to canceled without checking the current state.'],
      tells: true,
    },
    async (t) => {
      for (const { x } of await cancelsOfFinished(t)) t.expectError(x, 'TaskNotCancelable')
    },
  ),
  check(
    'cancel-returns-task',
    'MUST return the task from CancelTask',
    {
      proves: ['cancel-returns-task'],
      fix: 'Return the task itself from CancelTask, with the requested id.',
      needs: [
        'behaviour:cancelable',
        'check:send-immediately-readable',
        'check:rest-cancel-route',
        'check:send-result',
        'check:get-task-current',
      ],
      groundOf: 'cancelTask',
    },
    async (t) => {
      const { task, x } = await canceled(t)
      t.expectEqual(t.taskOf(x).id, task.id, 'the id of the task', { pointer: `${x.resultPointer}/id`, at: x })
    },
  ),
  check(
    'cancel-state',
    'MUST keep a canceled task in the state canceled',
    {
      proves: ['cancel-state'],
      fix: 'Move the task to the canceled state and do not change it afterwards.',
      needs: ['behaviour:cancelable'],
    },
    async (t) => {
      const { task, x } = await canceled(t)
      // The answer may be faster than the work is stopped; but what it says, holds.
      if (t.taskOf(x).state === 'TASK_STATE_CANCELED') {
        const y = await t.call('getTask', { id: task.id })
        return t.expectState(t.taskOf(y), ['TASK_STATE_CANCELED'], y)
      }
      const after = await t.awaitTask(task.id, ({ state }) => state !== undefined && isTerminal(state))
      t.expectState(after, ['TASK_STATE_CANCELED'], x)
    },
  ),
  check(
    'cancel-twice',
    'MUST NOT change a canceled task when it is canceled again',
    {
      proves: ['cancel-idempotent'],
      fix: 'Answer the second cancel with the canceled task or TaskNotCancelableError, and leave the task as it is.',
      needs: ['behaviour:cancelable'],
      yieldsTo: ['cancel-state', 'cancel-finished'],
    },
    async (t) => {
      const { task, x: first } = await canceled(t)
      if (t.taskOf(first).state !== 'TASK_STATE_CANCELED') await t.awaitState(task.id, ['TASK_STATE_CANCELED'])
      const again = await t.call('cancelTask', { id: task.id })
      t.expectAnswered(again)
      if (again.error === undefined) t.expectState(t.taskOf(again), ['TASK_STATE_CANCELED'], again)
      else t.expectError(again, 'TaskNotCancelable', 'TaskNotFound')
      if (again.error?.reason === 'TASK_NOT_FOUND') return
      const x = await t.call('getTask', { id: task.id })
      t.expectState(t.taskOf(x), ['TASK_STATE_CANCELED'], x)
    },
  ),
  check(
    'cancel-metadata',
    'SHOULD accept metadata with a cancel',
    {
      proves: ['cancel-metadata'],
      fix: 'Accept the optional metadata of CancelTask.',
      needs: ['behaviour:cancelable'],
    },
    async (t) => {
      const { x } = await canceled(t, { reason: 'conformance run', nested: { a: [1, null] } })
      t.taskOf(x)
    },
  ),
  check(
    'cancel-interrupted',
    'SHOULD let a task that waits for input be canceled',
    {
      proves: ['cancel-interrupted'],
      fix: 'Allow CancelTask while the task waits for input.',
      needs: ['behaviour:input-required'],
      yieldsTo: ['cancel-state', 'task-final'],
    },
    async (t) => {
      const { task } = await t.startTask('input-required')
      if (task.state !== 'TASK_STATE_INPUT_REQUIRED') t.notProvoked('input-required', task)
      const x = await t.call('cancelTask', { id: task.id })
      t.expectAnswered(x)
      if (x.error !== undefined) {
        t.expectError(x, 'TaskNotCancelable')
        t.note(`refused with ${describeError(x.error)}, which is tolerated`)
        return
      }
      // A task that waits has nothing to finish first; one that works again may take its time.
      await t.expectTask(task.id, ({ state }) => state !== 'TASK_STATE_INPUT_REQUIRED')
      const after = await t.awaitTask(task.id, ({ state }) => state !== undefined && isTerminal(state))
      t.expect(after.state === 'TASK_STATE_CANCELED', `the task became ${after.stateText}`, {
        expected: 'canceled',
        actual: quote(after.stateText),
        at: x,
      })
    },
  ),
])

/** A task that is working and gets canceled; an agent may rightly say that this one cannot be. */
async function canceled(t: Probe, metadata?: JsonObject): Promise<{ task: RawTask; x: Answer }> {
  const { task } = await t.startWorking('cancelable')
  const x = await t.call('cancelTask', { id: task.id, ...defined({ metadata }) })
  if (isNotCancelable(x)) {
    t.notMeasured(
      'the agent says that the task cannot be canceled, which is allowed',
      'a prompt for a task that can be canceled while it works, named in --behaviors as "cancelable"',
    )
  }
  return { task, x }
}
