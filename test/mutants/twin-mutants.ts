// Rules that are kept on plain sends and forgotten on those that stream.

import { isJsonObject, type JsonObject } from '../../src/model/json.ts'
import type { BaseName } from './bases.ts'
import { at, type Call, list, type Mutant, type Mutation, mutant, put, text } from './mutant.ts'
import { requests } from './task-edits.ts'

/** Edits the parameters of streaming sends only. */
function streamed(edit: (params: JsonObject, call: Call) => void): Mutation {
  return requests((params, call) => {
    if (call.op === 'streamMessage') edit(params, call)
  })
}

const HISTORY = 'configuration.historyLength'
const PUSH = ['configuration.taskPushNotificationConfig', 'configuration.pushNotificationConfig']

/** Makes a message right that must be refused. */
function repaired(isWrong: (message: JsonObject) => boolean, repair: (message: JsonObject) => void): Mutation {
  return streamed((params) => {
    if (isJsonObject(params.message) && isWrong(params.message)) repair(params.message)
  })
}

function followUpStartsTask(): Mutation {
  return {
    ...streamed((params, call) => {
      // In 0.1 the id of the task stands beside the message.
      if (call.memory.has(text(params, 'message.taskId'))) put(params, 'message.taskId', undefined)
      if (call.memory.has(text(params, 'id'))) put(params, 'id', crypto.randomUUID())
    }),
    result: {
      sendMessage: (sent, { memory }) => {
        const id = text(sent, 'task.id') || text(sent, 'id')
        if (id !== '') memory.set(id, true)
        return undefined
      },
    },
  }
}

function foreignTasksStreamable(): Mutation {
  return {
    request: (call) => {
      const owner = call.memory.get(text(call.params, 'message.taskId'))
      if (call.op === 'streamMessage' && typeof owner === 'string') call.headers.authorization = owner
    },
    result: {
      sendMessage: (sent, { memory, headers }) => {
        const id = text(sent, 'task.id')
        if (id !== '') memory.set(id, headers.authorization ?? '')
        return undefined
      },
    },
  }
}

const WRONG_MESSAGES: readonly (readonly [string, string, Mutation])[] = [
  [
    'no-id',
    'Streamed messages without id are taken.',
    repaired(
      ({ messageId }) => messageId === undefined || messageId === '',
      (message) => put(message, 'messageId', crypto.randomUUID()),
    ),
  ],
  [
    'no-role',
    'Streamed messages without role are taken.',
    repaired(
      ({ role }) => role === undefined || role === 'ROLE_UNSPECIFIED',
      (message) => put(message, 'role', 'ROLE_USER'),
    ),
  ],
  [
    'any-role',
    'Any role of a streamed message is taken.',
    repaired(
      ({ role }) => role === 'ROLE_BOSS',
      (message) => put(message, 'role', 'ROLE_USER'),
    ),
  ],
  [
    'no-parts',
    'Streamed messages without parts are taken.',
    repaired(
      (message) => list(message, 'parts').length === 0,
      (message) => put(message, 'parts', [{ text: 'task-lifecycle' }]),
    ),
  ],
  [
    'empty-part',
    'Streamed parts without content are taken.',
    repaired(
      (message) => Object.keys(at(message, 'parts.0') ?? {}).join() === 'mediaType',
      (message) => put(message, 'parts.0', { text: 'task-lifecycle' }),
    ),
  ],
  [
    'two-contents',
    'Of two contents of a streamed part the first is taken.',
    repaired(
      (message) => text(message, 'parts.0.text') !== '' && text(message, 'parts.0.url') !== '',
      (message) => put(message, 'parts.0.url', undefined),
    ),
  ],
  [
    'raw-any-text',
    'Streamed bytes that are not base64 are taken.',
    repaired(
      (message) => text(message, 'parts.0.raw').includes('!'),
      (message) => put(message, 'parts.0.raw', 'AAAA'),
    ),
  ],
]

