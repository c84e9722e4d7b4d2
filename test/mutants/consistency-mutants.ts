// Agents that contradict themselves: what they say in one answer is not what they say in another. In every generation.

import type { JsonObject } from '../../src/model/json.ts'
import type { BaseName } from './bases.ts'
import { count, envelopes, frames, requestId, spelled, stateIn } from './layer-edits.ts'
import { at, each, list, type Mutant, type Mutation, mutant, put, taskIn, text, word } from './mutant.ts'

const ENDED = /completed|failed|canceled|rejected/

/** Changes a finished task from its n-th reading on. */
function readLater(edit: (task: JsonObject) => void, from = 1, state = ENDED): Mutation {
  return {
    result: {
      getTask: (task, call) => {
        if (state.test(stateIn(task)) && count(call, `read ${text(task, 'id')}`) >= from) edit(task)
        return undefined
      },
    },
  }
}

function inEveryGeneration(base: BaseName, prefix: string): Mutant[] {
  const made = (name: string, story: string, mutation: Mutation) => mutant(`${prefix}${name}`, story, mutation, base)
  return [
    made(
      'canceled-completes',
      'A canceled task completes later.',
      readLater((task) => put(task, 'status.state', spelled(task, 'completed')), 1, /canceled/),
    ),
    made(
      'finished-reopens',
      'A finished task works again when it is read late.',
      readLater((task) => put(task, 'status.state', spelled(task, 'working')), 3),
    ),
    made(
      'finished-artifacts-vanish',
      'The artifacts of a finished task are gone when it is read again.',
      readLater((task) => put(task, 'artifacts', undefined)),
    ),
    made(
      'finished-history-grows',
      'Every read of a finished task adds to its history.',
      readLater((task) => put(task, 'history', [...list(task, 'history'), ...list(task, 'history').slice(0, 1)])),
    ),
    ...idsAndEnvelopes(base, prefix),
    ...framesAndTimes(base, prefix),
  ]
}

function idsAndEnvelopes(base: BaseName, prefix: string): Mutant[] {
  const made = (name: string, story: string, mutation: Mutation) => mutant(`${prefix}${name}`, story, mutation, base)
  return [
    made('error-id-null', 'The id of an error about a cancel is null.', {
      ...envelopes((body, call) => {
        if (call.op === 'cancelTask' && body.error !== undefined) body.id = null
      }),
    }),
    made('cancel-id-as-text', 'The id of a cancel comes back as text.', {
      ...envelopes((body, call) => {
        if (call.op === 'cancelTask') body.id = word(body.id)
      }),
    }),
    made('id-zero', 'The request id 0 is taken for none.', {
      ...envelopes((body, call) => {
        if (requestId(call) === 0) body.id = null
      }),
    }),
    made('id-empty', 'An empty request id is taken for none.', {
      ...envelopes((body, call) => {
        if (requestId(call) === '') body.id = null
      }),
    }),
    made('id-negative', 'A negative request id loses its sign.', {
      ...envelopes((body, call) => {
        if (requestId(call) === -1) body.id = 1
      }),
    }),
    made('id-cut', 'A long request id is cut.', {
      ...envelopes((body) => {
        if (typeof body.id === 'string') body.id = body.id.slice(0, 64)
      }),
    }),
    made('cancel-envelope-old', 'Answers to a cancel are of JSON-RPC 1.0.', {
      ...envelopes((body, call) => {
        if (call.op === 'cancelTask') body.jsonrpc = '1.0'
      }),
    }),
    made('cancel-envelope-both', 'Answers to a cancel have a result and an error.', {
      ...envelopes((body, call) => {
        if (call.op !== 'cancelTask') return
        body.result ??= {}
        body.error ??= { code: 0, message: 'OK' }
      }),
    }),
    made('cancel-labelled-text', 'Answers to a cancel are labelled as text.', {
      reply: (reply, call) => {
        if (call.op === 'cancelTask') reply.headers['content-type'] = 'text/plain'
      },
    }),
  ]
}

