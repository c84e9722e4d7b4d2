// Push configurations: creating, reading, listing and deleting them (1.0 §3.1.7 to §3.1.10).

import { defined } from '../../base/defined.ts'
import type { JsonObject } from '../../model/json.ts'
import type { Answer } from '../probe/answer.ts'
import { quote } from '../probe/assertions.ts'
import type { Probe } from '../probe/probe.ts'
import { type RawPushConfig, rawPushConfig, rawPushConfigs } from '../probe/raw-push.ts'
import { openTask, webhookUrl } from './accepted-webhook.ts'
import { area, check, type PlacedCheck } from './check.ts'

const SOME_URL = 'https://parley.invalid/'

export const pushChecks: PlacedCheck[] = [
  ...area({ name: 'push', category: 'lifecycle', phase: 5 }, [
    check(
      'push-create',
      'MUST return the push configuration it created',
      {
        proves: ['push-create-returns-config', 'card-capability-push-honest', 'rest-push-create'],
        fix: 'Store the configuration and return it with the url and the task id of the request.',
        needs: ['check:send-result', 'check:rest-push-create-route'],
        groundOf: 'createPushConfig',
      },
      async (t) => {
        const task = await openTask(t)
        const { config, url, x } = await created(t, task.id)
        t.expectEqual(config.url, url, 'the url of the configuration', { at: x, pointer: `${x.resultPointer}/url` })
        if (config.taskId !== undefined)
          t.expectEqual(config.taskId, task.id, 'the task of the configuration', { at: x })
      },
    ),
    check(
      'push-create-id',
      'MUST give a push configuration an id by which it can be read',
      {
        proves: ['push-create-id-assigned', 'push-create-persists'],
        fix: 'Assign an id when the client gives none, return it, and use it to look up the configuration.',
        needs: ['check:push-create'],
      },
      async (t) => {
        const task = await openTask(t)
        const { config, x } = await created(t, task.id, { id: undefined })
        const id = config.id ?? ''
        t.expect(id !== '', 'the configuration has no id', { expected: 'an id', actual: quote(config.json), at: x })
        const y = await t.call('getPushConfig', { taskId: task.id, id })
        t.expectSuccess(y)
        const second = await created(t, task.id, { id: undefined })
        t.expect(second.config.id !== id, `two configurations created without an id both get ${quote(id)}`, {
          expected: 'an id for each',
          actual: quote([config.json, second.config.json]),
          at: [x.exchange, second.x.exchange],
        })
      },
    ),
    check(
      'push-get',
      'MUST return a push configuration as it was created',
      {
        proves: ['push-get-returns', 'rest-push-get'],
        fix: 'Return the stored configuration unchanged: id, url and settings.',
        needs: ['check:push-create', 'check:rest-push-get-route'],
        groundOf: 'getPushConfig',
      },
      async (t) => {
        const task = await openTask(t)
        const { config, known, url } = await created(t, task.id, { token: 'parley-token' })
        const x = await t.call('getPushConfig', { taskId: task.id, ...idOf(known) })
        const read = rawPushConfig(t.expectSuccess(x))
        t.expectEqual(read?.url, url, 'the url of the configuration', { at: x })
        // The `tasks/send` version has one configuration for each task, and no ids for them.
        const hasIds = config.id !== undefined || read?.id !== undefined
        if (hasIds) t.expectEqual(read?.id, known.id, 'the id of the configuration', { at: x })
        // Secrets may be withheld on reading (docs/spec-conflicts.md, place 19), but not altered.
        if (read?.token !== undefined)
          t.expectEqual(read.token, 'parley-token', 'the token of the configuration', { at: x })
      },
    ),
    check(
      'push-list',
      'MUST list the push configuration of a task',
      {
        proves: ['push-list-all', 'rest-push-list'],
        fix: 'Answer with the configurations of the task, each with its id and url.',
        needs: ['check:push-create', 'check:rest-push-list-route'],
        groundOf: 'listPushConfigs',
      },
      async (t) => {
        const task = await openTask(t)
        const { url } = await created(t, task.id)
        const x = await t.call('listPushConfigs', { taskId: task.id })
        const seen = rawPushConfigs(t.expectSuccess(x))
        t.expect(
          seen.some((config) => config.url === url),
          'the configuration is not listed',
          { expected: url, actual: quote(x.result), pointer: x.resultPointer, at: x },
        )
      },
    ),
    check(
      'push-several',
      'MUST keep several push configurations of one task',
      {
        proves: ['push-create-multiple', 'push-list-all', 'rest-push-list'],
        fix: 'Keep configurations by their id, and list all of them.',
        yieldsTo: ['push-create-id', 'push-list-empty'],
      },
      async (t) => {
        const task = await openTask(t)
        const first = await created(t, task.id)
        const second = await created(t, task.id)
        t.expect(first.known.id !== second.known.id, 'two configurations share an id', {
          actual: quote([first.config.json, second.config.json]),
          at: second.x,
        })
        const x = await t.call('listPushConfigs', { taskId: task.id })
        const seen = rawPushConfigs(t.expectSuccess(x))
        t.expectEqual(seen.map(({ url }) => url ?? '').sort(), [first.url, second.url].sort(), 'the list of urls', {
          at: x,
        })
      },
    ),
    check(
      'push-list-empty',
      'MUST list no configurations for a task that has none',
      { proves: ['push-list-empty'], fix: 'Answer with an empty list of configurations.', yieldsTo: ['push-create'] },
      async (t) => {
        const task = await openTask(t)
        const x = await t.call('listPushConfigs', { taskId: task.id })
        const seen = rawPushConfigs(t.expectSuccess(x))
        t.expect(seen.length === 0, 'the list has configurations that were never created', {
          actual: quote(x.result),
          at: x,
        })
      },
    ),
    check(
      'push-delete',
      'MUST remove a push configuration that is deleted',
      {
        proves: ['push-delete-removes', 'rest-push-delete'],
        fix: 'Remove the configuration, so that neither reading nor listing shows it.',
        yieldsTo: ['push-list-empty', 'push-get-unknown-config'],
        needs: ['check:push-list', 'check:push-get', 'check:rest-push-delete-route'],
        groundOf: 'deletePushConfig',
      },
      async (t) => {
        const task = await openTask(t)
        const { known: other } = await created(t, task.id)
        const { known } = await created(t, task.id)
        const before = rawPushConfigs(t.expectSuccess(await t.call('listPushConfigs', { taskId: task.id })))
        await deleted(t, task.id, known)
        const x = await t.call('listPushConfigs', { taskId: task.id })
        const seen = rawPushConfigs(t.expectSuccess(x))
        t.expect(!seen.some(({ id }) => id === known.id), 'the deleted configuration is still listed', {
          actual: quote(x.result),
          at: x,
        })
        // Whether a task has several is another check's business.
        const isOther = ({ id }: RawPushConfig) => id === other.id && id !== known.id
        t.expect(!before.some(isOther) || seen.some(isOther), 'deleting one configuration removed another one', {
          expected: `configuration ${other.id ?? ''}`,
          actual: quote(x.result),
          at: x,
        })
        // Who ignores the id would show the other one.
        await deleted(t, task.id, other)
        t.expectRefused(await t.call('getPushConfig', { taskId: task.id, ...idOf(known) }))
      },
    ),
    check(
      'push-delete-twice',
      'MUST accept the deletion of a configuration that is already gone',
      {
        proves: ['push-delete-idempotent'],
        fix: 'Answer a repeated deletion like the first.',
      },
      async (t) => {
        const task = await openTask(t)
        const { known } = await created(t, task.id)
        await deleted(t, task.id, known)
        const x = await t.call('deletePushConfig', { taskId: task.id, ...idOf(known) })
        t.expect(x.error === undefined, 'the second deletion fails', {
          expected: 'success',
          actual: quote(x.body),
          at: x,
        })
      },
    ),
    check(
      'push-inline',
      'MUST register the push configuration of a send',
      {
        proves: ['send-inline-push-config'],
        fix: 'Create configuration.taskPushNotificationConfig for the task that the send starts.',
        yieldsTo: ['push-create'],
      },
      async (t) => {
        const url = await webhookUrl(t)
        const configuration = { taskPushNotificationConfig: { url }, returnImmediately: true }
        const { task } = await t.startTask(t.known('input-required') === undefined ? 'task' : 'input-required', {
          configuration,
        })
        const x = await t.call('listPushConfigs', { taskId: task.id })
        const urls = rawPushConfigs(t.expectSuccess(x)).map(({ url }) => url)
        t.expect(urls.includes(url), 'the configuration is not listed', {
          expected: url,
          actual: quote(x.result),
          at: x,
        })
      },
    ),
    check(
      'push-secrets',
      'SHOULD NOT return the credentials of a push configuration',
      {
        proves: ['push-credentials-protected'],
        fix: 'Leave authentication.credentials and token out when a configuration is read.',
      },
      async (t) => {
        const task = await openTask(t)
        const secret = `parley-secret-${t.unusedId()}`
        const { known } = await created(t, task.id, { authentication: { scheme: 'Bearer', credentials: secret } })
        const x = await t.call('getPushConfig', { taskId: task.id, ...idOf(known) })
        t.expectSuccess(x)
        const list = await t.call('listPushConfigs', { taskId: task.id })
        const listed = rawPushConfigs(t.expectSuccess(list)).find(({ id }) => id === known.id)
        if (listed?.credentials !== undefined)
          t.expectEqual(listed.credentials, secret, 'the listed credentials', { at: list })
        if (x.text.includes(secret)) t.conflict(19, 'the credentials of a push configuration can be read back')
      },
    ),
  ]),
  ...area({ name: 'push-errors', category: 'error-handling', phase: 5 }, [
    check(
      'push-create-unknown-task',
      'MUST NOT create a push configuration for an unknown task',
      {
        proves: ['push-create-task-not-found'],
        fix: 'Return TaskNotFoundError when no task has the id.',
        yieldsTo: ['push-create'],
      },
      async (t) => {
        const url = await webhookUrl(t)
        t.expectError(await t.call('createPushConfig', { taskId: t.unusedId(), url }), 'TaskNotFound')
      },
    ),
    check(
      'push-get-unknown-config',
      'MUST report an unknown push configuration as not found',
      {
        proves: ['push-get-config-not-found'],
        fix: 'Return TaskNotFoundError when the task has no such configuration.',
        yieldsTo: ['push-create'],
      },
      async (t) => {
        const { id: taskId } = await openTask(t)
        t.expectError(await t.call('getPushConfig', { taskId, id: t.unusedId() }), 'TaskNotFound', 'InvalidParams')
      },
    ),
    check(
      'push-get-unknown-task',
      'MUST NOT read a push configuration of an unknown task',
      {
        proves: ['push-get-task-not-found'],
        fix: 'Return TaskNotFoundError when no task has the id.',
        yieldsTo: ['push-create', 'push-get-unknown-config'],
      },
      async (t) => {
        t.expectError(await t.call('getPushConfig', { taskId: t.unusedId(), id: t.unusedId() }), 'TaskNotFound')
      },
    ),
    check(
      'push-list-unknown-task',
      'MUST NOT list push configurations of an unknown task',
      {
        proves: ['push-list-task-not-found'],
        fix: 'Return TaskNotFoundError when no task has the id.',
        yieldsTo: ['push-create'],
      },
      async (t) => t.expectError(await t.call('listPushConfigs', { taskId: t.unusedId() }), 'TaskNotFound'),
    ),
    check(
      'push-delete-unknown-task',
      'MUST NOT delete a push configuration of an unknown task',
      {
        proves: ['push-delete-task-not-found'],
        fix: 'Return TaskNotFoundError when no task has the id.',
        yieldsTo: ['push-create'],
      },
      async (t) => {
        t.expectError(await t.call('deletePushConfig', { taskId: t.unusedId(), id: t.unusedId() }), 'TaskNotFound')
      },
    ),
    check(
      'push-create-missing-url',
      'SHOULD refuse a push configuration without url',
      { proves: ['push-create-missing-url'], fix: 'Return a validation error when url is missing or empty.' },
      async (t) => {
        const { id: taskId } = await openTask(t)
        for (const edit of [withoutUrl, withEmptyUrl]) {
          const x = await t.call('createPushConfig', { taskId, url: SOME_URL }, { edit })
          t.expectError(x, 'InvalidParams')
        }
      },
    ),
    check(
      'push-create-auth-scheme',
      'SHOULD refuse authentication without a scheme',
      { proves: ['push-create-auth-scheme'], fix: 'Return a validation error when authentication has no scheme.' },
      async (t) => {
        const { id: taskId } = await openTask(t)
        const url = await webhookUrl(t)
        const edit = (params: Record<string, unknown>) => ({ ...params, authentication: { credentials: 'x' } }) as never
        t.expectError(await t.call('createPushConfig', { taskId, url }, { edit }), 'InvalidParams')
      },
    ),
    ...(['createPushConfig', 'getPushConfig', 'listPushConfigs', 'deletePushConfig'] as const).map((op) =>
      check(
        `push-undeclared-${op.replace(/PushConfigs?$/, '')}`,
        `MUST refuse to ${op.replace(/PushConfigs?$/, '')} push configurations when it does not declare push notifications`,
        {
          proves: [
            `push-unsupported-${op.replace(/PushConfigs?$/, '')}`,
            'err-map-push-not-supported-jsonrpc',
            'err-map-push-not-supported-http-json',
          ],
          fix: 'Return PushNotificationNotSupportedError, also for unknown tasks, or declare capabilities.pushNotifications.',
          phase: 2,
          ...(op === 'createPushConfig' ? { tells: true } : {}),
          needs: [
            `check:rest-push-${op.replace(/PushConfigs?$/, '')}-route`,
            'check:rest-no-version-prefix',
            'check:card-capabilities-boolean',
          ],
          yieldsTo: ['jsonrpc-method-names'],
        },
        async (t) => {
          const taskId = t.unusedId()
          const request = { taskId, id: t.unusedId(), url: 'https://parley.invalid/hook' }
          // Before 1.0 the methods may be left out as a whole (docs/spec-conflicts.md, place 52).
          const others = t.rules.optionalMethods ? (['MethodNotFound'] as const) : []
          t.expectError(await t.call(op, request), 'PushNotificationNotSupported', ...others)
        },
      ),
    ),
  ]),
]

