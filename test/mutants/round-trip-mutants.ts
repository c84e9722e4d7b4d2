// What gets lost between what was said and what is shown of it: in histories, echoes, streams and notifications.

import { isJsonObject, type JsonObject, type JsonValue } from '../../src/model/json.ts'
import type { Operation } from '../../src/model/operation.ts'
import type { BaseName } from './bases.ts'
import { each, list, type Mutant, type Mutation, mutant, put, text } from './mutant.ts'

type Edit = (message: JsonObject) => void

/** Changes the messages of users in the histories these operations show. */
function histories(edit: Edit, ops: readonly (Operation | 'any')[] = ['any']): Mutation {
  const change = (value: JsonValue): undefined =>
    each(value, (object) => {
      for (const message of list(object, 'history'))
        if (isJsonObject(message) && /user$/i.test(text(message, 'role'))) edit(message)
    })
  const isStreamed = ops.includes('any') || ops.includes('streamMessage')
  return {
    result: Object.fromEntries(ops.map((op) => [op, (result: JsonObject) => change(result)])),
    ...(isStreamed ? { event: (event: JsonObject) => change(event) } : {}),
  }
}

/** Changes every part, of files also what lies inside. */
function parts(edit: Edit): Edit {
  return (message) => {
    for (const part of list(message, 'parts')) if (isJsonObject(part)) edit(part)
  }
}

function texts(change: (text: string) => string): Edit {
  return parts((part) => {
    if (typeof part.text === 'string') part.text = change(part.text)
  })
}

function data(change: (value: JsonValue) => JsonValue): Edit {
  return parts((part) => {
    if (part.data !== undefined) part.data = change(part.data)
  })
}

function numbers(change: (value: number) => JsonValue): Edit {
  const walk = (value: JsonValue): JsonValue => {
    if (typeof value === 'number') return change(value)
    if (Array.isArray(value)) return value.map(walk)
    if (!isJsonObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, walk(inner ?? null)]))
  }
  return data(walk)
}

function withoutNulls(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (!isJsonObject(value)) return value
  const kept = Object.entries(value).filter(([, inner]) => inner !== null)
  return Object.fromEntries(kept.map(([name, inner]) => [name, withoutNulls(inner ?? null)]))
}

const ASTRAL = /[\u{10000}-\u{10FFFF}]/gu

const LOSSES: readonly (readonly [string, string, Edit])[] = [
  ['text-trimmed', 'Texts are trimmed when they are kept.', texts((said) => said.trim())],
  ['text-basic-plane', 'Letters outside the basic plane are lost.', texts((said) => said.replaceAll(ASTRAL, '?'))],
  ['text-normalised', 'Texts are normalised.', texts((said) => said.normalize('NFC'))],
  [
    'text-escaped',
    'Texts are escaped for HTML.',
    texts((said) => said.replaceAll('&', '&amp;').replaceAll('<', '&lt;')),
  ],
  ['text-one-line', 'Line separators become spaces.', texts((said) => said.replaceAll(/[\n\u2028]/g, ' '))],
  [
    'parts-first',
    'Only the first part is kept.',
    (message) => put(message, 'parts', list(message, 'parts').slice(0, 1)),
  ],
  [
    'parts-reversed',
    'Parts are kept in another order.',
    (message) => put(message, 'parts', list(message, 'parts').toReversed()),
  ],
  ['numbers-single', 'Numbers are kept in single precision.', numbers(Math.fround)],
  ['numbers-text', 'Large numbers become texts.', numbers((value) => (value > 1e15 ? String(value) : value))],
  ['nulls-dropped', 'Members that are null are dropped from data.', data(withoutNulls)],
  ['data-text', 'Data is kept as text.', data((value) => JSON.stringify(value))],
  [
    'file-name',
    'Names of files are lost.',
    parts((part) => {
      delete part.filename
      put(part, 'file.name', undefined)
    }),
  ],
  [
    'file-type',
    'Media types of files are lost.',
    parts((part) => {
      if ('raw' in part) delete part.mediaType
      put(part, 'file.mimeType', undefined)
    }),
  ],
  [
    'file-bytes',
    'The last bytes of files are lost.',
    parts((part) => {
      if (typeof part.raw === 'string') part.raw = `${part.raw.slice(0, 4)}`
      if (isJsonObject(part.file) && typeof part.file.bytes === 'string') part.file.bytes = part.file.bytes.slice(0, 4)
    }),
  ],
  ['metadata', 'The metadata of messages is lost.', (message) => put(message, 'metadata', undefined)],
  [
    'part-metadata',
    'The metadata of parts is lost.',
    parts((part) => {
      delete part.metadata
    }),
  ],
]

