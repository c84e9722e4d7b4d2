// Contents the text leaves to the agent: what it keeps, adds and calls things, how it ends streams and delivers.

import { isJsonObject, type JsonObject, type JsonValue } from '../../src/model/json.ts'
import { tasksEverywhere } from '../mutants/layer-edits.ts'
import { at, type Call, each, type Mutation, put, text } from '../mutants/mutant.ts'
import { everywhere } from '../mutants/task-edits.ts'
import { allOf, type Variation, variation } from './variation.ts'
import { READING, STREAMING } from './wire-variations.ts'

const TALK = [
  'send',
  'get-task',
  'cancel',
  'list',
  'list-pages',
  'schema',
  'data-model',
  'consistency',
  'agent-messages',
  'round-trips',
]
const ERRORS = [
  'errors-jsonrpc',
  'errors-rest',
  'error-mapping',
  'error-texts',
  'validation',
  'schema-error',
  'stream-validation',
]
const PUSH = ['push', 'push-delivery', 'push-errors', 'same-everywhere']

/** What is there stays as it is. */
function addTo(object: JsonObject, members: JsonObject): void {
  for (const [name, value] of Object.entries(members)) object[name] ??= value ?? null
}

/** Timestamps in another legal precision. */
function instants(change: (text: string) => string): Mutation {
  const visit = (value: JsonValue): undefined =>
    each(value, (object) => {
      if (typeof object.timestamp === 'string') object.timestamp = change(object.timestamp)
    })
  return { result: { any: (result) => visit(result) }, event: (event) => visit(event) }
}

/** The detail that names the error comes last, among others. */
const MORE_DETAILS = [
  { '@type': 'type.googleapis.com/google.rpc.LocalizedMessage', locale: 'de', message: 'Nicht gefunden.' },
  { '@type': 'type.googleapis.com/google.rpc.Help', links: [{ description: 'Docs', url: 'https://parley.invalid/' }] },
]

function moreDetails(error: JsonObject): JsonObject {
  const place = Array.isArray(error.details) ? 'details' : 'data'
  return Array.isArray(error[place]) ? { ...error, [place]: [...MORE_DETAILS, ...error[place]] } : error
}

/** Every prompt for a task is answered with a message. */
function onlyMessages(): Mutation {
  return {
    request: (call: Call) => {
      const message = at(call.isRpc ? at(call.body, 'params') : call.body, 'message')
      if (text(message, 'parts.0.text') !== '') put(message, 'parts.0.text', 'message-only')
    },
  }
}

