// Sending, reading, canceling: what becomes of tasks, messages, artifacts and history.

import type { JsonObject, JsonValue } from '../../src/model/json.ts'
import {
  anotherInstant,
  at,
  type Call,
  each,
  list,
  type Mutant,
  type Mutation,
  mutant,
  put,
  type Reply,
  taskIn,
  text,
} from './mutant.ts'

const JSON_TYPE = { 'content-type': 'application/json' }

/** Changes the task in the results of these operations. */
function tasks(
  edit: (task: JsonObject, call: Call) => void,
  ops: readonly ('sendMessage' | 'getTask' | 'cancelTask')[] = ['sendMessage', 'getTask', 'cancelTask'],
): Mutation {
  const change = (result: JsonObject, call: Call) => {
    const task = taskIn(result)
    if (task.status !== undefined) edit(task, call)
    return undefined
  }
  return { result: Object.fromEntries(ops.map((op) => [op, change])) }
}

function everywhere(edit: (object: JsonObject) => void): Mutation {
  return {
    result: { any: (result) => void each(result, edit) },
    event: (event) => void each(event, edit),
  }
}

function result(call: Call, value: JsonValue): Reply {
  const body = call.isRpc ? { jsonrpc: '2.0', id: at(call.body, 'id') ?? null, result: value } : value
  return { status: 200, headers: JSON_TYPE, text: JSON.stringify(body) }
}

function configuration(call: Call): JsonObject {
  const found = at(call.params, 'configuration')
  return typeof found === 'object' && found !== null && !Array.isArray(found) ? found : {}
}

/** Edits the params of a request in place, over both bindings. */
function requests(edit: (params: JsonObject, call: Call) => void): Mutation {
  return {
    request: (call) => {
      const params = call.isRpc ? at(call.body, 'params') : call.body
      if (typeof params === 'object' && params !== null && !Array.isArray(params)) edit(params, call)
    },
  }
}