function framesAndTimes(base: BaseName, prefix: string): Mutant[] {
  const made = (name: string, story: string, mutation: Mutation) => mutant(`${prefix}${name}`, story, mutation, base)
  return [
    made(
      'subscribe-frame-id',
      'Frames of a subscription have ids of their own.',
      frames((data) => put(data, 'id', 'frame'), 'subscribeTask'),
    ),
    made(
      'subscribe-frame-old',
      'Frames of a subscription lack the version of JSON-RPC.',
      frames((data) => void delete data.jsonrpc, 'subscribeTask'),
    ),
    made('event-role-user', 'The messages of streamed statuses come from the user.', {
      event: (event) =>
        each(event, (object) => {
          const message = at(object, 'status.message')
          if (message !== undefined)
            put(message, 'role', text(message, 'role').replace('AGENT', 'USER').replace('agent', 'user'))
        }),
    }),
    made('timestamp-of-creation', 'A status keeps the timestamp of the creation.', {
      result: {
        any: (result, { memory }) =>
          each(result, (object) => {
            const key = `first ${text(object, 'id')}`
            if (at(object, 'status.timestamp') === undefined) return
            if (!memory.has(key)) memory.set(key, text(object, 'status.timestamp'))
            put(object, 'status.timestamp', memory.get(key))
          }),
      },
    }),
    made('timestamp-backwards', 'The status of a finished task is older than the one before.', {
      result: {
        getTask: (task) => {
          if (ENDED.test(stateIn(task))) put(task, 'status.timestamp', '2020-01-01T00:00:00.000Z')
          return undefined
        },
      },
    }),
    made('context-on-read', 'Reading a task shows another context.', {
      result: { getTask: (task) => put(task, base === 'legacy' ? 'sessionId' : 'contextId', 'another') },
    }),
    made('context-on-cancel', 'A canceled task is in another context.', {
      result: { cancelTask: (task) => put(taskIn(task), base === 'legacy' ? 'sessionId' : 'contextId', 'another') },
    }),
  ]
}

/** Before 0.3 messages had no ids by which they could be told. */
function historyRoles(base: BaseName, prefix: string): Mutant {
  return mutant(
    `${prefix}history-roles-swapped`,
    'What the user said is shown as said by the agent.',
    {
      result: {
        any: (result) =>
          each(result, (object) => {
            for (const said of list(object, 'history'))
              put(said, 'role', text(said, 'role').replace('USER', 'AGENT').replace('user', 'agent'))
          }),
      },
    },
    base,
  )
}

function inLists(name: string, story: string, edit: (task: JsonObject) => void): Mutant {
  return mutant(name, story, {
    result: {
      listTasks: (page) => {
        for (const task of list(page, 'tasks')) edit(task as JsonObject)
        return undefined
      },
    },
  })
}

export const consistencyMutants: Mutant[] = [
  ...inEveryGeneration('spec', ''),
  ...inEveryGeneration('spec03', 'spec03-'),
  ...inEveryGeneration('legacy', 'legacy-'),
  historyRoles('spec', ''),
  historyRoles('spec03', 'spec03-'),
  inLists('list-loses-context', 'Listed tasks have no context.', (task) => put(task, 'contextId', undefined)),
  inLists('list-loses-time', 'Listed tasks have a status of this moment.', (task) =>
    put(task, 'status.timestamp', new Date().toISOString()),
  ),
  inLists('list-adds-message', 'Listed tasks have a status message of their own.', (task) =>
    put(task, 'status.message', {
      messageId: 'listed',
      role: 'ROLE_AGENT',
      contextId: text(task, 'contextId'),
      parts: [{ text: 'listed' }],
    }),
  ),
  mutant('events-other-context', 'Streamed updates name another context.', {
    event: (event, { sent }) =>
      each(event, (object) => {
        if (sent.length > 0 && 'contextId' in object) object.contextId = 'another'
      }),
  }),
  mutant('list-labelled-text', 'Lists are labelled as text over HTTP+JSON.', {
    reply: (reply, call) => {
      if (call.op === 'listTasks' && !call.isRpc) reply.headers['content-type'] = 'text/plain'
    },
  }),
  mutant(
    'push-other-context',
    'Notifications name another context.',
    {
      delivery: ({ body }) =>
        each(body, (object) => {
          if ('contextId' in object) object.contextId = 'another'
        }),
    },
    'push',
  ),
  mutant(
    'push-role-user',
    'Notified statuses are said by the user.',
    {
      delivery: ({ body }) => {
        each(body, (object) => {
          if (object.role === 'ROLE_AGENT') object.role = 'ROLE_USER'
        })
        return undefined
      },
    },
    'push',
  ),
  mutant(
    'auth-in-metadata',
    'The token of the caller is kept in the metadata of the task.',
    {
      result: {
        getTask: (task, call) => put(task, 'metadata', { caller: call.headers.authorization ?? '' }),
      },
    },
    'secured',
  ),
  mutant(
    'auth-in-events',
    'The token of the caller is in the metadata of events.',
    {
      event: (event, { call }) =>
        each(event, (object) => {
          if ('taskId' in object && 'status' in object) object.metadata = { caller: call.headers.authorization ?? '' }
        }),
    },
    'secured',
  ),
  mutant(
    'auth-to-webhook',
    'The token of the caller is passed on to webhooks.',
    {
      request: (call) => {
        if (call.headers.authorization !== undefined) call.memory.set('token', call.headers.authorization)
      },
      delivery: ({ headers }, memory) => put(headers, 'x-on-behalf-of', memory.get('token') ?? ''),
    },
    'secured',
  ),
]
