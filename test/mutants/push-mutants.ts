// Push configurations that are lost or altered, and notifications that do not arrive or say something else.

import type { JsonObject, JsonValue } from '../../src/model/json.ts'
import type { BaseName } from './bases.ts'
import { at, list, type Mutant, type Mutation, mutant, put, text } from './mutant.ts'
import { refusal, result } from './task-edits.ts'

/** The configuration itself, flat or nested. */
const inside = (config: JsonObject): JsonValue => at(config, 'pushNotificationConfig') ?? config

const isTerminal = (body: JsonValue) => /COMPLETED|"completed"/.test(JSON.stringify(body))

function configMutants(base: BaseName, prefix: string): Mutant[] {
  const made = (name: string, story: string, mutation: Mutation) => mutant(`${prefix}${name}`, story, mutation, base)
  return [
    made('push-create-altered', 'The url of a new configuration is altered.', {
      result: { createPushConfig: (config) => put(inside(config), 'url', `${text(inside(config), 'url')}/`) },
    }),
    made('push-create-other-id', 'A new configuration is returned under another id.', {
      result: { createPushConfig: (config) => put(inside(config), 'id', 'another') },
    }),
    made('push-get-altered', 'Reading a configuration alters its url.', {
      result: { getPushConfig: (config) => put(inside(config), 'url', 'https://parley.invalid/altered') },
    }),
    made('push-delete-ignored', 'Deleting does nothing.', {
      answer: (call) => (call.op === 'deletePushConfig' ? result(call, call.isRpc ? null : {}) : undefined),
    }),
    made('push-list-none', 'No configuration is ever listed.', {
      result: { listPushConfigs: (page) => put(page, 'configs', []) },
      reply: (reply, call) => {
        if (call.op !== 'listPushConfigs' || !call.isRpc) return
        const body = JSON.parse(reply.text) as JsonObject
        if (Array.isArray(body.result)) reply.text = JSON.stringify({ ...body, result: [] })
      },
    }),
    made('push-list-one', 'Only one configuration is listed.', {
      result: { listPushConfigs: (page) => put(page, 'configs', list(page, 'configs').slice(0, 1)) },
      reply: (reply, call) => {
        if (call.op !== 'listPushConfigs' || !call.isRpc) return
        const body = JSON.parse(reply.text) as JsonObject
        if (Array.isArray(body.result)) reply.text = JSON.stringify({ ...body, result: body.result.slice(0, 1) })
      },
    }),
    made('push-create-unknown-task', 'Configurations are taken for unknown tasks.', {
      reply: (reply, call) => {
        if (call.op === 'createPushConfig' && /-32001|NOT_FOUND/.test(reply.text))
          Object.assign(reply, result(call, { ...call.params, id: 'x' }))
      },
    }),
    ...deliveryMutants(base, prefix),
  ]
}

function deliveryMutants(base: BaseName, prefix: string): Mutant[] {
  const made = (name: string, story: string, mutation: Mutation) => mutant(`${prefix}${name}`, story, mutation, base)
  return [
    made('push-silent', 'Nothing is ever delivered.', { delivery: () => 'lost' }),
    made('push-no-end', 'The end of a task is not delivered.', {
      delivery: ({ body }) => (isTerminal(body) ? 'lost' : undefined),
    }),
    made('push-foreign', 'Notifications name another task.', {
      delivery: ({ body }) => {
        for (const member of ['task.id', 'statusUpdate.taskId', 'artifactUpdate.taskId', 'id'])
          if (at(body, member) !== undefined) put(body, member, 'another')
        return undefined
      },
    }),
    made('push-unauthenticated', 'Notifications carry no credentials.', {
      delivery: ({ headers }) => void delete headers.authorization,
    }),
    made('push-put', 'Notifications are sent with PUT.', {
      delivery: (delivery) => {
        delivery.method = 'PUT'
        return undefined
      },
    }),
    made('push-other-path', 'The query of the webhook is dropped.', {
      delivery: (delivery) => {
        delivery.url = delivery.url.replace(/\?.*/, '')
        return undefined
      },
    }),
  ]
}

function restDiffers(): Mutation {
  const overRest = new Set<string>()
  return {
    request: (call) => {
      const url = text(call.body, 'configuration.taskPushNotificationConfig.url')
      const [, webhook] = url.split('/__hook/')
      if (!call.isRpc && webhook !== undefined) overRest.add(decodeURIComponent(webhook))
    },
    delivery: (delivery) => {
      const update = at(delivery.body, 'statusUpdate')
      if (update === undefined || !overRest.has(delivery.url)) return undefined
      const { taskId: id = '', contextId = '', status = null } = update as JsonObject
      delivery.body = { task: { id, contextId, status } }
      return undefined
    },
  }
}

