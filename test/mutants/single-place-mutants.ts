// A rule that is kept everywhere but in one place: one operation, one binding, one kind of event, one kind of caller.

import { isJsonObject, type JsonObject } from '../../src/model/json.ts'
import type { Operation } from '../../src/model/operation.ts'
import type { BaseName } from './bases.ts'
import { at, type Call, each, list, type Mutant, type Mutation, mutant, put, text } from './mutant.ts'
import { result } from './task-edits.ts'

type Edit = (object: JsonObject) => unknown
type Place = Operation | 'events' | 'notifications'

/** Changes every object one place sends. */
function onlyIn(place: Place, edit: Edit, isFor: (call: Call) => boolean = () => true): Mutation {
  if (place === 'notifications') return { delivery: ({ body }) => each(body, edit) }
  if (place === 'events') return { event: (event, { call }) => (isFor(call) ? each(event, edit) : undefined) }
  return { result: { [place]: (value: JsonObject, call: Call) => (isFor(call) ? each(value, edit) : undefined) } }
}

const overRest = ({ isRpc }: Call) => !isRpc
const overRpc = ({ isRpc }: Call) => isRpc

const lowerState: Edit = ({ status }) => {
  if (isJsonObject(status) && typeof status.state === 'string')
    status.state = status.state.replace('TASK_STATE_', '').toLowerCase()
}
const offsetTime: Edit = (object) => {
  if (typeof object.timestamp === 'string') object.timestamp = object.timestamp.replace('Z', '+00:00')
}
const snakeCase: Edit = (object) => {
  for (const [name, value] of Object.entries(object)) {
    const snake = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    if (snake === name || !/^(contextId|taskId|artifactId|messageId)$/.test(name)) continue
    delete object[name]
    object[snake] = value ?? null
  }
}
const emptyIds: Edit = (object) => {
  if (typeof object.artifactId === 'string') object.artifactId = ''
}
const emptyMessageIds: Edit = (object) => {
  if (typeof object.messageId === 'string' && object.role === 'ROLE_AGENT') object.messageId = ''
}
const noParts: Edit = (object) => {
  if (typeof object.artifactId === 'string') object.parts = []
}
const listMetadata: Edit = (object) => {
  if (isJsonObject(object.status) || typeof object.artifactId === 'string') object.metadata = []
}
const numberRole: Edit = (object) => {
  if (object.role === 'ROLE_AGENT') object.role = 2
}

const DEVIATIONS: readonly (readonly [string, string, Edit])[] = [
  ['lower-states', 'States are spelled as in the older generation', lowerState],
  ['offset-times', 'Timestamps have an offset', offsetTime],
  ['snake-case', 'Members are spelled like in the proto file', snakeCase],
  ['list-metadata', 'Metadata is a list', listMetadata],
]

const PLACES: readonly (readonly [Place, string, BaseName])[] = [
  ['listTasks', 'in lists', 'spec'],
  ['cancelTask', 'in the answer of a cancel', 'spec'],
  ['events', 'in events', 'spec'],
  ['notifications', 'in notifications', 'push'],
]

const inOnePlace: Mutant[] = PLACES.flatMap(([place, where, of]) =>
  DEVIATIONS.map(([name, story, edit]) =>
    mutant(`${name}-${place}`, `${story} ${where} only.`, onlyIn(place, edit), of),
  ),
)

