// What one user can learn of another by asking differently: about finished tasks, single push configurations, totals and
// page tokens (1.0 §3.1.4, §3.3.2, §13.1).

import { isStreaming } from '../../model/operation.ts'
import { quote } from '../probe/assertions.ts'
import { listAt, textAt } from '../probe/raw.ts'
import { openTask, webhookUrl } from './accepted-webhook.ts'
import { area, check, type PlacedCheck } from './check.ts'
import { populated } from './list-reading.ts'
import { created, idOf } from './push.ts'
import { attempt, expectHidden } from './security.ts'

export const foreignTaskChecks: PlacedCheck[] = area({ name: 'foreign-tasks', category: 'lifecycle', phase: 6 }, [
  check(
    'isolation-finished',
    'MUST NOT reveal to one user that a task of another user has ended',
    {
      proves: ['sec-no-existence-leak', 'sec-authz-before-lookup'],
      fix: 'Check that the task belongs to the caller before checking its state.',
      needs: ['second-identity'],
      yieldsTo: ['isolation-read', 'isolation-cancel', 'isolation-subscribe'],
      causes: ['The state is checked before the owner, so the error reveals that the task exists.'],
    },
    async (t) => {
      const { id } = await t.ownFinishedTask()
      for (const op of ['getTask', 'cancelTask', 'subscribeTask'] as const) {
        if (!t.works(op) || (isStreaming(op) && !t.declares('streaming'))) continue
        expectHidden(t, await attempt(t, op, { id }, 'second'))
      }
    },
  ),
  check(
    'isolation-push-config',
    'MUST NOT let one user read or delete a push configuration of another',
    {
      proves: ['sec-scope-push'],
      fix: 'Return TaskNotFoundError for every push operation on a task of another user, whatever id the configuration has.',
      needs: ['second-identity', 'check:push-get'],
      yieldsTo: ['isolation-push'],
    },
    async (t) => {
      if (!t.declares('pushNotifications')) t.notApplicable('the card does not declare pushNotifications')
      const { id: taskId } = await openTask(t)
      const { known } = await created(t, taskId, { url: await webhookUrl(t) })
      const request = { taskId, ...idOf(known) }
      expectHidden(t, await t.call('getPushConfig', request, { identity: 'second' }))
      expectHidden(t, await t.call('deletePushConfig', request, { identity: 'second' }))
      t.expectSuccess(await t.call('getPushConfig', request))
    },
  ),
  check(
    'isolation-list-total',
    'MUST NOT count or list the tasks of other users',
    {
      proves: ['list-auth-scope'],
      fix: 'Restrict lists to the tasks of the caller before counting, and on every page, whatever the page token.',
      needs: ['second-identity', 'check:list-total'],
      yieldsTo: ['isolation-list'],
    },
    async (t) => {
      const { contextId, ids } = await populated(t)
      const x = await t.call('listTasks', { contextId }, { identity: 'second' })
      const result = t.expectSuccess(x)
      const total =
        typeof result === 'object' && result !== null && !Array.isArray(result) ? result.totalSize : undefined
      t.expectEqual(total, 0, 'totalSize for a context of another user', {
        pointer: `${x.resultPointer}/totalSize`,
        at: x,
      })
      const first = await t.call('listTasks', { contextId, pageSize: 2 })
      const pageToken = textAt(t.expectSuccess(first), 'nextPageToken') ?? ''
      if (pageToken === '') return
      const y = await t.call('listTasks', { contextId, pageSize: 2, pageToken }, { identity: 'second' })
      const seen = (listAt(y.result, 'tasks') ?? []).flatMap((task) => textAt(task, 'id') ?? [])
      t.expect(
        !seen.some((id) => ids.includes(id)),
        'the page token of one user shows the tasks of that user to another',
        {
          actual: quote(y.result),
          pointer: `${y.resultPointer}/tasks`,
          at: y,
        },
      )
    },
  ),
])
