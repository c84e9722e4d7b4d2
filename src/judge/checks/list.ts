// Listing tasks: members, pages, order, filters (1.0 §3.1.4).

import { sameJson } from '../../model/json.ts'
import { quote } from '../probe/assertions.ts'
import { area, check, type PlacedCheck } from './check.ts'
import { isPageSize, list, MANY, outOfBounds, pages, populated, read } from './list-reading.ts'

export const listChecks: PlacedCheck[] = area({ name: 'list', category: 'lifecycle', phase: 3 }, [
  check(
    'list-answers',
    'MUST answer ListTasks with a list of tasks',
    {
      proves: ['list-response-fields'],
      fix: 'Serve ListTasks to every caller who may send messages, and return {"tasks": […], …}.',
      phase: 2,
      needs: ['check:auth-accepted', 'check:version-supported', 'check:rest-list-tasks-route'],
      groundOf: 'listTasks',
      causes: [
        'The operation is not implemented, or its route is missing.',
        'The store demands an authenticated caller although the card demands none.',
      ],
    },
    async (t) => {
      read(t, await t.call('listTasks', { pageSize: 10 }))
    },
  ),
  check(
    'list-empty',
    'MUST return an empty list when no task matches',
    {
      proves: ['list-empty', 'list-response-fields', 'list-next-page-token-present'],
      fix: 'Return {"tasks": [], "nextPageToken": "", "pageSize": n, "totalSize": 0} when nothing matches.',
      phase: 2,
      yieldsTo: ['list-by-context'],
    },
    async (t) => {
      const { x, tasks, nextPageToken, totalSize } = await list(t, { contextId: t.unusedId() })
      t.expectEqual(tasks.length, 0, 'the number of tasks', { pointer: `${x.resultPointer}/tasks`, at: x })
      t.expectEqual(totalSize, 0, 'totalSize', { pointer: `${x.resultPointer}/totalSize`, at: x })
      t.expectEqual(nextPageToken, '', 'nextPageToken', { pointer: `${x.resultPointer}/nextPageToken`, at: x })
    },
  ),
  check(
    'list-page-size',
    'MUST NOT return more tasks than the page size asked for',
    { proves: ['list-page-size-respected'], fix: 'Return at most pageSize tasks.' },
    async (t) => {
      const { contextId } = await populated(t)
      const { x, tasks } = await list(t, { contextId, pageSize: 2 })
      t.expect(tasks.length <= 2 && tasks.length > 0, `the page has ${tasks.length} tasks`, {
        expected: '2 tasks',
        actual: String(tasks.length),
        pointer: `${x.resultPointer}/tasks`,
        at: x,
      })
    },
  ),
  check(
    'list-page-size-echo',
    'MUST state the page size it applied',
    {
      proves: ['list-page-size-echo'],
      fix: 'Return the page size that was applied, 50 when the request has none.',
      yieldsTo: ['list-page-size', 'list-by-context'],
    },
    async (t) => {
      const { contextId } = await populated(t)
      // More than there are tasks, too: the size of the page is not the number of tasks on it.
      for (const pageSize of [2, 50]) {
        const asked = await list(t, { contextId, pageSize })
        t.expect(isPageSize(asked, pageSize), `pageSize is ${quote(asked.pageSize)} instead of ${pageSize}`, {
          expected: `${pageSize}, or a smaller size that was applied`,
          actual: quote(asked.pageSize),
          pointer: `${asked.x.resultPointer}/pageSize`,
          at: asked.x,
        })
      }
      const unasked = await list(t, { contextId })
      t.expect(typeof unasked.pageSize === 'number' && unasked.pageSize > 0, `pageSize is ${quote(unasked.pageSize)}`, {
        expected: 'the default that was applied',
        actual: quote(unasked.pageSize),
        pointer: `${unasked.x.resultPointer}/pageSize`,
        at: unasked.x,
      })
    },
  ),
  check(
    'list-page-size-default',
    'MUST return at most 50 tasks when no page size is given',
    { proves: ['list-page-size-default'], fix: 'Apply a page size of 50 when the client gives none.' },
    async (t) => {
      const { x, tasks, pageSize } = await list(t, {})
      t.expect(tasks.length <= 50, `the page has ${tasks.length} tasks`, {
        expected: 'at most 50',
        actual: String(tasks.length),
        pointer: `${x.resultPointer}/tasks`,
        at: x,
      })
      t.expect(typeof pageSize !== 'number' || pageSize <= 50, `the default page size is ${quote(pageSize)}`, {
        expected: 'at most 50',
        actual: quote(pageSize),
        pointer: `${x.resultPointer}/pageSize`,
        at: x,
      })
    },
  ),
  check(
    'list-page-size-max',
    'MUST refuse a page size above 100, or reduce it to 100',
    {
      proves: ['list-page-size-max'],
      fix: 'Refuse a pageSize above 100, or apply at most 100.',
      phase: 2,
      yieldsTo: ['get-task-unknown'],
    },
    async (t) => outOfBounds(t, [150]),
  ),
  check(
    'list-page-size-min',
    'MUST refuse a page size below 1, or apply one of 1 to 100',
    {
      proves: ['list-page-size-min'],
      fix: 'Refuse a pageSize of 0 and below, or apply one of 1 to 100.',
      category: 'error-handling',
      phase: 2,
      yieldsTo: ['get-task-unknown'],
    },
    async (t) => outOfBounds(t, [0, -1]),
  ),
  check(
    'list-total',
    'MUST count all matching tasks',
    {
      proves: ['list-total-size'],
      fix: 'Set totalSize to the number of tasks that match the filters, on every page.',
      yieldsTo: ['list-empty', 'list-by-context', 'list-cursor'],
    },
    async (t) => {
      const { contextId } = await populated(t)
      for (const { x, totalSize } of await pages(t, { contextId, pageSize: 2 })) {
        t.expectEqual(totalSize, MANY, 'totalSize', { pointer: `${x.resultPointer}/totalSize`, at: x })
      }
    },
  ),
  check(
    'list-cursor',
    'MUST list every task once when nextPageToken is followed',
    {
      proves: ['list-cursor-complete', 'list-final-page-token-empty'],
      fix: 'Let nextPageToken continue after the last task of the page, also when timestamps are equal; end with "".',
      yieldsTo: ['list-empty', 'list-by-context'],
    },
    async (t) => {
      const { contextId, ids } = await populated(t)
      const all = await pages(t, { contextId, pageSize: 2 })
      const seen = all.flatMap(({ tasks }) => tasks.map(({ id }) => id))
      const at = all.map(({ x }) => x.exchange)
      t.expect(new Set(seen).size === seen.length, 'a task is listed twice', {
        expected: 'every task once',
        actual: seen.join(', '),
        at,
      })
      t.expect(sameJson([...seen].sort(), [...ids].sort()), 'the pages together do not hold every created task once', {
        expected: [...ids].sort().join(', '),
        actual: [...seen].sort().join(', '),
        at,
      })
      const whole = await list(t, { contextId, pageSize: ids.length })
      const last = { pointer: `${whole.x.resultPointer}/nextPageToken`, at: whole.x }
      // Pages may be shorter than asked for.
      if (whole.tasks.length < ids.length) return
      t.expectEqual(whole.nextPageToken, '', 'nextPageToken of a page that holds all tasks', last)
    },
  ),
  check(
    'list-cursor-filter',
    'SHOULD keep the filters of a listing on later pages',
    {
      proves: ['list-cursor-keeps-filter'],
      fix: 'Apply the filters on every page of a listing.',
      yieldsTo: ['list-empty', 'list-by-context', 'list-cursor'],
    },
    async (t) => {
      const { contextId } = await populated(t)
      for (const { x, tasks } of await pages(t, { contextId, pageSize: 2 })) {
        // That listed tasks name no context is told by task-views-agree.
        const other = tasks.find((task) => task.contextId !== undefined && task.contextId !== contextId)
        t.expect(other === undefined, 'a later page holds a task of another context', {
          expected: contextId,
          actual: quote(other?.contextId),
          pointer: other?.pointer ?? '',
          at: x,
        })
      }
    },
  ),
  check(
    'list-token-invalid',
    'MUST refuse a page token it did not issue',
    {
      proves: ['list-page-token-invalid'],
      fix: 'Return a validation error for a pageToken that cannot be read.',
      category: 'error-handling',
      phase: 2,
    },
    async (t) => {
      t.expectError(await t.call('listTasks', { pageToken: 'parley-no-such-token' }), 'InvalidParams')
    },
  ),
  check(
    'list-order',
    'MUST sort tasks by status timestamp, newest first',
    {
      proves: ['list-order-desc'],
      fix: 'Sort by status.timestamp, descending, over all pages.',
      yieldsTo: ['list-empty', 'list-by-context', 'list-cursor'],
    },
    async (t) => {
      const { contextId } = await populated(t)
      const all = await pages(t, { contextId, pageSize: 2 })
      const times = all.flatMap(({ tasks }) => tasks.map(({ timestamp }) => Date.parse(timestamp ?? '')))
      if (times.some(Number.isNaN)) t.notMeasured('tasks without a status timestamp cannot be sorted')
      const at = all.map(({ x }) => x.exchange)
      t.expect(
        times.every((time, index) => index === 0 || time <= (times[index - 1] ?? 0)),
        'the tasks are not sorted newest first',
        {
          expected: 'non-increasing timestamps',
          actual: times.map((time) => new Date(time).toISOString()).join(', '),
          at,
        },
      )
    },
  ),
])
