// One agent, several bindings: the same tasks, results, errors and rules behind each (1.0 §5.1).

import type { A2AErrorKind } from '../../model/errors.ts'
import type { Answer } from '../probe/answer.ts'
import { quote } from '../probe/assertions.ts'
import type { Probe } from '../probe/probe.ts'
import { sameMeaning } from '../probe/proto-json.ts'
import type { RawTask } from '../probe/raw.ts'
import { area, check, type PlacedCheck } from './check.ts'
import { cancelOfFinished, isNotCancelable, messageToFinished } from './refusals.ts'

export const equivalenceChecks: PlacedCheck[] = area({ name: 'equivalence', category: 'interop', phase: 4 }, [
  check(
    'equivalence-results',
    'MUST return the same task over all bindings',
    {
      proves: ['equiv-results', 'equiv-shared-state'],
      fix: 'Serve all bindings from the same store, with the same conversion to JSON.',
      across: true,
      yieldsTo: ['task-final', 'get-task-idempotent', 'task-views-agree', 'equivalence-operations'],
    },
    async (t) => {
      const { id } = await t.finishedTask()
      const other = t.sibling()
      const [x, y] = [await t.call('getTask', { id }), await other.call('getTask', { id })]
      const [here, there] = [t.taskOf(x), other.taskOf(y)]
      t.expect(sameMeaning(essence(here), essence(there)), 'the task looks different over the other binding', {
        expected: quote(essence(here)),
        actual: quote(essence(there)),
        at: [x.exchange, y.exchange],
      })
    },
  ),
  check(
    'equivalence-cancel',
    'MUST let a task created over one binding be canceled over another',
    {
      proves: ['equiv-shared-state'],
      fix: 'Serve all bindings from the same store and task engine.',
      needs: ['behaviour:cancelable'],
      across: true,
      yieldsTo: ['cancel-state', 'cancel-finished', 'equivalence-operations'],
    },
    async (t) => {
      const { task } = await t.startWorking('cancelable')
      const other = t.sibling()
      const x = await other.call('cancelTask', { id: task.id })
      if (isNotCancelable(x)) t.notMeasured('the agent says that the task cannot be canceled, which is allowed')
      // What the answer says, holds over the other binding, too; otherwise the work may take a while to stop.
      if (other.taskOf(x).state !== 'TASK_STATE_CANCELED') await t.awaitState(task.id, ['TASK_STATE_CANCELED'])
      const y = await t.call('getTask', { id: task.id })
      t.expectState(t.taskOf(y), ['TASK_STATE_CANCELED'], y)
    },
  ),
  check(
    'equivalence-operations',
    'MUST offer the same operations over all bindings',
    {
      proves: ['equiv-operations'],
      fix: 'Implement every operation over every binding the card declares.',
      across: true,
      yieldsTo: ['extended-card-served', 'push-undeclared-list', 'push-list', 'list-answers'],
    },
    async (t) => {
      const other = t.sibling()
      const { id } = await t.finishedTask()
      const ask = (probe: Probe): Promise<Answer>[] => [
        probe.call('getTask', { id }),
        probe.call('listTasks', { pageSize: 1 }),
        probe.call('listPushConfigs', { taskId: id }),
        probe.call('getExtendedCard', {}),
      ]
      const [here, there] = [await Promise.all(ask(t)), await Promise.all(ask(other))]
      for (const [at, x] of here.entries()) {
        const y = there[at]
        if (y === undefined) continue
        const agrees = (x.error === undefined) === (y.error === undefined)
        t.expect(agrees, `${x.op} succeeds over one binding only`, {
          expected: x.error === undefined ? 'success' : 'an error',
          actual: y.error === undefined ? 'success' : 'an error',
          at: [x.exchange, y.exchange],
        })
      }
    },
  ),
  check(
    'equivalence-errors',
    'MUST report the same error over all bindings',
    {
      proves: ['equiv-errors'],
      fix: 'Map errors in one place for all bindings.',
      across: true,
      yieldsTo: ['get-task-unknown', 'cancel-finished', 'send-to-finished'],
    },
    async (t) => {
      for (const probe of [t, t.sibling()]) {
        const faults: [A2AErrorKind, Answer][] = [
          ['TaskNotFound', await probe.call('getTask', { id: t.unusedId() })],
          ['TaskNotCancelable', await cancelOfFinished(probe)],
          ['UnsupportedOperation', await messageToFinished(probe)],
        ]
        for (const [kind, x] of faults) probe.expectError(x, kind)
      }
    },
  ),
  check(
    'equivalence-auth',
    'MUST require the same credentials over all bindings',
    {
      proves: ['equiv-auth'],
      fix: 'Authenticate in one place for all bindings.',
      across: true,
      yieldsTo: ['auth-missing', 'get-task-unknown'],
    },
    async (t) => {
      const id = t.unusedId()
      for (const identity of ['first', 'none'] as const) {
        const [x, y] = [
          await t.call('getTask', { id }, { identity }),
          await t.sibling().call('getTask', { id }, { identity }),
        ]
        const isRefused = (answer: Answer) => answer.status === 401 || answer.status === 403
        t.expect(isRefused(x) === isRefused(y), 'the bindings treat the same credentials differently', {
          expected: x.statusText,
          actual: y.statusText,
          at: [x.exchange, y.exchange],
        })
      }
    },
  ),
])

/** What must not depend on the binding. */
function essence({ id, contextId, state, timestamp, artifacts, history }: RawTask) {
  return {
    id,
    contextId: contextId ?? null,
    state: state ?? null,
    timestamp: timestamp ?? null,
    artifacts: artifacts.map((artifact) => ({ id: artifact.id ?? null, text: artifact.text })),
    history: (history ?? []).map((message) => ({
      id: message.messageId ?? null,
      role: message.role ?? null,
      text: message.text,
    })),
  }
}
