// Habits of frameworks: correct agents that write, answer and declare things as this or that library does.

import { isJsonObject, type JsonObject, type JsonValue } from '../../src/model/json.ts'
import type { BaseName } from '../mutants/bases.ts'
import { at, type Mutation, put, text } from '../mutants/mutant.ts'
import { everywhere } from '../mutants/task-edits.ts'
import { type Variation, variation } from './variation.ts'

/** Every check that looks at tasks, errors, streams or the card: habits show anywhere. */
const ALL = [
  ...[
    'card',
    'card-interfaces',
    'card-skills',
    'card-claims',
    'errors-jsonrpc',
    'errors-rest',
    'error-mapping',
    'version',
  ],
  ...[
    'send',
    'get-task',
    'cancel',
    'list',
    'list-pages',
    'validation',
    'contents',
    'round-trips',
    'schema',
    'data-model',
  ],
  ...['streaming', 'stream-frames', 'subscribe', 'equivalence', 'consistency', 'task-progress', 'agent-messages'],
]
const PUSH = ['push', 'push-delivery', 'push-errors', 'same-everywhere']

function habit(name: string, story: string, mutation: Mutation, areas = ALL, of: BaseName = 'spec'): Variation {
  return variation(name, story, mutation, areas, of)
}

/** Rewrites the JSON of answers and events as text. */
function texts(change: (json: string) => string): Mutation {
  return {
    reply: (reply) => {
      if (reply.text !== '') reply.text = change(reply.text)
    },
    frame: (frame) => change(frame),
  }
}

/** The artifacts of a task keep their ids, however the id is written. */
function withArtifacts(edit: (artifact: JsonObject) => void): Mutation {
  return everywhere((object) => {
    if (typeof object.artifactId === 'string') edit(object)
  })
}

const isTask = (object: JsonObject) => typeof object.id === 'string' && isJsonObject(object.status)

/** Answers a deletion without a body, where HTTP has a status for that. */
const NO_CONTENT: Mutation = {
  reply: (reply, call) => {
    if (call.isRpc || call.op !== 'deletePushConfig' || reply.status !== 200) return
    reply.status = 204
    reply.text = ''
    delete reply.headers['content-type']
    delete reply.headers['content-length']
  },
}

export const HABIT_VARIATIONS: readonly Variation[] = [
  habit(
    'microseconds',
    'Timestamps have six digits of fraction, as Python writes them.',
    everywhere((object) => {
      if (typeof object.timestamp === 'string') object.timestamp = object.timestamp.replace(/(\.\d{3})Z$/, '$1417Z')
    }),
  ),
  habit(
    'nanoseconds',
    'Timestamps have nine digits of fraction, as Go and Java write them.',
    everywhere((object) => {
      if (typeof object.timestamp === 'string') object.timestamp = object.timestamp.replace(/(\.\d{3})Z$/, '$1417093Z')
    }),
  ),
  habit(
    'html-escapes',
    'JSON escapes <, > and &, as Go does.',
    texts((json) => json.replaceAll('<', '\\u003c').replaceAll('>', '\\u003e').replaceAll('&', '\\u0026')),
  ),
  habit(
    'slash-escapes',
    'JSON escapes slashes, as PHP does.',
    texts((json) => json.replaceAll(/(?<=[^\\])\//g, '\\/')),
    ALL.filter((area) => area !== 'stream-frames'),
  ),
  habit(
    'defaults-everywhere',
    'Every member at its default is written out, as protobuf libraries do when asked to.',
    everywhere((object) => {
      if (isTask(object)) Object.assign(object, { metadata: {}, history: [], artifacts: [], ...object })
      if (typeof object.messageId === 'string')
        Object.assign(object, { extensions: [], referenceTaskIds: [], metadata: {}, ...object })
      if (typeof object.text === 'string' && !('list' in object))
        Object.assign(object, { filename: '', mediaType: '', metadata: {}, ...object })
    }),
    ALL.filter((area) => area !== 'list'),
  ),
  habit(
    'zero-is-negative',
    'Zero is written as -0, as some readers of doubles keep it.',
    texts((json) => json.replaceAll('"zero":0,', '"zero":-0,')),
    ['round-trips'],
  ),
  habit(
    'bytes-in-urls',
    'Bytes are written in the alphabet for URLs, without padding.',
    everywhere((object) => {
      if (typeof object.raw === 'string')
        object.raw = object.raw.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
    }),
  ),
  habit(
    'empty-file',
    'A file has no bytes in it.',
    everywhere((object) => {
      if (typeof object.raw === 'string' && object.filename !== undefined && !text(object, 'filename').includes('😀'))
        object.raw = ''
    }),
    ['contents', 'schema', 'data-model', 'send-snapshot', 'stream-artifacts'],
  ),
  habit(
    'text-like-json',
    'Structured data is a text that begins like JSON and is none.',
    everywhere((object) => {
      if (object.data !== undefined && !('messageId' in object)) object.data = '[draft] of a list'
    }),
    ['contents', 'schema', 'data-model'],
  ),
  habit(
    'unknown-members',
    'Every object has a member of a later version.',
    everywhere((object) => {
      if (isTask(object) || typeof object.messageId === 'string' || typeof object.artifactId === 'string')
        Object.assign(object, { laterMember: { is: ['unknown'] }, priority: 'high' })
    }),
  ),
  habit(
    'more-capabilities',
    'The card declares capabilities and members of a later version.',
    {
      card: (card) => {
        put(card, 'capabilities.longPolling', true)
        put(card, 'capabilities.quota', { perMinute: 5 })
        put(card, 'preferredLanguages', ['en', 'de'])
        return card
      },
    },
    [...ALL, 'card-http'],
  ),
  habit(
    'sse-unknown-fields',
    'Events have fields nobody knows, and a line that is only a name.',
    { frame: (frame) => `trace: 00-ab\nnoise\n${frame}` },
    ['streaming', 'stream-frames', 'subscribe', 'stream-twins', 'stream-validation'],
  ),
  habit(
    'sse-heartbeats',
    'Streams send an empty comment before and after every event, and end lines with CRLF.',
    { frame: (frame) => `:\r\n\r\n${frame.replaceAll('\n', '\r\n')}: ping - 2026\r\n\r\n` },
    ['streaming', 'stream-frames', 'subscribe', 'stream-twins'],
  ),
  habit(
    'artifact-ids-of-urls',
    'Ids of artifacts are URLs.',
    withArtifacts((artifact) => put(artifact, 'artifactId', `urn:x:/a/${text(artifact, 'artifactId')}`)),
  ),
  habit('no-content', 'A deletion is answered with 204 and no body.', NO_CONTENT, PUSH, 'push'),
  habit('error-helps', 'Errors have more details than the protocol asks for.', {
    error: (error) => {
      const more = { '@type': 'type.googleapis.com/google.rpc.RequestInfo', requestId: 'r-1' }
      for (const name of ['data', 'details']) {
        const list = at(error, name)
        if (Array.isArray(list)) put(error, name, [...(list as JsonValue[]), more])
      }
      return undefined
    },
  }),
]