export const twinMutants: Mutant[] = [
  ...WRONG_MESSAGES.map(([name, story, mutation]) => mutant(`stream-takes-${name}`, story, mutation)),
  ...(['spec', 'spec03', 'legacy'] as const).map((of: BaseName) =>
    mutant(
      `${of}-stream-needs-no-message`,
      'A streaming send without message is answered.',
      streamed((params) => {
        if (params.message !== undefined) return
        const parts = [{ kind: 'text', type: 'text', text: 'task-lifecycle' }]
        const role = of === 'spec' ? 'ROLE_USER' : 'user'
        put(params, 'message', {
          messageId: crypto.randomUUID(),
          role,
          parts,
          ...(of === 'spec' ? {} : { kind: 'message' }),
        })
        if (of === 'legacy') put(params, 'id', crypto.randomUUID())
      }),
      of,
    ),
  ),
  ...(['spec', 'spec03', 'legacy'] as const).map((of: BaseName) =>
    mutant(`${of}-stream-follow-up-new-task`, 'A streamed follow-up begins a new task.', followUpStartsTask(), of),
  ),
  mutant(
    'stream-context-replaced',
    'The context of a streamed message is replaced.',
    streamed((params) => {
      if (text(params, 'message.taskId') === '') put(params, 'message.contextId', undefined)
    }),
  ),
  mutant('stream-context-continues', 'A streamed message with a context shows the last task of that context.', {
    result: {
      sendMessage: (sent, { memory }) => {
        const id = text(sent, 'task.id')
        if (id !== '') memory.set(text(sent, 'task.contextId'), id)
        return undefined
      },
    },
    event: (event, { call }) => {
      const known = call.memory.get(text(call.params, 'message.contextId'))
      if (call.op !== 'streamMessage' || typeof known !== 'string') return undefined
      put(event, 'task.id', known)
      put(event, 'statusUpdate.taskId', known)
      return put(event, 'artifactUpdate.taskId', known)
    },
  }),
  mutant(
    'stream-context-mismatch',
    'The context of a streamed follow-up is not compared.',
    streamed((params) => {
      if (text(params, 'message.taskId') !== '') put(params, 'message.contextId', undefined)
    }),
  ),
  ...(['spec', 'spec03'] as const).map((of: BaseName) =>
    mutant(
      `${of}-stream-task-id-constant`,
      'All streamed tasks have the same id.',
      {
        event: (event, { call }) => {
          if (call.op !== 'streamMessage' || text(call.params, 'message.taskId') !== '') return undefined
          for (const place of ['task.id', 'statusUpdate.taskId', 'artifactUpdate.taskId', 'taskId']) {
            if (text(event, place) !== '') put(event, place, 'task-1')
          }
          if (event.kind === 'task') put(event, 'id', 'task-1')
          return undefined
        },
      },
      of,
    ),
  ),
  mutant(
    'stream-history-unlimited',
    'historyLength is ignored on streams, except 0.',
    streamed((params) => {
      if (Number(at(params, HISTORY)) > 0) put(params, HISTORY, undefined)
    }),
  ),
  mutant(
    'stream-history-zero-is-all',
    'historyLength 0 means all on streams.',
    streamed((params) => {
      if (at(params, HISTORY) === 0) put(params, HISTORY, undefined)
    }),
  ),
  mutant('stream-version-ignored', 'Streaming sends do not look at the version.', {
    request: (call) => {
      if (call.op === 'streamMessage') call.headers['a2a-version'] = '1.0'
    },
  }),
  mutant(
    'stream-ignores-inline-push',
    'The push configuration of a streaming send is dropped.',
    streamed((params) => {
      for (const place of PUSH) put(params, place, undefined)
    }),
  ),
  mutant(
    'stream-inline-push-lost',
    'The push configuration of a streaming send is forgotten.',
    streamed((params) => {
      for (const place of PUSH) put(params, place, undefined)
    }),
    'push',
  ),
  mutant('stream-foreign-tasks', 'Streaming sends continue the tasks of others.', foreignTasksStreamable(), 'secured'),
  mutant('stream-client-task-id', 'A refused streaming send leaves a task under the id of the client.', {
    answer: (call) => {
      const id = text(call.params, 'message.taskId')
      if (call.op === 'streamMessage' && id !== '' && text(call.params, 'message.parts.0.text') === 'done')
        call.memory.set(id, 1)
      const isAsked =
        call.op === 'getTask' && call.memory.has(String(call.taskId)) && !call.memory.has(`made ${call.taskId}`)
      if (!isAsked) return undefined
      const task = { id: call.taskId ?? '', contextId: 'c', status: { state: 'TASK_STATE_WORKING' } }
      const body = call.isRpc ? { jsonrpc: '2.0', id: at(call.body, 'id') ?? null, result: task } : task
      return { status: 200, headers: { 'content-type': 'application/json' }, text: JSON.stringify(body) }
    },
    result: {
      sendMessage: (sent, { memory }) => {
        memory.set(`made ${text(sent, 'task.id')}`, 1)
        return undefined
      },
    },
  }),
]