export const taskMutants: Mutant[] = [
  // ── what a send returns ──
  mutant('send-bare-task', 'The task of a send is not wrapped.', {
    result: { sendMessage: (sent) => sent.task ?? sent.message },
  }),
  mutant('send-both', 'A send returns a task and a message.', {
    result: {
      sendMessage: (sent) => void put(sent, 'message', { messageId: 'x', role: 'ROLE_AGENT', parts: [{ text: 'x' }] }),
    },
  }),
  mutant('send-neither', 'A send returns an empty object.', { result: { sendMessage: () => ({}) } }),
  mutant('send-null', 'A send returns null.', { result: { sendMessage: () => null } }),
  mutant('send-fails', 'Every send is an internal error.', {
    answer: (call) =>
      call.op === 'sendMessage' && call.isRpc
        ? {
            status: 200,
            headers: JSON_TYPE,
            text: JSON.stringify({
              jsonrpc: '2.0',
              id: at(call.body, 'id') ?? null,
              error: { code: -32603, message: 'Oops' },
            }),
          }
        : undefined,
  }),
  mutant(
    'task-id-constant',
    'All tasks have the same id.',
    tasks((task) => void put(task, 'id', 'task-1'), ['sendMessage']),
  ),
  mutant(
    'task-id-empty',
    'New tasks have an empty id.',
    tasks((task) => void put(task, 'id', ''), ['sendMessage']),
  ),
  mutant(
    'task-id-missing',
    'Tasks have no id.',
    tasks((task) => void delete task.id),
  ),
  mutant(
    'task-status-missing',
    'Tasks have no status when read.',
    tasks((task) => void delete task.status, ['getTask']),
  ),
  mutant(
    'task-state-missing',
    'Statuses have no state.',
    everywhere((object) => {
      if ('state' in object && 'timestamp' in object) delete object.state
    }),
  ),
  mutant('task-wrapped', 'Reading a task returns {"task": …}.', { result: { getTask: (task) => ({ task }) } }),
  mutant('task-other', 'Reading a task returns the one read before.', {
    result: {
      getTask: (task, { memory }) => {
        const before = memory.get('task')
        memory.set('task', task)
        return before ?? task
      },
    },
  }),
  mutant(
    'task-changes',
    'Every read changes the timestamp.',
    tasks((task) => void put(task, 'status.timestamp', anotherInstant()), ['getTask']),
  ),
  mutant(
    'state-stuck',
    'Tasks are always working when read.',
    tasks((task) => void put(task, 'status.state', 'TASK_STATE_WORKING'), ['getTask']),
  ),
  mutant(
    'state-stuck-send',
    'Tasks are submitted when a send returns.',
    tasks((task) => void put(task, 'status.state', 'TASK_STATE_SUBMITTED'), ['sendMessage']),
  ),
  mutant(
    'state-unspecified',
    'Finished tasks are in the unspecified state.',
    tasks((task) => void put(task, 'status.state', 'TASK_STATE_UNSPECIFIED')),
  ),
  mutant(
    'state-lower-case',
    'States are written as in the older generation.',
    everywhere((object) => {
      if (typeof object.state === 'string') object.state = object.state.replace('TASK_STATE_', '').toLowerCase()
    }),
  ),
  mutant(
    'state-invented',
    'Completed tasks are TASK_STATE_DONE.',
    everywhere((object) => {
      if (object.state === 'TASK_STATE_COMPLETED') object.state = 'TASK_STATE_DONE'
    }),
  ),
  mutant(
    'state-number',
    'States are numbers.',
    everywhere((object) => {
      if (typeof object.state === 'string') object.state = 3
    }),
  ),
  mutant(
    'artifacts-lost',
    'Tasks have no artifacts when read.',
    tasks((task) => void delete task.artifacts, ['getTask']),
  ),
  mutant(
    'artifacts-lost-send',
    'Tasks have no artifacts when a send returns.',
    tasks((task) => void delete task.artifacts, ['sendMessage']),
  ),
  mutant('artifacts-lost-everywhere', 'Results are only in messages.', {
    ...tasks((task) => void delete task.artifacts),
    event: (event) => ('artifactUpdate' in event ? [] : undefined),
  }),
  mutant(
    'artifact-without-id',
    'Artifacts have no id.',
    everywhere((object) => void delete object.artifactId),
  ),
  mutant(
    'artifact-without-parts',
    'Artifacts have no parts.',
    everywhere((object) => {
      if ('artifactId' in object) object.parts = []
    }),
  ),
  mutant(
    'artifact-twice',
    'Artifacts appear twice.',
    tasks((task) => void put(task, 'artifacts', [...list(task, 'artifacts'), ...list(task, 'artifacts')])),
  ),
  mutant(
    'part-two-contents',
    'Text parts also have an empty url.',
    everywhere((object) => {
      if (typeof object.text === 'string') object.url = ''
    }),
  ),
  mutant(
    'part-kind',
    'Parts have the kind of the older generation.',
    everywhere((object) => {
      if (typeof object.text === 'string') object.kind = 'text'
    }),
  ),
  mutant(
    'part-empty',
    'Parts have no content.',
    everywhere((object) => void delete object.text),
  ),
  mutant(
    'task-kind',
    'Tasks have a kind.',
    tasks((task) => void put(task, 'kind', 'task')),
  ),
  mutant('raw-not-base64', 'File bytes are sent as plain text.', {
    result: {
      any: (found) =>
        void each(found, (object) => {
          if (Array.isArray(object.artifacts) && object.artifacts.length > 0)
            put(object, 'artifacts.0.parts', [{ raw: 'not base64 !', mediaType: 'text/plain' }])
        }),
    },
  }),
  mutant(
    'snake-case',
    'Members are spelled like in the proto file.',
    everywhere((object) => {
      if ('contextId' in object) {
        object.context_id = object.contextId ?? ''
        delete object.contextId
      }
    }),
  ),
  mutant(
    'timestamp-offset',
    'Timestamps have an offset instead of Z.',
    everywhere((object) => {
      if (typeof object.timestamp === 'string') object.timestamp = object.timestamp.replace('Z', '+00:00')
    }),
  ),
  mutant(
    'timestamp-seconds',
    'Timestamps have no fraction.',
    everywhere((object) => {
      if (typeof object.timestamp === 'string') object.timestamp = object.timestamp.replace(/\.\d+Z/, 'Z')
    }),
  ),
  mutant(
    'timestamp-number',
    'Timestamps are numbers.',
    everywhere((object) => {
      if (typeof object.timestamp === 'string') object.timestamp = Date.parse(object.timestamp)
    }),
  ),
  mutant(
    'timestamp-missing',
    'Statuses have no timestamp.',
    everywhere((object) => void delete object.timestamp),
  ),
  mutant(
    'metadata-list',
    'Metadata is a list.',
    tasks((task) => void put(task, 'metadata', [])),
  ),
  mutant(
    'role-user',
    'The agent speaks as the user.',
    everywhere((object) => {
      if (object.role === 'ROLE_AGENT') object.role = 'ROLE_USER'
    }),
  ),
  mutant(
    'role-lower-case',
    'Roles are written in lower case.',
    everywhere((object) => {
      if (typeof object.role === 'string') object.role = object.role.replace('ROLE_', '').toLowerCase()
    }),
  ),
  mutant(
    'role-missing',
    'Messages have no role.',
    everywhere((object) => void delete object.role),
  ),
  mutant(
    'message-id-missing',
    'Messages of the agent have no id.',
    everywhere((object) => {
      if (object.role === 'ROLE_AGENT') delete object.messageId
    }),
  ),
  mutant(
    'message-id-constant',
    'All messages have the same id.',
    everywhere((object) => {
      if ('messageId' in object) object.messageId = 'message-1'
    }),
  ),
  mutant('reply-without-context', 'Direct messages name no context.', {
    result: { sendMessage: (sent) => void put(sent, 'message.contextId', undefined) },
  }),
  mutant('reply-with-task', 'Direct messages name a task that does not exist.', {
    result: { sendMessage: (sent) => void put(sent, 'message.taskId', 'no-such-task') },
  }),
  mutant('reply-user-role', 'Direct messages come from the user.', {
    result: { sendMessage: (sent) => void put(sent, 'message.role', 'ROLE_USER') },
  }),
  mutant('reply-empty', 'Direct messages have no parts.', {
    result: { sendMessage: (sent) => void put(sent, 'message.parts', []) },
  }),
  // ── blocking ──
  mutant(
    'never-blocks',
    'A send never waits.',
    requests((params, call) => {
      if (call.op === 'sendMessage') params.configuration = { ...configuration(call), returnImmediately: true }
    }),
  ),
  mutant(
    'always-blocks',
    'A send always waits.',
    requests((params, call) => {
      if (call.op === 'sendMessage') params.configuration = { ...configuration(call), returnImmediately: false }
    }),
  ),
  mutant('immediate-not-stored', 'A task returned at once cannot be read yet.', {
    request: (call) => {
      const key = `reads of ${call.taskId}`
      const reads = Number(call.memory.get(key) ?? 0)
      if (call.op !== 'getTask' || reads > 0) return
      call.memory.set(key, 1)
      if (call.isRpc) put(call.body, 'params.id', 'not-yet')
      else call.path = call.path.replace(/tasks\/[^?]+/, 'tasks/not-yet')
    },
  }),
  mutant('immediate-makes-task', 'With returnImmediately a direct message becomes a task.', {
    result: {
      sendMessage: (sent, call) => {
        if (sent.message === undefined || configuration(call).returnImmediately !== true) return undefined
        return {
          task: {
            id: 'made-up',
            contextId: 'made-up',
            status: { state: 'TASK_STATE_SUBMITTED', timestamp: new Date().toISOString() },
          },
        }
      },
    },
  }),
  mutant(
    'input-is-working',
    'A task that needs input says it is working.',
    tasks((task) => {
      if (text(task, 'status.state') === 'TASK_STATE_INPUT_REQUIRED') put(task, 'status.state', 'TASK_STATE_WORKING')
    }),
  ),
  mutant(
    'auth-is-failed',
    'A task that needs authorization fails.',
    tasks((task) => {
      if (text(task, 'status.state') === 'TASK_STATE_AUTH_REQUIRED') put(task, 'status.state', 'TASK_STATE_FAILED')
    }),
  ),
  mutant(
    'auth-unexplained',
    'A task that needs authorization does not say which.',
    tasks((task) => {
      if (text(task, 'status.state') === 'TASK_STATE_AUTH_REQUIRED') put(task, 'status.message', undefined)
    }),
  ),
  mutant(
    'auth-insecure-link',
    'Authorization is asked for over plain HTTP.',
    tasks((task) => {
      if (text(task, 'status.state') === 'TASK_STATE_AUTH_REQUIRED')
        put(task, 'status.message.parts', [{ text: 'Go to http://login.example.com/now' }])
    }),
  ),
  mutant('auth-dead-end', 'A task that waits for authorization takes no messages.', {
    result: {
      sendMessage: (sent, call) => {
        if (text(sent, 'task.status.state') === 'TASK_STATE_AUTH_REQUIRED') call.memory.set(text(sent, 'task.id'), true)
        return undefined
      },
    },
    request: (call) => {
      const id = text(call.params, 'message.taskId')
      if (call.memory.has(id)) put(call.isRpc ? at(call.body, 'params') : call.body, 'message.taskId', 'gone')
    },
  }),
  mutant(
    'input-unexplained',
    'A task that needs input does not say what.',
    tasks((task) => {
      if (text(task, 'status.state') === 'TASK_STATE_INPUT_REQUIRED') put(task, 'status.message', undefined)
    }),
  ),
  // ── contexts and follow-ups ──
  mutant(
    'follow-up-new-task',
    'A follow-up begins a new task.',
    requests((params, call) => {
      if (call.op === 'sendMessage') put(params, 'message.taskId', undefined)
    }),
  ),
  mutant('follow-up-ignored', 'A follow-up changes nothing.', {
    answer: async (call) => {
      const id = text(call.params, 'message.taskId')
      if (call.op !== 'sendMessage' || !call.isRpc || id === '' || text(call.params, 'message.contextId') !== '')
        return undefined
      return call.ask({
        text: JSON.stringify({ jsonrpc: '2.0', id: at(call.body, 'id') ?? null, method: 'GetTask', params: { id } }),
      })
    },
  }),
  mutant(
    'context-replaced',
    'The context of the client is replaced.',
    requests((params, call) => {
      if (text(params, 'message.taskId') === '' && call.op === 'sendMessage')
        put(params, 'message.contextId', undefined)
    }),
  ),
  mutant(
    'context-missing',
    'Tasks name no context.',
    tasks((task) => void delete task.contextId),
  ),
  mutant(
    'context-changes',
    'A follow-up moves to another context.',
    tasks(
      (task, call) => {
        if (text(call.params, 'message.taskId') !== '') put(task, 'contextId', 'another')
      },
      ['sendMessage'],
    ),
  ),
  mutant(
    'context-mismatch-accepted',
    'The context of a follow-up is not compared.',
    requests((params) => {
      if (text(params, 'message.taskId') !== '') put(params, 'message.contextId', undefined)
    }),
  ),
  mutant('client-task-id', 'An unknown task id creates a task under it.', {
    answer: async (call) => {
      const id = text(call.params, 'message.taskId')
      const isNew = call.op === 'sendMessage' && id !== '' && text(call.params, 'message.contextId') === ''
      if (call.op === 'getTask' && call.memory.has(String(call.taskId)))
        return result(call, call.memory.get(String(call.taskId)) ?? null)
      if (!isNew) return undefined
      const known = await call.ask({ method: 'GET', path: `/spec/tasks/${id}`, text: '' })
      if (known.status === 200) return undefined
      const task = {
        id,
        contextId: 'c',
        status: { state: 'TASK_STATE_COMPLETED', timestamp: new Date().toISOString() },
      }
      call.memory.set(id, task)
      return result(call, { task })
    },
  }),
  mutant('finished-takes-messages', 'A finished task takes messages.', {
    answer: async (call) => {
      const id = text(call.params, 'message.taskId')
      if ((call.op !== 'sendMessage' && call.op !== 'streamMessage') || id === '') return undefined
      const known = await call.ask({ method: 'GET', path: `/spec/tasks/${id}`, text: '' })
      if (known.status !== 200 || !known.text.includes('COMPLETED')) return undefined
      return result(call, { task: JSON.parse(known.text) as JsonObject })
    },
  }),
  mutant(
    'media-any',
    'Parts of any media type are taken.',
    requests((params) => {
      for (const part of list(params, 'message.parts'))
        if (text(part, 'mediaType').includes('unsupported')) put(part, 'mediaType', 'text/plain')
    }),
  ),
  // ── history ──
  mutant('history-unlimited', 'historyLength is ignored when reading.', {
    request: (call) => {
      if (call.op !== 'getTask' || Number(call.params.historyLength) < 0) return
      put(call.body, 'params.historyLength', undefined)
      call.path = call.path.replace(/historyLength=\d+/, '')
    },
  }),
  mutant(
    'history-unlimited-send',
    'historyLength is ignored when sending.',
    requests((params) => void put(params, 'configuration.historyLength', undefined)),
  ),
  mutant('history-oldest', 'historyLength keeps the oldest messages.', {
    answer: async (call) => {
      const length = Number(call.params.historyLength)
      if (call.op !== 'getTask' || !(length > 0)) return undefined
      const known = await call.ask({ method: 'GET', path: `/spec/tasks/${call.taskId}`, text: '' })
      if (known.status !== 200) return undefined
      const task = JSON.parse(known.text) as JsonObject
      put(task, 'history', list(task, 'history').slice(0, length))
      return result(call, task)
    },
  }),
  mutant(
    'history-reversed',
    'History is listed newest first.',
    tasks((task) => {
      if (Array.isArray(task.history)) task.history.reverse()
    }),
  ),
  mutant('history-negative', 'A negative historyLength means all.', {
    request: (call) => {
      if (Number(call.params.historyLength) >= 0) return
      put(call.body, 'params.historyLength', undefined)
      call.path = call.path.replace(/historyLength=-\d+/, '')
    },
  }),
  mutant('history-zero-is-all', 'historyLength 0 means all.', {
    request: (call) => {
      if (Number(call.params.historyLength) !== 0 || call.params.historyLength === undefined) return
      put(call.body, 'params.historyLength', undefined)
      call.path = call.path.replace(/historyLength=0/, '')
    },
  }),
  mutant('get-without-id', 'A read without id returns an empty task.', {
    answer: (call) =>
      call.op === 'getTask' && call.isRpc && (call.taskId ?? '') === ''
        ? result(call, { id: '', status: { state: 'TASK_STATE_COMPLETED' } })
        : undefined,
  }),
  mutant('unknown-is-empty', 'An unknown task is read as null.', {
    reply: (reply, call) => {
      if (call.op !== 'getTask' || !reply.text.includes('TASK_NOT_FOUND')) return
      Object.assign(reply, result(call, null))
    },
  }),
  // ── canceling ──
  mutant('cancel-nothing', 'Canceling returns the task and does nothing.', {
    answer: async (call) => {
      if (call.op !== 'cancelTask') return undefined
      const known = await call.ask({ method: 'GET', path: `/spec/tasks/${call.taskId}`, text: '' })
      return known.status === 200 && !known.text.includes('COMPLETED')
        ? result(call, JSON.parse(known.text) as JsonObject)
        : undefined
    },
  }),
  mutant(
    'cancel-fails',
    'A canceled task becomes failed.',
    everywhere((object) => {
      if (object.state === 'TASK_STATE_CANCELED') object.state = 'TASK_STATE_FAILED'
    }),
  ),
  mutant('cancel-wrapped', 'Canceling returns {"task": …}.', { result: { cancelTask: (task) => ({ task }) } }),
  mutant('cancel-other-task', 'Canceling returns another id.', {
    result: { cancelTask: (task) => void put(task, 'id', 'another') },
  }),
  mutant('cancel-refused', 'Running tasks cannot be canceled.', {
    answer: (call) =>
      call.op === 'cancelTask' && call.isRpc && call.taskId !== undefined && call.memory.has(call.taskId)
        ? {
            status: 200,
            headers: JSON_TYPE,
            text: JSON.stringify({
              jsonrpc: '2.0',
              id: at(call.body, 'id') ?? null,
              error: { code: -32002, message: 'no' },
            }),
          }
        : undefined,
    result: {
      sendMessage: (sent, call) => {
        if (text(sent, 'task.status.state') !== 'TASK_STATE_COMPLETED') call.memory.set(text(sent, 'task.id'), true)
        return undefined
      },
    },
  }),
  mutant('cancel-finished', 'Finished tasks can be canceled.', {
    answer: async (call) => {
      if (call.op !== 'cancelTask') return undefined
      const known = await call.ask({ method: 'GET', path: `/spec/tasks/${call.taskId}`, text: '' })
      return known.text.includes('TASK_STATE_COMPLETED')
        ? result(call, JSON.parse(known.text) as JsonObject)
        : undefined
    },
  }),
  mutant('cancel-twice-reopens', 'A second cancel makes the task working again.', {
    result: {
      getTask: (task, { memory }) => {
        if (Number(memory.get(`cancels of ${text(task, 'id')}`)) > 1) put(task, 'status.state', 'TASK_STATE_WORKING')
        return undefined
      },
    },
    request: ({ op, taskId, memory }) => {
      if (op === 'cancelTask') memory.set(`cancels of ${taskId}`, Number(memory.get(`cancels of ${taskId}`) ?? 0) + 1)
    },
  }),
  mutant('cancel-metadata', 'A cancel with metadata is refused.', {
    request: (call) => {
      if (call.op === 'cancelTask' && at(call.params, 'metadata') !== undefined)
        put(call.isRpc ? at(call.body, 'params') : call.body, 'metadata', 'x')
    },
  }),
  // ── input ──
  mutant('needs-no-message', 'A send without message is answered.', {
    answer: (call) =>
      call.op === 'sendMessage' && call.params.message === undefined
        ? result(call, { message: { messageId: 'x', role: 'ROLE_AGENT', contextId: 'c', parts: [{ text: '?' }] } })
        : undefined,
  }),
  mutant(
    'takes-no-id',
    'Messages without id are taken.',
    requests((params) => {
      if (at(params, 'message') !== undefined && text(params, 'message.messageId') === '')
        put(params, 'message.messageId', 'made-up')
    }),
  ),
  mutant(
    'takes-no-role',
    'Messages without role are taken.',
    requests((params) => {
      const role = text(params, 'message.role')
      if (at(params, 'message') !== undefined && (role === '' || role === 'ROLE_UNSPECIFIED'))
        put(params, 'message.role', 'ROLE_USER')
    }),
  ),
  mutant(
    'takes-any-role',
    'Any role is taken.',
    requests((params) => {
      if (at(params, 'message.role') !== undefined) put(params, 'message.role', 'ROLE_USER')
    }),
  ),
  mutant(
    'takes-no-parts',
    'Messages without parts are taken.',
    requests((params) => {
      if (at(params, 'message') !== undefined && list(params, 'message.parts').length === 0)
        put(params, 'message.parts', [{ text: '' }])
    }),
  ),
  mutant(
    'takes-empty-parts',
    'Parts without content are taken.',
    requests((params) => {
      for (const part of list(params, 'message.parts'))
        if (!['text', 'raw', 'url', 'data'].some((member) => at(part, member) !== undefined)) put(part, 'text', '')
    }),
  ),
  mutant(
    'takes-two-contents',
    'Of two contents the first is taken.',
    requests((params) => {
      for (const part of list(params, 'message.parts'))
        if (at(part, 'text') !== undefined) for (const member of ['url', 'raw', 'data']) put(part, member, undefined)
    }),
  ),
  mutant(
    'refuses-unknown-members',
    'Unknown members are refused.',
    requests((params) => {
      each(params, (object) => {
        if (Object.keys(object).some((name) => /unknown|future|parley/i.test(name))) put(params, 'message', 7)
      })
    }),
  ),
  mutant(
    'refuses-metadata',
    'Nested metadata is refused.',
    requests((params) => {
      each(params, (object) => {
        if (typeof object.metadata === 'object' && object.metadata !== null && Object.keys(object.metadata).length > 0)
          put(params, 'message', 7)
      })
    }),
  ),
  mutant(
    'refuses-references',
    'References to other tasks are refused.',
    requests((params) => {
      if (list(params, 'message.referenceTaskIds').length > 0) put(params, 'message', 7)
    }),
  ),
  mutant(
    'refuses-data-array',
    'Structured data must be an object.',
    requests((params) => {
      for (const part of list(params, 'message.parts'))
        if (at(part, 'data') !== undefined && (typeof at(part, 'data') !== 'object' || Array.isArray(at(part, 'data'))))
          put(params, 'message', 7)
    }),
  ),
  mutant('crashes-on-types', 'Wrong types are internal errors.', {
    error: (error, reply, call) => {
      if (call.isRpc ? error.code !== -32602 : error.status !== 'INVALID_ARGUMENT') return error
      if (!call.isRpc) reply.status = 500
      return call.isRpc ? { ...error, code: -32603 } : { ...error, code: 500, status: 'INTERNAL' }
    },
  }),
  mutant('deep-crash', 'Deep nesting crashes the server.', {
    answer: (call) => (call.text.includes('[[[[[[[[[[') ? { status: 500, headers: JSON_TYPE, text: '{}' } : undefined),
  }),
  mutant('fetches-files', 'File urls are fetched at once.', {
    request: async (call) => {
      for (const part of list(call.params, 'message.parts'))
        if (text(part, 'url') !== '') await fetch(text(part, 'url')).catch(() => undefined)
    },
  }),
  mutant(
    'ignores-inline-push',
    'An inline push configuration is dropped.',
    requests((params) => void put(params, 'configuration.taskPushNotificationConfig', undefined)),
  ),
  mutant('auth-required-breaks', 'The connection breaks when authorization is needed.', {
    ends: ({ sent }) => ({ breaks: JSON.stringify(sent.at(-1) ?? null).includes('AUTH_REQUIRED') }),
  }),
]