function losses(of: BaseName, names: readonly string[]): Mutant[] {
  return LOSSES.filter(([name]) => names.includes(name)).map(([name, story, edit]) =>
    mutant(`${of}-kept-${name}`, story, histories(edit), of),
  )
}

function astralArtifacts(): Mutation {
  const lose = (value: JsonValue): undefined =>
    each(value, (object) => {
      if (typeof object.text === 'string' && object.text.startsWith('['))
        object.text = object.text.replaceAll(ASTRAL, '?')
    })
  return { result: { any: (result) => lose(result) }, event: (event) => lose(event) }
}

/** In the task of a result, list or event. */
function statuses(edit: (status: JsonObject, task: JsonObject) => void): Mutation {
  const visit = (value: JsonValue): undefined =>
    each(value, (object) => {
      if (isJsonObject(object.status)) edit(object.status, object)
    })
  return { result: { any: (result) => visit(result) }, event: (event) => visit(event) }
}

export const roundTripMutants: Mutant[] = [
  ...losses(
    'spec',
    LOSSES.map(([name]) => name),
  ),
  ...losses('spec03', [
    'text-trimmed',
    'text-basic-plane',
    'parts-first',
    'numbers-single',
    'nulls-dropped',
    'file-name',
    'metadata',
  ]),
  ...(['sendMessage', 'getTask', 'listTasks', 'streamMessage'] as const).map((op) =>
    mutant(
      `kept-text-${op}`,
      `Texts are trimmed in ${op} only.`,
      histories(
        texts((said) => said.trim()),
        [op],
      ),
    ),
  ),
  mutant('echo-basic-plane', 'What the agent says has no letters outside the basic plane.', astralArtifacts()),
  mutant('messages-one-id', 'All direct messages have one id.', {
    result: {
      sendMessage: (sent) => (isJsonObject(sent.message) ? put(sent, 'message.messageId', 'message-1') : undefined),
    },
  }),
  mutant('messages-our-id', 'A direct message has the id of the message it answers.', {
    result: {
      sendMessage: (sent, { params }) =>
        isJsonObject(sent.message) ? put(sent, 'message.messageId', text(params, 'message.messageId')) : undefined,
    },
  }),
  mutant(
    'spec03-messages-one-id',
    'All messages of statuses have one id.',
    statuses((status) => put(status, 'message.messageId', 'message-1')),
    'spec03',
  ),
  mutant(
    'status-message-other-task',
    'The message of a status names another task.',
    statuses((status) => put(status, 'message.taskId', 'another-task')),
  ),
  mutant(
    'status-message-other-context',
    'The message of a status names another context.',
    statuses((status) => put(status, 'message.contextId', 'another-context')),
  ),
  ...(['spec', 'spec03'] as const).map((of: BaseName) =>
    mutant(
      `${of}-artifacts-per-turn`,
      'A finished task shows only the artifacts of its last turn.',
      statuses(({ state }, task) => {
        if (!/completed$/i.test(JSON.stringify(state ?? '').replaceAll('"', ''))) return
        const kept = list(task, 'artifacts').filter((artifact) => !text(artifact, 'name').startsWith('turn-'))
        if (Array.isArray(task.artifacts)) task.artifacts = kept
      }),
      of,
    ),
  ),
  mutant('reads-fall-back', 'Every other read of a working task says that it is submitted.', {
    result: {
      getTask: (task, { memory }) => {
        const key = `reads ${text(task, 'id')}`
        const count = Number(memory.get(key) ?? 0)
        memory.set(key, count + 1)
        if (text(task, 'status.state') === 'TASK_STATE_WORKING' && count % 2 === 1)
          put(task, 'status.state', 'TASK_STATE_SUBMITTED')
        return undefined
      },
    },
  }),
  mutant('stream-artifact-nameless', 'Streamed artifacts have no names.', {
    event: (event) => put(event, 'artifactUpdate.artifact.name', undefined),
  }),
  mutant(
    'spec03-stream-artifact-nameless',
    'Streamed artifacts have no names.',
    {
      event: (event) => {
        put(event, 'artifact.name', undefined)
        return put(event, 'artifactUpdate.artifact.name', undefined)
      },
    },
    'spec03',
  ),
  ...(['push', 'push03'] as const).map((of: BaseName) =>
    mutant(
      `${of}-status-stamped-late`,
      'Notifications carry the time of their delivery.',
      {
        delivery: ({ body }) =>
          each(body, (object) => {
            if (typeof object.timestamp === 'string')
              object.timestamp = new Date(Date.parse(object.timestamp) + 5_000).toISOString()
          }),
      },
      of,
    ),
  ),
  mutant(
    'push-status-mute',
    'Notified statuses have no message.',
    { delivery: ({ body }) => each(body, (object) => put(object, 'status.message', undefined)) },
    'push',
  ),
]
