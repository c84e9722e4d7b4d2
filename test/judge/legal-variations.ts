// Agents that do something unusual and are right, or keep what we ourselves sent wrong.

import { area, check, type PlacedCheck } from '../../src/judge/checks/check.ts'
import type { Probe } from '../../src/judge/probe/probe.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/model/json.ts'
import { at, type Call, each, type Mutation, put, taskIn, text } from '../mutants/mutant.ts'
import { result } from '../mutants/task-edits.ts'
import type { Variation } from './variation.ts'

const TASKS = ['send', 'get-task', 'cancel', 'list', 'schema', 'data-model', 'validation']

export const VARIATIONS: readonly Variation[] = [
  {
    name: 'keeps-wrong-messages',
    story: 'An agent takes messages that are wrong and shows them in histories.',
    of: 'spec',
    areas: TASKS,
    more: readingBack(),
    told: [
      'send-missing-message-id',
      'send-missing-role',
      'send-empty-parts',
      'send-empty-part',
      'send-two-contents',
      'send-invalid-role',
      'send-missing-message',
    ],
    ...keepingWrongMessages(),
  },
  {
    name: 'cancels-finished',
    story: 'An agent cancels a finished task, which must not spoil the task others look at.',
    of: 'spec',
    areas: ['cancel-finished', 'get-task-current', 'get-task-idempotent', 'send-to-finished', 'list'],
    told: ['cancel-finished'],
    ...cancelingFinished(),
  },
  {
    name: 'leaves-ids-to-clients',
    story: 'An agent of 0.3 gives no id to a push configuration for which the client chose none.',
    of: 'push03',
    areas: ['push', 'push-delivery'],
    result: {
      createPushConfig: (config, call) => {
        const chosen = text(call.params, 'pushNotificationConfig.id') || text(call.params, 'configId')
        if (chosen === '') put(config, 'pushNotificationConfig.id', undefined)
        return undefined
      },
    },
  },
  ...(['spec', 'spec03'] as const).map(
    (of): Variation => ({
      name: `subscribes-with-get-${of}`,
      story: 'An agent takes subscriptions over GET only, as a2a.proto says.',
      of,
      areas: ['subscribe', 'rest-subscribe-route'],
      told: of === 'spec' ? ['rest-subscribe-route'] : [],
      // Says so where it comes before the end of the task.
      may: ['subscribe-works'],
      answer: ({ isRpc, method, path }) =>
        isRpc || method !== 'POST' || !path.endsWith(':subscribe')
          ? undefined
          : { status: 405, headers: { allow: 'GET', 'content-type': 'application/json' }, text: '{"detail":"no"}' },
    }),
  ),
]

/** Reads everything again that came of wrong messages. */
function readingBack(): PlacedCheck[] {
  const wrong: ((message: JsonObject) => JsonObject)[] = [
    (message) => ({ ...message, parts: [{ mediaType: 'text/plain' }] }),
    (message) => ({ ...message, messageId: '', role: 'ROLE_BOSS' }),
  ]
  const meta = { proves: ['send-direct-message-allowed'], fix: 'None.' }
  const body = async (t: Probe) => {
    for (const spoil of wrong) {
      const edit = (params: JsonObject): JsonObject => ({ ...params, message: spoil(params.message as JsonObject) })
      const { task } = await t.startTask('task', { edit })
      t.taskOf(await t.call('getTask', { id: task.id }))
    }
    const nothing =
      t.binding === 'rest' ? await t.raw({ path: '/message:send', body: {} }) : await t.rpc('SendMessage', {})
    t.expectSuccess(nothing)
    t.expectSuccess(await t.call('listTasks', { historyLength: 5 }))
  }
  const place = { name: 'reading-back', category: 'lifecycle', phase: 6 } as const
  return area(place, [check('reading-back', 'MAY be read again', meta, body)])
}

/** Forwards a proper message in place of a wrong one, and shows the wrong one whenever it comes back. */
function keepingWrongMessages(): Mutation {
  const restore = (value: JsonValue, call: Call) =>
    each(value, (object) => {
      const original = call.memory.get(`wrong ${text(object, 'messageId')}`)
      if (!isJsonObject(original)) return
      for (const name of Object.keys(object)) delete object[name]
      Object.assign(object, structuredClone(original))
    })
  return {
    request: (call) => {
      if (call.op !== 'sendMessage') return
      const holder = call.isRpc ? at(call.body, 'params') : call.body
      const message = at(holder, 'message') ?? {}
      if (!isJsonObject(holder) || !isJsonObject(message) || isProper(message)) return
      const messageId = crypto.randomUUID()
      call.memory.set(`wrong ${messageId}`, structuredClone(message))
      put(holder, 'message', { messageId, role: 'ROLE_USER', parts: [{ text: 'task-lifecycle' }] })
    },
    result: { any: (value, call) => restore(value, call) },
    event: (event, { call }) => restore(event, call),
  }
}

function isProper(message: JsonObject): boolean {
  const parts = Array.isArray(message.parts) ? message.parts : []
  const isPart = (part: JsonValue) =>
    isJsonObject(part) && ['text', 'raw', 'url', 'data'].filter((member) => member in part).length === 1
  return text(message, 'messageId') !== '' && message.role === 'ROLE_USER' && parts.length > 0 && parts.every(isPart)
}

/** A finished task that is canceled stays canceled for everybody. */
function cancelingFinished(): Mutation {
  const key = (id: string) => `canceled ${id}`
  const show = (task: JsonObject, call: Call): undefined => {
    if (call.memory.has(key(text(task, 'id')))) put(task, 'status.state', 'TASK_STATE_CANCELED')
  }
  return {
    answer: async (call) => {
      if (call.op !== 'cancelTask' || call.taskId === undefined) return undefined
      const read = await call.ask(
        call.isRpc
          ? { text: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id: call.taskId } }) }
          : { method: 'GET', path: call.path.replace(/:cancel$/, ''), text: '' },
      )
      const body = JSON.parse(read.text) as JsonObject
      const task = call.isRpc ? body.result : body
      if (!isJsonObject(task) || text(task, 'status.state') !== 'TASK_STATE_COMPLETED') return undefined
      call.memory.set(key(call.taskId), true)
      show(task, call)
      return result(call, task)
    },
    result: {
      getTask: (task, call) => show(task, call),
      sendMessage: (sent, call) => show(taskIn(sent), call),
      listTasks: (page, call) => each(page.tasks, (task) => show(task, call)),
    },
  }
}