export const CONTENT_VARIATIONS: readonly Variation[] = [
  ...allOf(
    ['spec', 'spec03'],
    'microseconds',
    'Timestamps have six digits.',
    instants((time) => time.replace(/\.(\d{3})Z$/, '.$1000Z')),
    [...TALK, ...STREAMING],
  ),
  variation(
    'nanoseconds',
    'Timestamps have nine digits.',
    instants((time) => time.replace(/\.(\d{3})Z$/, '.$1000000Z')),
    [...TALK, ...STREAMING],
  ),
  ...allOf(
    ['spec', 'spec03', 'legacy'],
    'task-metadata',
    'Tasks have metadata of the agent.',
    tasksEverywhere((task) => put(task, 'metadata', { 'x.vendor': [1, null, { a: 'b' }] })),
    [...TALK, ...STREAMING],
  ),
  variation(
    'no-history',
    'The agent keeps no history.',
    tasksEverywhere((task) => put(task, 'history', undefined)),
    [...TALK, ...STREAMING, 'history-length', 'stream-twins'],
  ),
  variation(
    'no-status-messages',
    'Statuses have no message.',
    everywhere((object) => put(object, 'status.message', undefined)),
    ['send', 'get-task', 'list', 'schema', 'data-model', 'consistency', ...STREAMING],
  ),
  ...allOf(
    ['spec', 'spec03'],
    'defaults-spelled-out',
    'Members at their default are written out.',
    everywhere((object) => {
      if ('artifactId' in object) addTo(object, { description: '', metadata: {}, extensions: [] })
      if ('messageId' in object) addTo(object, { extensions: [], referenceTaskIds: [] })
      for (const name of ['append', 'lastChunk'])
        if (isJsonObject(object.artifact) && 'taskId' in object && object[name] === undefined) object[name] = false
    }),
    [...TALK, ...STREAMING],
  ),
  variation(
    'artifact-described',
    'Artifacts have descriptions, metadata and extensions.',
    everywhere((object) => {
      if ('artifactId' in object)
        Object.assign(object, {
          description: 'Ein Ergebnis.',
          metadata: { a: { b: null } },
          extensions: ['https://parley.invalid/ext/v1'],
        })
    }),
    [...TALK, ...STREAMING, 'contents', 'same-everywhere'],
  ),
  variation(
    'user-history-only',
    'Only what the user said is kept.',
    tasksEverywhere((task) => {
      if (Array.isArray(task.history))
        task.history = task.history.filter((message) => text(message, 'role') === 'ROLE_USER')
    }),
    [...TALK, 'list-history-recent'],
  ),
  ...allOf(
    ['spec', 'spec03'],
    'long-errors',
    'Errors are explained at length, in another language.',
    {
      error: (error) => ({ ...error, message: `Не найдено: ${'подробности '.repeat(200)}parts, 1 to 100` }),
    },
    ERRORS,
  ),
  variation('more-error-details', 'Errors have further details of known types.', { error: moreDetails }, [
    ...ERRORS,
    'extension-required',
  ]),
  variation(
    'rest-json',
    'HTTP+JSON is labelled application/json.',
    {
      reply: (reply, call) => {
        if (!call.isRpc && reply.headers['content-type']?.startsWith('application/a2a+json') === true)
          reply.headers['content-type'] = 'application/json'
      },
    },
    READING,
  ),
  variation(
    'base64url-out',
    'Bytes are written in the other alphabet, without padding.',
    everywhere((object) => {
      if (typeof object.raw === 'string')
        object.raw = object.raw.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
    }),
    ['contents', 'data-model', 'schema', 'send-snapshot', 'list-artifacts', 'stream-artifacts', 'round-trips'],
  ),
  ...allOf(['quiet', 'spec03'], 'only-messages', 'The agent answers everything with a message.', onlyMessages(), [
    ...TALK,
    'stream-twins',
    'streaming',
    'validation',
  ]),
  variation(
    'closing-snapshot',
    'Over HTTP+JSON a stream closes with the whole task.',
    {
      ends: ({ sent, call }) => {
        const task = sent[0]?.task
        const status = sent.map((event) => at(event, 'statusUpdate.status')).findLast((one) => one !== undefined)
        if (
          call.isRpc ||
          !isJsonObject(task) ||
          status === undefined ||
          !/COMPLETED|FAILED|REJECTED|CANCELED/.test(text(status, 'state'))
        )
          return {}
        return { more: [{ task: { ...task, status } }] }
      },
    },
    ['streaming', 'stream-frames', 'subscribe-closes', 'subscribe-works'],
  ),
  variation(
    'repeated-working',
    'Progress is told by repeating the state.',
    {
      event: (event) => {
        const isWorking = text(event, 'statusUpdate.status.state') === 'TASK_STATE_WORKING'
        return isWorking ? [event, structuredClone(event), structuredClone(event)] : undefined
      },
    },
    ['streaming', 'stream-frames', 'subscribe', 'schema-event', 'data-model', 'consistency'],
  ),
  variation(
    'no-chunk-flags',
    'Artifacts that come whole have no flags.',
    {
      event: (event) => {
        const update = event.artifactUpdate
        if (isJsonObject(update) && update.append !== true) delete update.append
        if (isJsonObject(update)) delete update.lastChunk
        return undefined
      },
    },
    STREAMING,
  ),
  variation(
    'push-created',
    'Creating a configuration is answered 201, deleting 204.',
    {
      reply: (reply, call) => {
        if (call.isRpc || reply.status !== 200) return
        if (call.op === 'createPushConfig') reply.status = 201
        if (call.op === 'deletePushConfig') reply.status = 204
      },
    },
    PUSH,
    'push',
  ),
  variation(
    'push-deleted-null',
    'Deleting a configuration is answered with null.',
    {
      reply: (reply, call) => {
        if (call.isRpc && call.op === 'deletePushConfig' && !reply.text.includes('"error"'))
          reply.text = JSON.stringify({ jsonrpc: '2.0', id: at(call.body, 'id') ?? null, result: null })
      },
    },
    PUSH,
    'push',
  ),
  ...allOf(
    ['push', 'push03'],
    'push-more-headers',
    'Notifications have headers of the agent.',
    {
      delivery: (delivery) => {
        Object.assign(delivery.headers, { 'x-agent': 'a', 'user-agent': 'agent/1.0', 'x-a2a-notification-token': 'x' })
        return undefined
      },
    },
    PUSH,
  ),
  variation(
    'challenges',
    'A refusal names several ways to sign in.',
    {
      reply: (reply) => {
        if (reply.status === 401)
          reply.headers['www-authenticate'] = 'Bearer realm="a", error="invalid_token", Basic realm="b"'
      },
    },
    ['security', 'isolation', 'equivalence-auth'],
    'secured',
  ),
  variation(
    'list-more-members',
    'Lists have members of the author.',
    {
      result: { listTasks: (page) => ({ ...page, 'x-took': 3, hasMore: false }) },
    },
    ['list', 'list-pages', 'schema-list', 'validation'],
  ),
  variation(
    'unknown-method-words',
    'What is not there is refused in words of the framework.',
    {
      reply: (reply, call) => {
        if (!call.isRpc && reply.status === 404 && call.op === undefined) {
          reply.headers['content-type'] = 'text/html'
          reply.text = '<h1>Not Found</h1>'
        }
      },
    },
    ['errors-rest'],
  ),
]