/** A configuration under an id of ours: 0.3 leaves the id to the client (§6.8), 1.0 assigns one where it is undefined. */
export async function created(
  t: Probe,
  taskId: string,
  settings: {
    id?: string | undefined
    url?: string
    token?: string
    authentication?: { scheme: string; credentials: string }
  } = {},
) {
  const { url = await webhookUrl(t), id, ...rest } = { id: t.unusedId(), ...settings }
  const x = await t.call('createPushConfig', { taskId, url, ...rest, ...defined({ id }) })
  const config = configOf(t, x)
  return { config, known: { ...config, id: config.id ?? id }, url, x }
}

function configOf(t: Probe, x: Answer): RawPushConfig {
  const result = t.expectSuccess(x)
  return rawPushConfig(result) ?? t.fail('the result is not a push configuration', { actual: quote(result), at: x })
}

export async function deleted(t: Probe, taskId: string, config: RawPushConfig): Promise<void> {
  const x = await t.call('deletePushConfig', { taskId, ...idOf(config) })
  t.expect(x.error === undefined, 'the deletion failed', { expected: 'success', actual: quote(x.body), at: x })
  // Nothing, null and {} are all in use (docs/spec-conflicts.md, place 20); a page is none of them.
  t.expect(x.text.trim() === '' || x.body !== undefined, `the deletion is answered with ${x.mediaType || 'text'}`, {
    expected: 'JSON, or nothing',
    actual: quote(x.text),
    at: x,
  })
}

export function idOf({ id }: RawPushConfig): { id?: string } {
  return id === undefined ? {} : { id }
}

function withoutUrl(params: JsonObject): JsonObject {
  const { url: _, ...rest } = params
  return rest
}

/** Wherever the generation writes it. */
function withEmptyUrl(params: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(params).replaceAll(SOME_URL, '')) as JsonObject
}
