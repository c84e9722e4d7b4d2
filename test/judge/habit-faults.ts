// Single faults that come from the habits of libraries: one wrong setting of a serialiser, a router or a store.

import { isJsonObject, type JsonObject, type JsonValue } from '../../src/model/json.ts'
import { at, each, type Mutation, put, text } from '../mutants/mutant.ts'
import { everywhere } from '../mutants/task-edits.ts'

/** Name, the checks that may tell it, story, what is wrong. */
export const HABIT_FAULTS: readonly (readonly [string, string, string, Mutation])[] = [
  [
    'states-as-numbers',
    'json-enums',
    'Enums are written as their numbers.',
    everywhere((object) => {
      if (typeof object.state === 'string') object.state = STATES.indexOf(object.state)
    }),
  ],
  [
    'times-as-seconds',
    'json-timestamps',
    'Timestamps are seconds since 1970.',
    everywhere((object) => {
      if (typeof object.timestamp === 'string') object.timestamp = Date.parse(object.timestamp) / 1000
    }),
  ],
  [
    'times-with-offset',
    'json-timestamps',
    'Timestamps are written with an offset instead of Z.',
    everywhere((object) => {
      if (typeof object.timestamp === 'string') object.timestamp = object.timestamp.replace('Z', '+00:00')
    }),
  ],
  [
    'bytes-as-numbers',
    'part-raw-base64',
    'Bytes are written as a list of numbers.',
    everywhere((object) => {
      if (typeof object.raw === 'string') object.raw = [...Buffer.from(object.raw, 'base64')]
    }),
  ],
  [
    'total-as-text',
    'schema-list',
    'The counters of a list are texts.',
    { result: { listTasks: (page) => put(page, 'totalSize', JSON.stringify(at(page, 'totalSize'))) } },
  ],
  [
    'events-joined',
    'stream-wellformed',
    'The data of an event holds its JSON twice.',
    { frame: (frame) => frame.replace(/^data: (.*)$/m, (_, json: string) => `data: ${json}${json}`) },
  ],
  [
    'extensions-lost',
    'message-unaltered',
    'Messages are kept without their extensions.',
    inHistories((message) => delete message.extensions),
  ],
  [
    'references-lost',
    'message-unaltered',
    'Messages are kept without the tasks they refer to.',
    inHistories((message) => delete message.referenceTaskIds),
  ],
  [
    'empty-lists-null',
    'message-unaltered',
    'Empty lists in kept data are null.',
    inHistories((message) => {
      if (Array.isArray(message.parts)) for (const part of message.parts) if (isJsonObject(part)) nullLists(part.data)
    }),
  ],
  [
    'card-url-without-scheme',
    'card-interface-url',
    'The url of an interface is host, port and path.',
    {
      card: (card) => {
        const url = text(card, 'supportedInterfaces.1.url')
        return put(card, 'supportedInterfaces.1.url', url.replace(/^https?:\/\//, ''))
      },
    },
  ],
]

const STATES = [
  ...['TASK_STATE_UNSPECIFIED', 'TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING', 'TASK_STATE_COMPLETED'],
  ...['TASK_STATE_FAILED', 'TASK_STATE_CANCELED', 'TASK_STATE_INPUT_REQUIRED', 'TASK_STATE_REJECTED'],
  'TASK_STATE_AUTH_REQUIRED',
]

function inHistories(edit: (message: JsonObject) => void): Mutation {
  return everywhere((object) => {
    const { history } = object
    if (Array.isArray(history)) for (const message of history) if (isJsonObject(message)) edit(message)
  })
}

function nullLists(value: JsonValue | undefined): void {
  if (value === undefined) return
  each(value, (object) => {
    for (const inner of Object.values(object))
      if (Array.isArray(inner))
        for (const [at, item] of inner.entries()) if (Array.isArray(item) && item.length === 0) inner[at] = null
  })
}