const lists: Mutant[] = [
  mutant('total-ignores-status', 'The total does not follow the filter for the state.', {
    result: {
      listTasks: (page, { params }) =>
        params.status !== undefined ? put(page, 'totalSize', Number(page.totalSize) + 3) : undefined,
    },
  }),
  mutant('total-ignores-context', 'The total does not follow the filter for the context.', {
    result: {
      listTasks: (page, { params }) =>
        params.contextId !== undefined && list(page, 'tasks').length > 0 ? put(page, 'totalSize', 9_999) : undefined,
    },
  }),
  mutant('token-null', 'The last page has a null for a token.', {
    result: { listTasks: (page) => (page.nextPageToken === '' ? put(page, 'nextPageToken', null) : undefined) },
  }),
  mutant('list-status-text', 'Listed tasks have the state instead of the status.', {
    result: {
      listTasks: (page) =>
        each(page.tasks, (task) =>
          isJsonObject(task.status) ? put(task, 'status', text(task, 'status.state')) : undefined,
        ),
    },
  }),
  mutant(
    'list-no-context',
    'Listed tasks name no context.',
    onlyIn('listTasks', (object) => (isJsonObject(object.status) ? put(object, 'contextId', undefined) : undefined)),
  ),
  mutant('rest-history-ignored', 'Over HTTP+JSON historyLength is ignored when reading.', {
    request: (call) => {
      if (!call.isRpc && call.op === 'getTask' && !call.path.includes('-')) return
      if (!call.isRpc && call.op === 'getTask') call.path = call.path.replace(/([?&])historyLength=[012]\b/, '$1')
    },
  }),
]

const streams: Mutant[] = [
  mutant('chunks-twice', 'Every chunk is sent twice.', {
    event: (event) => (at(event, 'artifactUpdate.append') === true ? [event, structuredClone(event)] : undefined),
  }),
  mutant('chunk-lost', 'The second chunk of an artifact is lost.', {
    event: (event, { sent }) => {
      const before = sent.filter((one) => one.artifactUpdate !== undefined).length
      return event.artifactUpdate !== undefined && before === 1 ? [] : undefined
    },
  }),
  mutant('completed-before-artifact', 'The end is told before the last artifact.', {
    event: (event, { sent, call }) => {
      const key = `held ${text(sent[0], 'task.id')}`
      if (event.artifactUpdate !== undefined && call.op === 'streamMessage') {
        call.memory.set(key, event)
        return []
      }
      const held = call.memory.get(key)
      const isOver = /COMPLETED$/.test(text(event, 'statusUpdate.status.state'))
      return isOver && isJsonObject(held) ? [event, held] : undefined
    },
  }),
  mutant(
    'stream-file-name-lost',
    'Streamed files have no names.',
    onlyIn('events', (object) => put(object, 'filename', undefined)),
  ),
  mutant(
    'stream-media-type-lost',
    'Streamed files have no media types.',
    onlyIn('events', (object) => put(object, 'mediaType', undefined)),
  ),
  mutant(
    'stream-data-rounded',
    'Numbers in streamed data are texts.',
    onlyIn('events', (object) => (typeof object.latencyMs === 'number' ? put(object, 'latencyMs', '42') : undefined)),
  ),
  mutant(
    'stream-times-constant',
    'All events have one timestamp, long ago.',
    onlyIn('events', (object) =>
      typeof object.timestamp === 'string' ? put(object, 'timestamp', '2020-01-01T00:00:00.000Z') : undefined,
    ),
  ),
  mutant(
    'stream-empty-context',
    'Updates have an empty context.',
    onlyIn('events', (object) => (typeof object.taskId === 'string' ? put(object, 'contextId', '') : undefined)),
  ),
  mutant('subscribe-no-end', 'Subscriptions end without telling how.', {
    event: (event, { call }) =>
      call.op === 'subscribeTask' && /COMPLETED|CANCELED/.test(text(event, 'statusUpdate.status.state'))
        ? []
        : undefined,
  }),
  mutant('subscribe-end-twice', 'Subscriptions tell the end twice.', {
    event: (event, { call }) =>
      call.op === 'subscribeTask' && /COMPLETED|CANCELED/.test(text(event, 'statusUpdate.status.state'))
        ? [event, structuredClone(event)]
        : undefined,
  }),
  mutant('rest-stream-two-members', 'Over HTTP+JSON an event is an update and the task.', {
    event: (event, { sent, call }) =>
      !call.isRpc && isJsonObject(event.statusUpdate) ? put(event, 'task', sent[0]?.task ?? {}) : undefined,
  }),
  mutant('rejected-stream-unended', 'The stream of a rejected task does not tell its end.', {
    event: (event) => (/REJECTED/.test(text(event, 'statusUpdate.status.state')) ? [] : undefined),
  }),
]

