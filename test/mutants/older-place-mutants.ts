// The older generations, wrong in one place.

import { isJsonObject, type JsonObject } from '../../src/model/json.ts'
import type { BaseName } from './bases.ts'
import { at, type Call, each, list, type Mutant, type Mutation, mutant, put, type Reply, text } from './mutant.ts'
import { JSON_TYPE } from './task-edits.ts'

function of03(name: string, story: string, mutation: Mutation, of: BaseName = 'spec03'): Mutant {
  return mutant(`old-${name}`, story, mutation, of)
}

function of01(name: string, story: string, mutation: Mutation): Mutant {
  return mutant(`oldest-${name}`, story, mutation, 'legacy')
}

function events(edit: (object: JsonObject) => unknown): Mutation {
  return { event: (event) => each(event, edit) }
}

function answered(call: Call, value: JsonObject | null): Reply {
  return {
    status: 200,
    headers: JSON_TYPE,
    text: JSON.stringify({ jsonrpc: '2.0', id: at(call.body, 'id') ?? null, result: value }),
  }
}

const isTask = (object: JsonObject) => isJsonObject(object.status) && typeof object.id === 'string'

/** New tasks get an id of the server, which only sends know. */
function ownTaskIds(op: 'sendMessage' | 'streamMessage'): Mutation {
  const rename = (object: JsonObject) => {
    if (typeof object.id === 'string' && (isJsonObject(object.status) || isJsonObject(object.artifact)))
      object.id = `srv-${object.id}`
  }
  return op === 'sendMessage'
    ? { result: { sendMessage: (sent) => each(sent, rename) } }
    : { event: (event, { call }) => (call.op === op ? each(event, rename) : undefined) }
}

