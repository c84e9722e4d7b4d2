// What is missed by validating only where it was thought of: one method, one operation, one kind of request.

import { isJsonObject, type JsonObject } from '../../src/model/json.ts'
import type { Operation } from '../../src/model/operation.ts'
import type { BaseName } from './bases.ts'
import { at, type Call, each, type Mutant, type Mutation, mutant, put, type Reply, text, word } from './mutant.ts'
import { JSON_TYPE } from './task-edits.ts'

/** Numeric ids come back as text from these methods. */
function idAsText(ops: readonly Operation[]): Mutation {
  return {
    reply: (reply, call) => {
      if (call.op === undefined || !ops.includes(call.op) || !reply.text.startsWith('{"jsonrpc"')) return
      const body = JSON.parse(reply.text) as JsonObject
      reply.text = JSON.stringify({ ...body, id: word(body.id) })
    },
  }
}

/** A call without params is an error of the server, which has forgotten its id. */
function paramsTakenForGranted(): Mutation {
  return {
    answer: (call): Reply | undefined => {
      if (!call.isRpc || !isJsonObject(call.body) || 'params' in call.body || call.op === 'listTasks') return undefined
      const error = { code: -32603, message: 'Cannot read properties of undefined' }
      return { status: 200, headers: JSON_TYPE, text: JSON.stringify({ jsonrpc: '2.0', id: null, error }) }
    },
  }
}

/** A negative number of messages is taken for none given. */
function negativeHistoryOn(op: Operation): Mutation {
  return {
    request: (call) => {
      if (call.op !== op) return
      const holder = call.isRpc ? at(call.body, 'params') : call.body
      if (Number(at(holder, 'configuration.historyLength')) < 0) put(holder, 'configuration.historyLength', undefined)
      if (Number(at(holder, 'historyLength')) < 0) put(holder, 'historyLength', undefined)
      call.path = call.path.replace(/historyLength=-\d+/, '')
    },
  }
}

function older(base: BaseName): Mutant[] {
  return [
    mutant(`${base}-id-as-text-get-push`, 'Ids of one method come back as text.', idAsText(['getPushConfig']), base),
    mutant(`${base}-params-granted`, 'A call without params breaks the handler.', paramsTakenForGranted(), base),
  ]
}

export const edgeMutants: Mutant[] = [
  mutant('id-as-text-get-push', 'Ids of one method come back as text.', idAsText(['getPushConfig'])),
  mutant('params-granted', 'A call without params breaks the handler.', paramsTakenForGranted()),
  ...older('push03'),
  mutant('history-negative-send', 'A send takes a negative historyLength.', negativeHistoryOn('sendMessage')),
  mutant('history-negative-list', 'A listing takes a negative historyLength.', negativeHistoryOn('listTasks')),
  mutant(
    'history-negative-stream',
    'A streaming send takes a negative historyLength.',
    negativeHistoryOn('streamMessage'),
  ),
  mutant('batch-breaks', 'A batch of requests breaks the server.', {
    answer: (call) =>
      Array.isArray(call.body)
        ? { status: 500, headers: { 'content-type': 'text/html' }, text: '<h1>500</h1>' }
        : undefined,
  }),
  mutant('raw-any-text', 'Bytes that are not base64 are taken.', {
    request: (call: Call) =>
      each(call.body, (object) => {
        if (typeof object.raw === 'string' && /[^A-Za-z0-9+/=]/.test(object.raw)) object.raw = 'AAAA'
      }),
  }),
  mutant('rest-query-plain-text', 'A query that cannot be read is answered with a line of text.', {
    reply: (reply, call) => {
      if (call.isRpc || reply.status !== 400 || !call.path.includes('?')) return
      reply.headers['content-type'] = 'text/plain'
      reply.text = 'bad request'
    },
  }),
  mutant('rest-validation-500', 'What does not pass validation is an error of the server over REST.', {
    error: (error, reply, call) => {
      if (call.isRpc || reply.status !== 400 || error.status !== 'INVALID_ARGUMENT') return undefined
      reply.status = 500
      return { ...error, code: 500, status: 'INTERNAL' }
    },
  }),
  mutant('task-reopens', 'A task that was read as completed is working every now and then.', {
    result: {
      getTask: (task, { memory }) => {
        const key = `read ${text(task, 'id')}`
        if (text(task, 'status.state') !== 'TASK_STATE_COMPLETED') return undefined
        const before = Number(memory.get(key) ?? 0)
        if (before > 1 && before % 2 === 0) put(task, 'status.state', 'TASK_STATE_WORKING')
        memory.set(key, before + 1)
        return undefined
      },
    },
  }),
  mutant(
    'push-id-of-task',
    'A configuration without an id gets that of its task, and the next one replaces it.',
    {
      request: (call) => {
        if (call.op !== 'createPushConfig') return
        const params = call.isRpc ? at(call.body, 'params') : call.body
        if (isJsonObject(params) && params.id === undefined) put(params, 'id', call.taskId ?? '')
      },
    },
    'push',
  ),
  mutant('extended-card-no-scheme', 'The extended card demands credentials nobody declared.', {
    card: (card) => put(card, 'securitySchemes', undefined),
  }),
  mutant('bytes-one-alphabet', 'Bytes in the alphabet for URLs are refused.', {
    answer: (call) => (call.text.includes('"raw":"-__-AA"') ? invalid(call) : undefined),
  }),
  mutant('empty-ids-refused', 'A message with an empty taskId is refused.', {
    answer: (call) => (call.text.includes('"taskId":""') && call.op === 'sendMessage' ? invalid(call) : undefined),
  }),
  mutant('card-version-empty', 'The version of the card is empty.', { card: (card) => put(card, 'version', '') }),
  mutant(
    'spec03-extended-card-public',
    'The extended card is given to anybody.',
    { card: (card) => put(card, 'supportsAuthenticatedExtendedCard', true), answer: publicCard },
    'spec03',
  ),
  ...(['getPushConfig', 'listPushConfigs', 'deletePushConfig'] as const).map((op) =>
    mutant(
      `spec03-${op}-works`,
      'A push operation works although the card says no.',
      {
        answer: (call) =>
          call.op === op
            ? { status: 200, headers: JSON_TYPE, text: envelope(call, op === 'listPushConfigs' ? [] : null) }
            : undefined,
      },
      'spec03',
    ),
  ),
]

function invalid(call: Call): Reply {
  const message = 'Invalid parameters'
  const body = call.isRpc
    ? { jsonrpc: '2.0', id: at(call.body, 'id') ?? null, error: { code: -32602, message } }
    : { error: { code: 400, status: 'INVALID_ARGUMENT', message } }
  return { status: call.isRpc ? 200 : 400, headers: JSON_TYPE, text: JSON.stringify(body) }
}

function publicCard(call: Call): Reply | undefined {
  if (call.op !== 'getExtendedCard') return undefined
  return { status: 200, headers: JSON_TYPE, text: envelope(call, { name: 'for everybody' }) }
}

function envelope(call: Call, result: JsonObject | null | []): string {
  return JSON.stringify({ jsonrpc: '2.0', id: at(call.body, 'id') ?? null, result })
}
