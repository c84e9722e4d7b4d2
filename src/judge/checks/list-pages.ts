// The edges of listing: pages of one, tasks that come in between, tokens and filters that are almost right (1.0 §3.1.4).

import { sameJson } from '../../model/json.ts'
import { quote } from '../probe/assertions.ts'
import type { Probe } from '../probe/probe.ts'
import { listAt } from '../probe/raw.ts'
import { area, check, type PlacedCheck } from './check.ts'
import { conversation } from './get-task.ts'
import { list, listUpTo, pages, populated } from './list-reading.ts'

export const listPageChecks: PlacedCheck[] = area({ name: 'list-pages', category: 'lifecycle', phase: 3 }, [
  check(
    'list-cursor-sizes',
    'MUST list every task once whatever the page size',
    {
      proves: ['list-cursor-complete', 'list-final-page-token-empty'],
      fix: 'Let nextPageToken continue after the last task of the page; it is empty when no task is left, also on a full page.',
      needs: ['check:list-cursor', 'check:list-page-size'],
    },
    async (t) => {
      const { contextId, ids } = await populated(t)
      for (const pageSize of [1, ids.length - 1, ids.length, 100]) {
        const all = await pages(t, { contextId, pageSize })
        const at = all.map(({ x }) => x.exchange)
        const seen = all.flatMap(({ tasks }) => tasks.map(({ id }) => id))
        t.expect(
          sameJson([...seen].sort(), [...ids].sort()),
          `the pages of size ${pageSize} together do not hold every task once`,
          {
            expected: [...ids].sort().join(', '),
            actual: [...seen].sort().join(', '),
            at,
          },
        )
        // How many pages there are is the agent's choice: it may return fewer tasks than were asked for.
        const isFull = all.every(({ tasks }) => tasks.length > 0)
        t.expect(isFull, `${ids.length} tasks come on ${all.length} pages of ${pageSize}, one of them empty`, {
          expected: 'an empty nextPageToken on the page with the last task',
          actual: `${all.length} pages of ${all.map(({ tasks }) => tasks.length).join(', ')} tasks`,
          at,
        })
      }
    },
  ),
  check(
    'list-cursor-insert',
    'MUST neither repeat nor lose a task when another is added between two pages',
    {
      proves: ['list-cursor-stable'],
      fix: 'Encode in the token after which task the next page begins, not how many tasks were returned.',
      needs: ['check:list-cursor'],
      causes: ['The token is an offset, and all positions shift by one when a task is added.'],
    },
    async (t) => {
      const { task, contextId } = await t.startInNewContext('task')
      const old = [await ended(t, task.id), await completed(t, contextId), await completed(t, contextId)]
      const first = await list(t, { contextId, pageSize: 1 })
      const pageToken = first.nextPageToken ?? ''
      if (pageToken === '') t.notMeasured('the first page has no token')
      await completed(t, contextId)
      const rest = await pages(t, { contextId, pageSize: 1, pageToken })
      const seen = [first, ...rest].flatMap(({ tasks }) => tasks.map(({ id }) => id))
      const at = [first, ...rest].map(({ x }) => x.exchange)
      t.expect(new Set(seen).size === seen.length, 'a task is listed again after another was added', {
        expected: 'every task once',
        actual: seen.join(', '),
        at,
      })
      const lost = old.filter((id) => !seen.includes(id))
      t.expect(lost.length === 0, 'a task is lost after another was added', {
        expected: old.join(', '),
        actual: seen.join(', '),
        at,
      })
    },
  ),
  check(
    'list-token-altered',
    'MUST refuse a page token that was altered',
    {
      proves: ['list-page-token-invalid'],
      fix: 'Decode page tokens strictly: return a validation error for a token that was changed, extended or truncated.',
      needs: ['check:list-cursor', 'check:list-token-invalid'],
      category: 'error-handling',
      causes: ['The base64 decoder skips invalid or trailing characters.', 'Only the beginning of the token is read.'],
    },
    async (t) => {
      const { contextId } = await populated(t)
      const { nextPageToken = '' } = await list(t, { contextId, pageSize: 2 })
      if (nextPageToken === '') t.notMeasured('the first page has no token')
      // Numbers and ids may name another place in the list when they are changed; with this they name none.
      for (const pageToken of [`${nextPageToken}!`, `!${nextPageToken}`])
        t.expectError(await t.call('listTasks', { contextId, pageSize: 2, pageToken }), 'InvalidParams')
    },
  ),
  check(
    'list-token-other-filter',
    'MUST apply the filters of a request also with a page token of other filters',
    {
      proves: ['list-token-filter'],
      fix: 'Refuse a token that was issued for other filters, or apply the filters of the request.',
      needs: ['check:list-by-context', 'check:list-cursor'],
    },
    async (t) => {
      const { contextId } = await populated(t)
      const { nextPageToken = '' } = await list(t, { contextId, pageSize: 2 })
      if (nextPageToken === '') t.notMeasured('the first page has no token')
      const x = await t.call('listTasks', { contextId: t.unusedId(), pageSize: 2, pageToken: nextPageToken })
      t.expectAnswered(x)
      if (x.error !== undefined) return t.expectError(x, 'InvalidParams')
      const tasks = listAt(x.result, 'tasks') ?? []
      t.expect(tasks.length === 0, 'a token returns tasks of another context than the requested one', {
        expected: 'no task, or an error',
        actual: quote(x.result),
        pointer: `${x.resultPointer}/tasks`,
        at: x,
      })
    },
  ),
  check(
    'list-context-exact',
    'MUST filter by the exact context id',
    {
      proves: ['list-filter-context'],
      fix: 'Compare the filter with the whole contextId, without wildcards, truncation or case folding.',
      needs: ['check:list-by-context'],
    },
    async (t) => {
      const { contextId } = await populated(t)
      for (const other of [`${contextId}x`, `x${contextId}`, contextId.toUpperCase(), contextId.slice(1), '%', '*']) {
        if (other === contextId) continue
        const { x, tasks } = await list(t, { contextId: other })
        t.expectEqual(tasks.length, 0, `the number of tasks for the context ${quote(other)}`, {
          pointer: `${x.resultPointer}/tasks`,
          at: x,
        })
      }
    },
  ),
  check(
    'list-time-edges',
    'MUST compare statusTimestampAfter in full precision',
    {
      proves: ['list-filter-timestamp', 'list-filters-combined'],
      fix: 'Compare status.timestamp with statusTimestampAfter in full precision, together with the other filters.',
      needs: ['check:list-by-time', 'check:list-by-status', 'check:list-order'],
      causes: ['Timestamps are truncated to seconds, minutes or days.'],
    },
    async (t) => {
      const { contextId, ids } = await populated(t)
      const times = (await listUpTo(t, { contextId }, ids.length)).tasks.map(({ timestamp }) =>
        Date.parse(timestamp ?? ''),
      )
      if (times.some(Number.isNaN)) t.notMeasured('tasks without a status timestamp cannot be compared')
      // Who shows whole seconds may know more, and the filter may go by that.
      const tickMs = times.some((time) => time % 1_000 !== 0) ? 1 : 1_000
      const status = 'TASK_STATE_COMPLETED' as const
      for (const [moment, count] of [
        [Math.min(...times) - tickMs, ids.length],
        [Math.max(...times) + tickMs, 0],
      ] as const) {
        const request = { contextId, status, statusTimestampAfter: new Date(moment).toISOString() }
        const { x, tasks, totalSize } = await listUpTo(t, request, ids.length)
        const place = { pointer: `${x.resultPointer}/tasks`, at: x }
        t.expectEqual(tasks.length, count, `the number of tasks after ${request.statusTimestampAfter}`, place)
        t.expectEqual(totalSize, count, 'totalSize', { pointer: `${x.resultPointer}/totalSize`, at: x })
      }
    },
  ),
  check(
    'list-history-recent',
    'MUST keep the most recent messages when a list limits the history',
    {
      proves: ['list-history-recent'],
      fix: 'Drop the oldest messages of listed tasks first, with the same code as GetTask.',
      needs: ['check:list-history', 'check:get-task-history-recent'],
    },
    async (t) => {
      const { id, contextId } = await conversation(t)
      if (contextId === undefined) return t.notMeasured('the agent uses no contexts')
      const whole = (t.taskOf(await t.call('getTask', { id })).history ?? []).map(({ messageId }) => messageId ?? '')
      if (whole.length < 2) t.notMeasured('the agent keeps fewer than two messages of history')
      const { x, tasks } = await list(t, { contextId, historyLength: 1 })
      const listed = tasks.find((task) => task.id === id)
      const [kept] = listed?.history ?? []
      if (listed === undefined || kept === undefined)
        return t.notMeasured('the list shows no history, which is allowed')
      t.expectEqual(kept.messageId, whole.at(-1), 'the id of the message kept in the list', {
        pointer: kept.pointer,
        at: x,
      })
    },
  ),
  check(
    'history-length-large',
    'MUST accept a historyLength larger than the history',
    {
      proves: ['history-length-large'],
      fix: 'historyLength is an upper bound; return the whole history when it is shorter.',
      needs: ['check:get-task-history-cap'],
    },
    async (t) => {
      const { id, contextId } = await conversation(t)
      const few = t.taskOf(await t.call('getTask', { id, historyLength: 1 })).history ?? []
      for (const historyLength of [1_000, 2_147_483_647]) {
        const x = await t.call('getTask', { id, historyLength })
        const { history = [], pointer } = t.taskOf(x)
        t.expect(history.length >= few.length, `historyLength ${historyLength} returns less than historyLength 1`, {
          expected: `at least ${few.length}`,
          actual: String(history.length),
          pointer: `${pointer}/history`,
          at: x,
        })
        if (t.surface.dialect.has('listTasks') && t.works('listTasks') && contextId !== undefined)
          t.expectSuccess(await t.call('listTasks', { contextId, historyLength }))
      }
    },
  ),
])

/** A task that ended, in that context. */
async function completed(t: Probe, contextId: string): Promise<string> {
  const { task } = await t.startTask('task', { contextId })
  return ended(t, task.id)
}

async function ended(t: Probe, id: string): Promise<string> {
  return (await t.awaitTask(id, ({ state }) => state === 'TASK_STATE_COMPLETED')).id
}