const contents: Mutant[] = [
  mutant('artifact-id-empty', 'Artifacts have an empty id.', { ...onlyIn('getTask', emptyIds) }),
  mutant('artifact-parts-empty', 'Artifacts that are read have no parts.', onlyIn('getTask', noParts)),
  mutant('message-id-empty', 'Messages of statuses have an empty id.', onlyIn('sendMessage', emptyMessageIds)),
  mutant('role-number', 'The role is a number in events.', onlyIn('events', numberRole)),
  mutant(
    'context-empty',
    'Tasks have an empty context when read.',
    onlyIn('getTask', (object) => (isJsonObject(object.status) ? put(object, 'contextId', '') : undefined)),
  ),
  mutant(
    'cancel-loses-artifacts',
    'The answer of a cancel has another context.',
    onlyIn('cancelTask', (object) => (isJsonObject(object.status) ? put(object, 'contextId', 'other') : undefined)),
  ),
  mutant('rest-cancel-nothing', 'Over HTTP+JSON a cancel only says that it was done.', {
    answer: async (call) => {
      if (call.isRpc || call.op !== 'cancelTask') return undefined
      const read = await call.ask({ method: 'GET', path: call.path.replace(/:cancel$/, ''), text: '' })
      const task = JSON.parse(read.text) as JsonObject
      if (text(task, 'status.state') !== 'TASK_STATE_WORKING') return undefined
      put(task, 'status.state', 'TASK_STATE_CANCELED')
      return result(call, task)
    },
  }),
  mutant('rest-drops-metadata', 'Over HTTP+JSON tasks have no contexts.', {
    result: { getTask: (task, call) => (overRest(call) ? put(task, 'contextId', undefined) : undefined) },
  }),
  mutant(
    'rpc-drops-artifact-names',
    'Over JSON-RPC artifacts that are read have no names.',
    onlyIn(
      'getTask',
      (object) => (typeof object.artifactId === 'string' ? put(object, 'name', undefined) : undefined),
      overRpc,
    ),
  ),
]

const pushes: Mutant[] = [
  mutant(
    'push-get-other',
    'Reading a configuration returns the last one of its task.',
    {
      result: {
        createPushConfig: (config, { memory, taskId }) =>
          void memory.set(`last ${taskId}`, structuredClone(config)) as undefined,
        getPushConfig: (_, { memory, taskId }) => memory.get(`last ${taskId}`),
      },
    },
    'push',
  ),
  mutant(
    'push-url-without-query',
    'The query of webhooks is cut.',
    {
      delivery: (delivery) => {
        delivery.url = delivery.url.replace(/\?.*$/, '')
        return undefined
      },
    },
    'push',
  ),
  mutant(
    'push-envelope',
    'Notifications are JSON-RPC responses.',
    {
      delivery: (delivery) => {
        delivery.body = { jsonrpc: '2.0', id: 1, result: delivery.body }
        return undefined
      },
    },
    'push',
  ),
  mutant(
    'push-put',
    'Notifications are sent with PUT.',
    {
      delivery: (delivery) => {
        delivery.method = 'PUT'
        return undefined
      },
    },
    'push',
  ),
  mutant(
    'push-no-task-id',
    'Notifications name no task.',
    onlyIn('notifications', (object) => put(object, 'taskId', undefined)),
    'push',
  ),
  mutant(
    'push-states-back',
    'The last notification says that the task works.',
    {
      delivery: ({ body }) =>
        each(body, (object) => {
          if (/COMPLETED$/.test(text(object, 'status.state'))) put(object, 'status.state', 'TASK_STATE_WORKING')
        }),
    },
    'push',
  ),
  mutant(
    'push-list-urls-cut',
    'Listed configurations have other urls.',
    onlyIn('listPushConfigs', (object) =>
      typeof object.url === 'string' ? put(object, 'url', `${object.url}/`) : undefined,
    ),
    'push',
  ),
]

export const singlePlaceMutants: Mutant[] = [...inOnePlace, ...lists, ...streams, ...contents, ...pushes]
