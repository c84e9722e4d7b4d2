// What a listing can be narrowed to: contexts, states, times, and how much of each task it shows (1.0 §3.1.4).

import { sameJson } from '../../model/json.ts'
import { quote } from '../probe/assertions.ts'
import { sameMeaning } from '../probe/proto-json.ts'
import { area, check, type PlacedCheck } from './check.ts'
import { endedTasks, sentTasks, wordOf } from './ends.ts'
import { list, listUpTo, populated } from './list-reading.ts'

export const listFilterChecks: PlacedCheck[] = area({ name: 'list', category: 'lifecycle', phase: 3 }, [
  check(
    'list-by-context',
    'MUST list exactly the tasks of a context',
    { proves: ['list-filter-context', 'list-idempotent'], fix: 'Apply the contextId filter.' },
    async (t) => {
      const { contextId, ids } = await populated(t)
      const { x, tasks } = await listUpTo(t, { contextId }, ids.length)
      const found = tasks.map(({ id }) => id)
      t.expect(
        sameJson([...found].sort(), [...ids].sort()),
        'the list does not hold exactly the tasks of the context',
        {
          expected: [...ids].sort().join(', '),
          actual: [...found].sort().join(', '),
          pointer: `${x.resultPointer}/tasks`,
          at: x,
        },
      )
      const again = await list(t, { contextId })
      t.expect(sameMeaning(again.x.result, x.result), 'listing twice gives different answers', {
        expected: quote(x.result),
        actual: quote(again.x.result),
        at: [x.exchange, again.x.exchange],
      })
      const cut = await list(t, { contextId: contextId.slice(0, -1) })
      const place = { pointer: `${cut.x.resultPointer}/tasks`, at: cut.x }
      t.expectEqual(cut.tasks.length, 0, 'the number of tasks for the beginning of a context id', place)
    },
  ),
  check(
    'list-by-status',
    'MUST list exactly the tasks in a state',
    {
      proves: ['list-filter-status', 'list-filters-combined'],
      fix: 'Apply the status filter, together with the others.',
      yieldsTo: ['task-context-constant', 'list-by-context'],
    },
    async (t) => {
      const { contextId, ids } = await populated(t)
      const { x, tasks } = await listUpTo(t, { contextId, status: 'TASK_STATE_COMPLETED' }, ids.length)
      const wrong = tasks.find(({ state }) => state !== 'TASK_STATE_COMPLETED')
      t.expect(wrong === undefined, `a task in state ${wrong?.stateText} is listed`, {
        expected: 'TASK_STATE_COMPLETED',
        actual: wrong?.stateText ?? '',
        pointer: wrong?.pointer ?? '',
        at: x,
      })
      t.expect(tasks.length === ids.length, `${tasks.length} of ${ids.length} completed tasks are listed`, {
        expected: String(ids.length),
        actual: String(tasks.length),
        pointer: `${x.resultPointer}/tasks`,
        at: x,
      })
      for (const task of await endedTasks(t, 'to be listed')) {
        const own = task.contextId === undefined ? {} : { contextId: task.contextId }
        for (const status of ENDS) {
          const some = await list(t, { ...own, status })
          const isListed = some.tasks.some(({ id }) => id === task.id)
          const how = isListed ? 'listed' : 'not listed'
          t.expect(
            isListed === (status === task.state),
            `a ${wordOf(task.state)} task is ${how} as ${wordOf(status)}`,
            {
              expected: `the tasks that are ${wordOf(status)}`,
              actual: quote(some.tasks.map(({ id }) => id)),
              pointer: `${some.x.resultPointer}/tasks`,
              at: some.x,
            },
          )
        }
      }
      const none = await list(t, { contextId, status: 'TASK_STATE_WORKING' })
      t.expect(none.tasks.length === 0, 'completed tasks are listed as working', {
        expected: 'no task',
        actual: String(none.tasks.length),
        at: none.x,
      })
    },
  ),
  check(
    'list-status-invalid',
    'MUST refuse a state that does not exist',
    {
      proves: ['list-filter-status-invalid'],
      fix: 'Return a validation error for an unknown state name.',
      category: 'error-handling',
      phase: 2,
    },
    async (t) => {
      // The spelling of older generations may be taken as well (A.2).
      const status = 'TASK_STATE_RUNNING'
      t.expectError(await t.call('listTasks', {}, { edit: (params) => ({ ...params, status }) }), 'InvalidParams')
    },
  ),
  check(
    'list-by-time',
    'MUST list the tasks updated at or after statusTimestampAfter',
    {
      proves: ['list-filter-timestamp'],
      fix: 'Keep tasks whose status.timestamp is at or after statusTimestampAfter.',
      yieldsTo: ['list-by-context', 'json-timestamps', 'rest-query-decoded'],
    },
    async (t) => {
      const { contextId } = await populated(t)
      const whole = await list(t, { contextId })
      const middle = whole.tasks[2]?.timestamp
      if (middle === undefined) return t.notMeasured('the tasks have no status timestamp')
      const { x, tasks } = await list(t, { contextId, statusTimestampAfter: middle })
      const listed = new Set(tasks.map(({ id }) => id))
      for (const task of whole.tasks) {
        const lead = Date.parse(task.timestamp ?? '') - Date.parse(middle)
        const isListed = listed.has(task.id)
        if (task.timestamp === middle && !isListed) t.warn(54, 'a task with exactly that timestamp is missing')
        else if (lead !== 0) {
          t.expect(isListed === lead > 0, `a task of ${task.timestamp} is ${isListed ? 'listed' : 'missing'}`, {
            expected: `the tasks at or after ${middle}`,
            actual: quote(tasks.map(({ timestamp }) => timestamp ?? '')),
            pointer: `${x.resultPointer}/tasks`,
            at: x,
          })
        }
      }
      const future = await list(t, { contextId, statusTimestampAfter: new Date(Date.now() + 86_400_000).toISOString() })
      t.expect(future.tasks.length === 0, 'tasks are listed for a timestamp in the future', {
        expected: 'no task',
        actual: String(future.tasks.length),
        at: future.x,
      })
    },
  ),
  check(
    'list-no-artifacts',
    'MUST omit artifacts from lists unless includeArtifacts is true',
    {
      proves: ['list-artifacts-default', 'list-artifacts-false'],
      fix: 'Omit the member artifacts, unless includeArtifacts is true.',
      yieldsTo: ['list-by-context'],
    },
    async (t) => {
      const { contextId } = await populated(t)
      for (const request of [{ contextId }, { contextId, includeArtifacts: false }]) {
        const { x, tasks } = await list(t, request)
        const found = tasks.find(({ json }) => 'artifacts' in json)
        t.expect(found === undefined, 'a listed task has the member artifacts', {
          expected: 'no member artifacts',
          actual: quote(found?.json.artifacts),
          pointer: `${found?.pointer}/artifacts`,
          at: x,
        })
      }
    },
  ),
  check(
    'list-artifacts',
    'SHOULD return artifacts when includeArtifacts is true',
    {
      proves: ['list-artifacts-true'],
      fix: 'Include the artifacts when includeArtifacts is true.',
      yieldsTo: ['send-snapshot', 'list-by-context'],
    },
    async (t) => {
      for (const { task } of await sentTasks(t)) {
        const stored = t.taskOf(await t.call('getTask', { id: task.id }))
        const { contextId } = stored
        if (contextId === undefined || contextId !== task.contextId || stored.artifacts.length === 0) continue
        const { x, tasks } = await list(t, { contextId, includeArtifacts: true })
        const listed = tasks.find(({ id }) => id === stored.id)
        const same = sameMeaning(listed?.json.artifacts, stored.json.artifacts)
        t.expect(same, 'the artifacts differ from those of GetTask', {
          expected: quote(stored.json.artifacts),
          actual: quote(listed?.json.artifacts),
          pointer: `${listed?.pointer}/artifacts`,
          at: x,
        })
      }
    },
  ),
  check(
    'list-history',
    'MUST limit the history of listed tasks',
    {
      proves: ['list-history-length'],
      fix: 'Return at most historyLength messages per task, none for 0.',
      yieldsTo: ['list-by-context', 'get-task-history-cap'],
    },
    async (t) => {
      const { contextId } = await populated(t)
      for (const historyLength of [0, 1]) {
        const { x, tasks } = await list(t, { contextId, historyLength })
        const long = tasks.find(({ history }) => (history ?? []).length > historyLength)
        t.expect(long === undefined, `a listed task has ${long?.history?.length} messages of history`, {
          expected: `at most ${historyLength}`,
          actual: quote(long?.json.history),
          pointer: `${long?.pointer}/history`,
          at: x,
        })
      }
    },
  ),
])

const ENDS = ['TASK_STATE_COMPLETED', 'TASK_STATE_FAILED', 'TASK_STATE_REJECTED', 'TASK_STATE_CANCELED'] as const
