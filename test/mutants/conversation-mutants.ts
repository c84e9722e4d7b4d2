// Contexts, follow-ups, history, canceling, and what is taken or refused.

import type { JsonObject } from '../../src/model/json.ts'
import { at, each, list, type Mutant, mutant, put, text } from './mutant.ts'
import { everywhere, JSON_TYPE, requests, result, tasks } from './task-edits.ts'

export const conversationMutants: Mutant[] = [
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
    requests((params) => put(params, 'configuration.historyLength', undefined)),
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
    result: { cancelTask: (task) => put(task, 'id', 'another') },
  }),
  mutant('cancel-refused', 'Canceling a running task is an internal error.', {
    answer: (call) =>
      call.op === 'cancelTask' && call.isRpc && call.taskId !== undefined && call.memory.has(call.taskId)
        ? {
            status: 200,
            headers: JSON_TYPE,
            text: JSON.stringify({
              jsonrpc: '2.0',
              id: at(call.body, 'id') ?? null,
              error: { code: -32603, message: 'no' },
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
    requests((params) => put(params, 'configuration.taskPushNotificationConfig', undefined)),
  ),
  mutant('auth-required-breaks', 'The connection breaks when authorization is needed.', {
    ends: ({ sent }) => ({ breaks: JSON.stringify(sent.at(-1) ?? null).includes('AUTH_REQUIRED') }),
  }),
]
