// Other ends than completion, and other contents than text: what goes wrong when nobody tries them. In every
// generation.

import { isJsonObject, type JsonObject, type JsonValue } from '../../src/model/json.ts'
import type { Operation } from '../../src/model/operation.ts'
import type { BaseName } from './bases.ts'
import { notifications, spelled, stateIn } from './layer-edits.ts'
import {
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
import { result } from './task-edits.ts'

type Visit = (part: JsonObject) => void

/** Every part of every artifact inside. */
function inArtifacts(value: JsonValue | undefined, visit: Visit): undefined {
  return each(value, (object) => {
    if (!('artifactId' in object) && !('index' in object)) return
    for (const part of list(object, 'parts')) if (isJsonObject(part)) visit(part)
  })
}

const isFile = (part: JsonObject) => 'raw' in part || isJsonObject(part.file)

/** Changes the file of a part: its own members, or those of its `file`. */
function files(edit: (file: JsonObject, isNew: boolean) => void): Visit {
  return (part) => {
    if (isFile(part)) edit(isJsonObject(part.file) ? part.file : part, !isJsonObject(part.file))
  }
}

const bytesOf = (isNew: boolean) => (isNew ? 'raw' : 'bytes')

/** Changes parts of artifacts wherever they are sent. */
function parts(visit: Visit): Mutation {
  return { result: { any: (value) => inArtifacts(value, visit) }, event: (event) => inArtifacts(event, visit) }
}

function partsOf(op: Operation, visit: Visit): Mutation {
  return { result: { [op]: (value: JsonValue) => inArtifacts(value, visit) } }
}

function partsOfEvents(visit: Visit): Mutation {
  return { event: (event) => inArtifacts(event, visit) }
}

const renamed: Visit = files((file, isNew) => put(file, isNew ? 'filename' : 'name', undefined))
const untyped: Visit = files((file, isNew) => put(file, isNew ? 'mediaType' : 'mimeType', undefined))
const numbersAsText: Visit = (part) => {
  if (part.data !== undefined)
    part.data = JSON.parse(
      JSON.stringify(part.data, (_, value: JsonValue) => (typeof value === 'number' ? `${value}` : value)),
    )
}

/** Remembers which tasks ended in that state, and answers an operation about them with what was last seen of them. */
function acceptsAfter(state: string, ops: readonly Operation[]): Mutation {
  const remember = (value: JsonObject, { memory }: Call) =>
    each(value, (object) => {
      if (isJsonObject(object.status) && stateIn(object) === state) memory.set(`ended ${text(object, 'id')}`, object)
    })
  return {
    result: { any: (value, call) => remember(value, call) },
    answer: (call): Reply | undefined => {
      const known = call.memory.get(`ended ${text(call.params, 'message.taskId') || (call.taskId ?? '')}`)
      if (call.op === undefined || !ops.includes(call.op) || !isJsonObject(known)) return undefined
      const isWrapped = call.op !== 'cancelTask' && text(known, 'kind') === ''
      const isLegacy = call.isRpc && 'sessionId' in known
      const body = isWrapped && !isLegacy ? { task: known } : known
      if (call.op !== 'streamMessage' && call.op !== 'subscribeTask') return result(call, body)
      const data = call.isRpc ? { jsonrpc: '2.0', id: at(call.body, 'id') ?? null, result: body } : body
      return {
        status: 200,
        headers: { 'content-type': 'text/event-stream' },
        text: `data: ${JSON.stringify(data)}\n\n`,
      }
    },
  }
}

function stateOfEvent(event: JsonObject): string {
  return stateIn((at(event, 'statusUpdate') ?? at(event, 'task') ?? event) as JsonObject)
}

function inEveryGeneration(base: BaseName, prefix: string): Mutant[] {
  const made = (name: string, story: string, mutation: Mutation) => mutant(`${prefix}${name}`, story, mutation, base)
  return [
    made('file-data-url', 'The bytes of files are written as a data: URL.', {
      ...parts(files((file, isNew) => put(file, bytesOf(isNew), `data:;base64,${text(file, bytesOf(isNew))}`))),
    }),
    made('file-both', 'Files have bytes and an address.', {
      ...parts(files((file, isNew) => put(file, isNew ? 'url' : 'uri', 'https://parley.invalid/file'))),
    }),
    made('file-relative', 'Files are named by a path of the server.', {
      ...parts(
        files((file, isNew) => {
          put(file, bytesOf(isNew), undefined)
          put(file, isNew ? 'url' : 'uri', '/srv/files/7')
        }),
      ),
    }),
    made('file-type-word', 'The media type of files is a word.', {
      ...parts(files((file, isNew) => put(file, isNew ? 'mediaType' : 'mimeType', 'svg'))),
    }),
    made('file-name-lost', 'A send returns files without their names.', partsOf('sendMessage', renamed)),
    made('file-type-lost', 'Reading a task returns files without their types.', partsOf('getTask', untyped)),
    made('file-name-lost-stream', 'Streamed files have no names.', partsOfEvents(renamed)),
    made('file-type-lost-stream', 'Streamed files have no types.', partsOfEvents(untyped)),
    made('data-as-text-twice', 'Data is serialised twice.', {
      ...parts((part) => {
        if (part.data !== undefined) part.data = JSON.stringify(part.data)
      }),
    }),
    made('data-numbers-lost', 'Numbers in the data of a send are texts.', partsOf('sendMessage', numbersAsText)),
    made('data-numbers-lost-stream', 'Numbers in streamed data are texts.', partsOfEvents(numbersAsText)),
    made('failed-stays-open', 'The stream of a failed task stays open.', {
      ends: ({ sent }) => ({ staysOpen: sent.some((event) => stateOfEvent(event) === 'failed') }),
    }),
    made('failed-not-streamed', 'The failure of a task is not streamed.', {
      event: (event) => (stateOfEvent(event) === 'failed' ? [] : undefined),
    }),
    made('failed-streamed-completed', 'A failed task is streamed as completed.', {
      event: (event) => {
        each(event, (object) => {
          if (isJsonObject(object.status) && stateIn(object) === 'failed')
            put(object, 'status.state', spelled(object, 'completed'))
        })
        return undefined
      },
    }),
    made('failed-sent-completed', 'A send returns a failed task as completed.', {
      result: {
        sendMessage: (sent) => {
          const task = taskIn(sent)
          if (stateIn(task) === 'failed') put(task, 'status.state', spelled(task, 'completed'))
          return undefined
        },
      },
    }),
    made('failed-cancelable', 'A failed task can be canceled.', acceptsAfter('failed', ['cancelTask'])),
  ]
}

function afterEnds(base: BaseName, prefix: string, states: readonly string[]): Mutant[] {
  return states.flatMap((state) => [
    mutant(
      `${prefix}${state}-takes-messages`,
      `A ${state} task takes messages.`,
      acceptsAfter(state, ['sendMessage']),
      base,
    ),
    mutant(
      `${prefix}${state}-takes-streams`,
      `A ${state} task takes streamed messages.`,
      acceptsAfter(state, ['streamMessage']),
      base,
    ),
  ])
}

const PUSH = 'push'

export const contentMutants: Mutant[] = [
  ...inEveryGeneration('spec', ''),
  ...inEveryGeneration('spec03', 'spec03-'),
  // A send of that generation does not wait for the end, and so has nothing to lose.
  ...inEveryGeneration('legacy', 'legacy-').filter(({ name }) => !/-(file-name|data-numbers)-lost$/.test(name)),
  ...afterEnds('spec', '', ['failed', 'rejected', 'canceled']),
  ...afterEnds('spec03', 'spec03-', ['completed', 'failed']),
  mutant('rejected-cancelable', 'A rejected task can be canceled.', acceptsAfter('rejected', ['cancelTask'])),
  mutant('failed-subscribable', 'A failed task can be subscribed to.', acceptsAfter('failed', ['subscribeTask'])),
  mutant('rejected-subscribable', 'A rejected task can be subscribed to.', acceptsAfter('rejected', ['subscribeTask'])),
  mutant('canceled-subscribable', 'A canceled task can be subscribed to.', acceptsAfter('canceled', ['subscribeTask'])),
  mutant('file-name-lost-list', 'Listed files have no names.', partsOf('listTasks', renamed)),
  mutant('data-numbers-lost-list', 'Numbers in listed data are texts.', partsOf('listTasks', numbersAsText)),
  mutant('list-hides-failed', 'The filter for failed tasks finds nothing.', {
    result: {
      listTasks: (page, call) => (call.params.status === 'TASK_STATE_FAILED' ? put(page, 'tasks', []) : undefined),
    },
  }),
  mutant('list-rejected-failed', 'The filter for failed tasks also finds rejected ones.', {
    result: {
      listTasks: async (page, call) => {
        if (call.params.status !== 'TASK_STATE_FAILED') return undefined
        const change = call.isRpc
          ? { text: call.text.replace('TASK_STATE_FAILED', 'TASK_STATE_REJECTED') }
          : { path: call.path.replace('TASK_STATE_FAILED', 'TASK_STATE_REJECTED') }
        const other = JSON.parse((await call.ask(change)).text) as JsonObject
        const more = list(other, call.isRpc ? 'result.tasks' : 'tasks')
        return put(page, 'tasks', [...list(page, 'tasks'), ...more])
      },
    },
  }),
  mutant(
    'push-failed-silent',
    'The failure of a task is not notified.',
    {
      delivery: ({ body }) => (isJsonObject(body) && stateOfEvent(body) === 'failed' ? 'lost' : undefined),
    },
    PUSH,
  ),
  mutant(
    'push-canceled-silent',
    'That a task was canceled is not notified.',
    {
      delivery: ({ body }) => (isJsonObject(body) && stateOfEvent(body) === 'canceled' ? 'lost' : undefined),
    },
    PUSH,
  ),
  mutant(
    'push-rejected-failed',
    'Rejected tasks are notified as failed.',
    {
      ...notifications((object) => {
        if (object.state === 'TASK_STATE_REJECTED') object.state = 'TASK_STATE_FAILED'
      }),
    },
    PUSH,
  ),
  mutant(
    'old-push-failed-silent',
    'The failure of a task is not notified.',
    {
      delivery: ({ body }) => (isJsonObject(body) && stateOfEvent(body) === 'failed' ? 'lost' : undefined),
    },
    'push03',
  ),
  mutant(
    'push-file-name-lost',
    'Notified files have no names.',
    { delivery: ({ body }) => inArtifacts(body, renamed) },
    PUSH,
  ),
  mutant(
    'push-data-lost',
    'Numbers in notified data are texts.',
    { delivery: ({ body }) => inArtifacts(body, numbersAsText) },
    PUSH,
  ),
  mutant(
    'push-auth-later',
    'Only the first notification is authenticated.',
    {
      delivery: ({ headers, before }) => {
        if (before > 0) delete headers.authorization
        return undefined
      },
    },
    PUSH,
  ),
  mutant(
    'push-label-later',
    'Only the first notification is labelled.',
    {
      delivery: ({ headers, before }) => {
        if (before > 0) headers['content-type'] = 'text/plain'
        return undefined
      },
    },
    PUSH,
  ),
]