export const pushMutants: Mutant[] = [
  ...configMutants('push', ''),
  ...configMutants('push03', 'old-'),
  mutant(
    'push-create-no-id',
    'A new configuration has no id.',
    { result: { createPushConfig: (config) => void delete config.id } },
    'push',
  ),
  mutant(
    'push-create-nested',
    'A configuration has the shape of the older generation.',
    {
      result: {
        createPushConfig: ({ taskId, ...config }) => ({ taskId: taskId ?? '', pushNotificationConfig: config }),
      },
    },
    'push',
  ),
  mutant(
    'push-create-refused',
    'Configurations are refused although declared.',
    {
      answer: (call) =>
        call.op === 'createPushConfig'
          ? {
              status: call.isRpc ? 200 : 400,
              headers: { 'content-type': 'application/json' },
              text: JSON.stringify(
                call.isRpc
                  ? { jsonrpc: '2.0', id: at(call.body, 'id') ?? null, error: { code: -32003, message: 'no' } }
                  : { error: { code: 400, status: 'FAILED_PRECONDITION', message: 'no' } },
              ),
            }
          : undefined,
    },
    'push',
  ),
  mutant(
    'push-forgets',
    'A configuration is forgotten at once.',
    {
      request: (call) => {
        if (call.op !== 'getPushConfig') return
        if (call.isRpc) put(call.body, 'params.id', 'forgotten')
        else call.path = call.path.replace(/[^/]+$/, 'forgotten')
      },
    },
    'push',
  ),
  mutant(
    'push-token-altered',
    'The token of a configuration is altered.',
    { result: { getPushConfig: (config) => put(config, 'token', 'another') } },
    'push',
  ),
  mutant(
    'push-one-per-task',
    'A task has one configuration.',
    {
      request: (call) => {
        if (call.op === 'createPushConfig') put(call.isRpc ? at(call.body, 'params') : call.body, 'id', 'the-one')
      },
    },
    'push',
  ),
  mutant(
    'push-list-made-up',
    'Empty lists contain an example.',
    {
      result: {
        listPushConfigs: (page, { taskId = '' }) => {
          if (list(page, 'configs').length === 0)
            page.configs = [{ id: 'example', taskId, url: 'https://parley.invalid/' }]
          return undefined
        },
      },
    },
    'push',
  ),
  mutant(
    'push-delete-twice',
    'The second deletion fails.',
    {
      answer: (call) => {
        const key = `deleted ${call.path} ${JSON.stringify(at(call.body, 'params') ?? '')}`
        if (call.op !== 'deletePushConfig') return undefined
        if (!call.memory.has(key)) {
          call.memory.set(key, true)
          return undefined
        }
        return {
          status: call.isRpc ? 200 : 404,
          headers: { 'content-type': 'application/json' },
          text: JSON.stringify(
            call.isRpc
              ? { jsonrpc: '2.0', id: at(call.body, 'id') ?? null, error: { code: -32001, message: 'gone' } }
              : { error: { code: 404, status: 'NOT_FOUND', message: 'gone' } },
          ),
        }
      },
    },
    'push',
  ),
  ...(['getPushConfig', 'listPushConfigs', 'deletePushConfig'] as const).map((op) =>
    mutant(
      `push-${op}-unknown`,
      `${op} answers for unknown tasks.`,
      {
        reply: (reply, call) => {
          if (call.op !== op || !/NOT_FOUND/.test(reply.text)) return
          const value =
            op === 'listPushConfigs'
              ? { configs: [] }
              : op === 'getPushConfig'
                ? { id: 'x', taskId: call.taskId ?? '', url: 'https://parley.invalid/' }
                : null
          Object.assign(reply, result(call, call.isRpc ? value : (value ?? {})))
        },
      },
      'push',
    ),
  ),
  mutant(
    'push-no-url',
    'A configuration needs no url.',
    {
      request: (call) => {
        if (call.op === 'createPushConfig' && text(call.params, 'url') === '')
          put(call.isRpc ? at(call.body, 'params') : call.body, 'url', 'http://127.0.0.1:9/')
      },
    },
    'push',
  ),
  mutant(
    'push-no-scheme',
    'Credentials need no scheme.',
    {
      request: (call) => {
        if (
          call.op === 'createPushConfig' &&
          at(call.params, 'authentication') !== undefined &&
          text(call.params, 'authentication.scheme') === ''
        )
          put(call.isRpc ? at(call.body, 'params') : call.body, 'authentication.scheme', 'Bearer')
      },
    },
    'push',
  ),
  mutant(
    'push-inline-lost',
    'The configuration of a send is dropped.',
    {
      request: (call) => {
        put(call.isRpc ? at(call.body, 'params') : call.body, 'configuration.taskPushNotificationConfig', undefined)
      },
    },
    'push',
  ),
  mutant(
    'push-credentials-altered',
    "Listed credentials are somebody else's.",
    {
      result: {
        listPushConfigs: (page) => {
          for (const config of list(page, 'configs'))
            if (at(config, 'authentication') !== undefined) put(config, 'authentication.credentials', 'somebody-else')
          return undefined
        },
      },
    },
    'push',
  ),
  mutant(
    'push-body-bare',
    'Notifications are bare tasks.',
    {
      delivery: (delivery) => {
        delivery.body =
          at(delivery.body, 'task') ?? at(delivery.body, 'statusUpdate') ?? at(delivery.body, 'artifactUpdate') ?? null
        return undefined
      },
    },
    'push',
  ),
  mutant(
    'push-content-type',
    'Notifications are labelled text/plain.',
    { delivery: ({ headers }) => void Object.assign(headers, { 'content-type': 'text/plain' }) },
    'push',
  ),
  mutant(
    'push-always-bearer',
    'Every scheme is sent as Bearer.',
    {
      delivery: ({ headers }) => {
        if (headers.authorization !== undefined) headers.authorization = headers.authorization.replace(/^\w+/, 'Bearer')
        return undefined
      },
    },
    'push',
  ),
  mutant(
    'push-after-delete',
    'A deleted webhook is still notified.',
    {
      delivery: () => undefined,
      answer: (call) => (call.op === 'deletePushConfig' ? result(call, call.isRpc ? null : {}) : undefined),
    },
    'push',
  ),
  mutant(
    'push-first-only',
    'Only the first configuration of a task is notified.',
    {
      delivery: (() => {
        const first = new Map<string, string>()
        return ({ body, url }) => {
          const id = text(body, 'task.id') || text(body, 'statusUpdate.taskId') || text(body, 'artifactUpdate.taskId')
          if (!first.has(id)) first.set(id, url)
          return first.get(id) === url ? undefined : 'lost'
        }
      })(),
    },
    'push',
  ),
  mutant(
    'push-no-interruption',
    'Waiting for input is not notified.',
    { delivery: ({ body }) => (JSON.stringify(body).includes('INPUT_REQUIRED') ? 'lost' : undefined) },
    'push',
  ),
  mutant('push-no-retry', 'A failed delivery is forgotten.', { delivery: () => 'acknowledged' }, 'push'),
  mutant(
    'push-blocking-silent',
    'A send that waits is not notified.',
    {
      delivery: () => undefined,
      request: (call) => {
        if (at(call.params, 'configuration.returnImmediately') === false)
          put(call.isRpc ? at(call.body, 'params') : call.body, 'configuration.taskPushNotificationConfig', undefined)
      },
    },
    'push',
  ),
  mutant('push-rest-differs', 'Webhooks registered over REST get the task instead of updates.', restDiffers(), 'push'),
  mutant(
    'push-delete-all',
    'Deleting one configuration deletes all of its task.',
    {
      reply: ({ status }, { op, taskId = '', memory }) => {
        if (op === 'deletePushConfig' && status < 300) memory.set(`deleted ${taskId}`, true)
      },
      result: {
        listPushConfigs: (page, { taskId = '', memory }) =>
          memory.has(`deleted ${taskId}`) ? put(page, 'configs', []) : undefined,
      },
    },
    'push',
  ),
  mutant(
    'push-guard-by-text',
    'The guard compares the host of a webhook with 127.0.0.1 and localhost, and knows no other way to write them.',
    {
      answer: (call) => {
        const { hostname = '', port = '' } = URL.parse(text(call.params, 'url')) ?? {}
        if (call.op !== 'createPushConfig' || port !== '9') return undefined
        return ['127.0.0.1', 'localhost'].includes(hostname)
          ? refusal(call, 'The url is refused.')
          : result(call, { ...call.params, taskId: call.taskId ?? '', id: 'x' })
      },
    },
    'push',
  ),
  mutant(
    'push-follows-redirects',
    'Redirects of webhooks are followed.',
    {
      delivery: () => 'followed',
    },
    'push',
  ),
]