export const olderPlaceMutants: Mutant[] = [
  of03(
    'event-part-no-kind',
    'Parts have no kind in events.',
    events((object) =>
      typeof object.text === 'string' && object.kind === 'text' ? put(object, 'kind', undefined) : undefined,
    ),
  ),
  of03('history-oldest', 'historyLength keeps the oldest messages.', {
    result: {
      getTask: async (task, call) => {
        const { id, historyLength } = call.params
        if (!call.isRpc || typeof historyLength !== 'number') return undefined
        const whole = await call.ask({ text: JSON.stringify({ ...(call.body as JsonObject), params: { id } }) })
        return put(task, 'history', list(JSON.parse(whole.text), 'result.history').slice(0, historyLength))
      },
    },
  }),
  of03(
    'event-no-context',
    'Updates name no context.',
    events((object) =>
      typeof object.taskId === 'string' && 'kind' in object ? put(object, 'contextId', undefined) : undefined,
    ),
  ),
  of03(
    'event-no-kind',
    'Updates have no kind.',
    events((object) => (typeof object.taskId === 'string' ? put(object, 'kind', undefined) : undefined)),
  ),
  of03(
    'final-missing',
    'Status updates do not say whether they are final.',
    events((object) => put(object, 'final', undefined)),
  ),
  of03(
    'states-new',
    'States are spelled as in 1.0 in events.',
    events((object) => {
      if (isJsonObject(object.status) && 'kind' in object)
        put(object, 'status.state', `TASK_STATE_${text(object, 'status.state').toUpperCase()}`)
    }),
  ),
  of03('get-unknown-null', 'An unknown task is read as null.', {
    answer: async (call) => {
      if (call.op !== 'getTask' || !call.isRpc) return undefined
      const reply = await call.ask({})
      return reply.text.includes('-32001') ? answered(call, null) : undefined
    },
  }),
  of03('cancel-unknown-other', 'Canceling an unknown task says that it cannot be canceled.', {
    error: (error, _, call) =>
      call.op === 'cancelTask' && error.code === -32_001 ? { ...error, code: -32_002 } : undefined,
  }),
  of03(
    'push-get-bare',
    'A configuration is returned without its task.',
    {
      result: {
        getPushConfig: (config) =>
          isJsonObject(config.pushNotificationConfig) ? config.pushNotificationConfig : config,
      },
    },
    'push03',
  ),
  of03(
    'push-other-url',
    'A configuration is returned with another url.',
    {
      result: {
        getPushConfig: (config) =>
          each(config, (object) =>
            typeof object.url === 'string' ? put(object, 'url', 'https://parley.invalid/other') : undefined,
          ),
      },
    },
    'push03',
  ),
  of03('push-silent', 'Nobody is notified.', { delivery: () => 'lost' }, 'push03'),
  of03(
    'push-other-task',
    'Notifications name another task.',
    {
      delivery: ({ body }) =>
        each(body, (object) => {
          if (typeof object.taskId === 'string') object.taskId = 'another'
          if (isTask(object)) object.id = 'another'
        }),
    },
    'push03',
  ),
  of03('artifact-no-parts', 'Artifacts that are read have no parts.', {
    result: {
      getTask: (task) =>
        each(task.artifacts, (object) => ('artifactId' in object ? put(object, 'parts', undefined) : undefined)),
    },
  }),
  of03('state-invented', 'Completed tasks are done.', {
    result: {
      getTask: (task) => (text(task, 'status.state') === 'completed' ? put(task, 'status.state', 'done') : undefined),
    },
  }),
  of03('task-no-context', 'Tasks name no context when read.', {
    result: { getTask: (task) => put(task, 'contextId', undefined) },
  }),
  of03('cancel-loses-id', 'Canceling returns another task.', {
    result: { cancelTask: (task) => (isTask(task) ? put(task, 'id', 'other') : undefined) },
  }),
  of03(
    'stream-other-task',
    'Updates name another task.',
    events((object) => (typeof object.taskId === 'string' ? put(object, 'taskId', 'other') : undefined)),
  ),
  of03('stream-chunk-lost', 'The second chunk of an artifact is lost.', {
    event: (event, { sent }) => {
      const isArtifact = (one: JsonObject) => one.kind === 'artifact-update' || isJsonObject(one.artifactUpdate)
      return isArtifact(event) && sent.filter(isArtifact).length === 1 ? [] : undefined
    },
  }),
  of03('history-unlimited', 'historyLength is ignored.', {
    request: (call) => {
      if (call.op !== 'getTask') return
      if (call.isRpc && Number(call.params.historyLength) > 0) put(call.body, 'params.historyLength', undefined)
      else call.path = call.path.replace(/historyLength=[1-9]/, '')
    },
  }),
  of03('role-lost', 'Messages of statuses have no role.', {
    result: { any: (value) => each(value, (object) => put(object, 'status.message.role', undefined)) },
  }),
  of01('own-task-ids', 'The id the client gave a task is replaced.', ownTaskIds('sendMessage')),
  of01('own-task-ids-stream', 'The id the client gave a streamed task is replaced.', ownTaskIds('streamMessage')),
  of01('session-changes', 'Every read shows another session.', {
    result: { getTask: (task) => put(task, 'sessionId', crypto.randomUUID()) },
  }),
  of01('state-cancelled', 'Canceled tasks are spelled "cancelled".', {
    result: {
      any: (value) =>
        each(value, (object) =>
          text(object, 'status.state') === 'canceled' ? put(object, 'status.state', 'cancelled') : undefined,
        ),
    },
  }),
  of01('final-early', 'The first event is final.', {
    event: (event, { sent }) =>
      sent.length === 0 && isJsonObject(event.status) ? put(event, 'final', true) : undefined,
  }),
  of01('event-no-id', 'Events name no task.', { event: (event) => put(event, 'id', undefined) }),
  of01('chunk-lost', 'The second chunk of an artifact is lost.', {
    event: (event, { sent }) =>
      isJsonObject(event.artifact) && sent.filter(({ artifact }) => isJsonObject(artifact)).length === 1
        ? []
        : undefined,
  }),
  of01('part-no-type', 'Parts have no type.', {
    result: {
      getTask: (task) =>
        each(task.artifacts, (object) =>
          typeof object.text === 'string' ? put(object, 'type', undefined) : undefined,
        ),
    },
  }),
  of01('unknown-null', 'An unknown task is read as null.', {
    answer: async (call) => {
      if (call.op !== 'getTask') return undefined
      const reply = await call.ask({})
      return reply.text.includes('-32001') ? answered(call, null) : undefined
    },
  }),
  of01('artifacts-lost', 'Tasks that are read have no artifacts.', {
    result: { getTask: (task) => (list(task, 'artifacts').length > 0 ? put(task, 'artifacts', undefined) : undefined) },
  }),
  of01('status-text', 'The status is a word.', {
    result: { sendMessage: (task) => put(task, 'status', text(task, 'status.state')) },
  }),
]
