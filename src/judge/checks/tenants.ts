// Agents that serve several tenants behind one interface (1.0 §4.4.6, §13.1). Judged when the card names a tenant, or
// the user does with --tenant.

import { quote } from '../probe/assertions.ts'
import type { Probe } from '../probe/probe.ts'
import { listAt, textAt } from '../probe/raw.ts'
import { area, check, type PlacedCheck } from './check.ts'

export const tenantChecks: PlacedCheck[] = [
  ...area({ name: 'tenants', category: 'lifecycle', phase: 3 }, [
    check(
      'tenant-routing',
      'MUST serve the tenant its interface names',
      {
        proves: ['send-tenant-routing'],
        fix: 'Read tenant from the request (parameter, or path segment over HTTP+JSON) and store it with the task.',
        needs: ['check:send-result'],
      },
      async (t) => {
        tenantOf(t)
        const { task } = await t.startTask('task')
        const x = await t.call('getTask', { id: task.id })
        t.expectAnswered(x)
        const isLost = x.error?.reason === 'TASK_NOT_FOUND' || x.error?.code === -32001
        t.expect(!isLost, 'the task made for the tenant is not found for the tenant', {
          expected: `task ${task.id}`,
          actual: quote(x.error?.json),
          at: x,
        })
        const without = await t.call('getTask', { id: task.id, tenant: '' })
        t.expectAnswered(without)
        t.note(`without tenant the task is ${without.error === undefined ? 'found' : 'not found'}`)
      },
    ),
    check(
      'tenant-isolation',
      'MUST NOT show the tasks of one tenant to another',
      {
        proves: ['sec-tenant-isolation'],
        fix: 'Look tasks up only among those of the tenant; return TaskNotFoundError for all others.',
        why: 'Tenants are different customers of one agent.',
      },
      async (t) => {
        tenantOf(t)
        const { task } = await t.startTask('task')
        const { id } = task
        const tenant = `parley-other-${t.unusedId()}`
        t.expectRefused(await t.call('getTask', { id, tenant }))
        t.expectRefused(await t.call('cancelTask', { id, tenant }))
        t.expectRefused(await t.call('sendMessage', { message: t.message('x', { taskId: id }), tenant }))
        const x = await t.call('listTasks', { pageSize: 100, tenant })
        t.expectAnswered(x)
        const found = (listAt(x.result, 'tasks') ?? []).some((other) => textAt(other, 'id') === id)
        t.expect(!found, 'the list of another tenant shows the task', { actual: quote(x.result), at: x })
      },
    ),
  ]),
  ...area({ name: 'tenants', category: 'lifecycle', phase: 3, bindings: ['rest'] }, [
    check(
      'tenant-path',
      'SHOULD read the tenant from the path',
      {
        proves: ['rest-tenant-prefix'],
        fix: 'Serve every route also below /{tenant}, as the HTTP annotations in a2a.proto define.',
      },
      async (t) => {
        const prefix = `/${encodeURIComponent(tenantOf(t))}`
        const { task } = await t.startTask('task')
        const x = await t.raw({ path: `${prefix}/tasks/${encodeURIComponent(task.id)}` })
        t.expectSuccess(x)
        t.expectEqual(textAt(x.result, 'id'), task.id, 'the id of the task read below its tenant', { at: x })
      },
    ),
  ]),
]

function tenantOf(t: Probe): string {
  return t.surface.tenant ?? t.notApplicable('neither the card nor --tenant names a tenant')
}
