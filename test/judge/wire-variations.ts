// Ways of sending the same: pieces, headers, media types, spacing and escapes of JSON, fields of server-sent events.

import { isJsonObject, type JsonValue } from '../../src/model/json.ts'
import type { BaseName } from '../mutants/bases.ts'
import type { Mutation } from '../mutants/mutant.ts'
import { allOf, type Variation, variation } from './variation.ts'

/** One check or two of everything that reads an answer. */
export const READING = [
  ...['jsonrpc-envelope', 'jsonrpc-id-echo', 'jsonrpc-content-type', 'jsonrpc-parse-error', 'rest-content-type'],
  ...['rest-error-object', 'rest-error-info', 'send-result', 'send-snapshot', 'send-follow-up', 'send-message-only'],
  ...['get-task-current', 'get-task-unknown', 'get-task-idempotent', 'list-answers', 'list-empty', 'list-cursor'],
  ...['cancel-state', 'cancel-finished', 'card-valid', 'card-available', 'card-utf8', 'equivalence-results'],
  ...[
    'schema',
    'data-model',
    'message-unaltered',
    'error-task-not-found',
    'stream-unknown-task',
    'stream-missing-message',
  ],
]

/** And of what reads streams. */
export const STREAMING = ['streaming', 'stream-frames', 'stream-error-jsonrpc', 'subscribe-works', 'subscribe-complete']

const ALL_BASES = ['spec', 'spec03', 'legacy'] as const

function onEach(name: string, story: string, mutation: Mutation, areas: readonly string[]): Variation[] {
  return allOf(ALL_BASES, name, story, mutation, areas)
}

function once(name: string, story: string, mutation: Mutation, areas = READING, of: BaseName = 'spec'): Variation {
  return variation(name, story, mutation, areas, of)
}

/** Rewrites the text of JSON bodies and of the data of events. */
function rewritten(write: (value: JsonValue) => string): Mutation {
  const again = (json: string) => {
    try {
      return write(JSON.parse(json) as JsonValue)
    } catch {
      return json
    }
  }
  return {
    reply: (reply) => {
      if (reply.text !== '') reply.text = again(reply.text)
    },
    frame: (frame) => frame.replace(/^data: (.*)$/m, (_, json: string) => `data: ${again(json)}`),
  }
}

function reversed(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(reversed)
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([name, inner]) => [name, reversed(inner ?? null)]),
  )
}

function ascii(text: string): string {
  return text.replaceAll(/[\u0080-\uFFFF]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

function typed(change: (type: string) => string): Mutation {
  return {
    reply: (reply) => {
      const type = reply.headers['content-type']
      if (type !== undefined) reply.headers['content-type'] = change(type)
    },
  }
}

function frames(change: (frame: string, isFirst: boolean) => string): Mutation {
  return { frame: (frame, { sent }) => change(frame, sent.length === 1) }
}

export const WIRE_VARIATIONS: readonly Variation[] = [
  ...onEach('in-pieces', 'Answers and events come in pieces of 23 bytes.', { wire: { pieces: 23 } }, [
    ...READING,
    'streaming',
  ]),
  once('delayed', 'Every answer takes a tenth of a second.', { wire: { delayMs: 100 } }),
  once('headers-in-capitals', 'Names of headers are in capitals.', { wire: { capitals: true } }, [
    ...READING,
    'streaming',
  ]),
  once('gzip-when-asked', 'Answers are compressed for those who take it.', { wire: { gzip: true } }),
  once('closes-connections', 'The connection is closed after every answer.', {
    reply: (reply) => {
      reply.headers.connection = 'close'
    },
  }),
  once('more-headers', 'Answers have headers of a gateway.', {
    reply: (reply) => {
      Object.assign(reply.headers, {
        'x-request-id': 'r-1',
        via: '1.1 gateway',
        'set-cookie': 'a=b',
        vary: 'Accept',
        server: 'x/1',
      })
    },
  }),
  ...onEach(
    'charset',
    'Media types name their charset.',
    typed((type) => (type.includes(';') ? type : `${type}; charset=utf-8`)),
    [...READING, 'streaming'],
  ),
  once(
    'type-in-capitals',
    'Media types are in capitals.',
    typed((type) => type.toUpperCase()),
    [...READING, 'streaming'],
  ),
  once(
    'type-with-spaces',
    'There is space around the parameters of media types.',
    typed((type) => `${type} ; q="x"`),
    READING,
  ),
  ...onEach(
    'pretty-json',
    'JSON has spaces and line ends.',
    { reply: rewritten((value) => JSON.stringify(value, null, 2)).reply ?? (() => {}) },
    READING,
  ),
  ...onEach(
    'ascii-json',
    'Letters outside ASCII are escaped.',
    rewritten((value) => ascii(JSON.stringify(value))),
    [...READING, 'stream-frames'],
  ),
  ...onEach(
    'reversed-members',
    'Members come in another order.',
    rewritten((value) => JSON.stringify(reversed(value))),
    [...READING, ...STREAMING],
  ),
  once(
    'numbers-as-doubles',
    'Whole numbers in data are written with a fraction of zero.',
    {
      reply: (reply) => {
        reply.text = reply.text.replaceAll(/"(latencyMs|tokensProcessed)":(\d+)/g, '"$1":$2.0')
      },
      frame: (frame) => frame.replaceAll(/"(latencyMs|tokensProcessed)":(\d+)/g, '"$1":$2.0e0'),
    },
    ['contents', 'send-snapshot', 'list-artifacts', 'stream-artifacts'],
  ),
  ...onEach(
    'sse-comments',
    'Streams have comments in between.',
    frames((frame) => `: still there\n\n${frame}:\n\n`),
    STREAMING,
  ),
  once(
    'sse-retry',
    'Streams say when to come again.',
    frames((frame, isFirst) => (isFirst ? `retry: 2000\n\n${frame}` : frame)),
    STREAMING,
  ),
  once(
    'sse-ids',
    'Events have ids.',
    frames((frame) => `id: 7-${frame.length}\n${frame}`),
    STREAMING,
  ),
  ...onEach(
    'sse-crlf',
    'Lines of events end with CRLF.',
    frames((frame) => frame.replaceAll('\n', '\r\n')),
    STREAMING,
  ),
  once(
    'sse-cr',
    'Lines of events end with CR.',
    frames((frame) => frame.replaceAll('\n', '\r')),
    STREAMING,
  ),
  once(
    'sse-no-space',
    'There is no space after the colon.',
    frames((frame) => frame.replaceAll('data: ', 'data:')),
    STREAMING,
  ),
  once(
    'sse-named-message',
    'Events are named "message".',
    frames((frame) => `event: message\n${frame}`),
    STREAMING,
  ),
  ...onEach(
    'sse-many-lines',
    'The data of an event takes several lines.',
    frames((frame) =>
      frame.replace(/^data: (.*)$/m, (_, json: string) => {
        const lines = JSON.stringify(JSON.parse(json), null, 1).split('\n')
        return lines.map((line) => `data: ${line}`).join('\n')
      }),
    ),
    STREAMING,
  ),
  once(
    'sse-bom',
    'A stream begins with a byte order mark.',
    frames((frame, isFirst) => (isFirst ? `\uFEFF${frame}` : frame)),
    STREAMING,
  ),
]
