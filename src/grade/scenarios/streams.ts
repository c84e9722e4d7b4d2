// How a client reads streams: server-sent events as the standard defines them, and what the events say (1.0 §3.2.3, §9.4.2).

import { isHttp1 } from '../../bindings/registry.ts'
import { dialectById } from '../../dialects/index.ts'
import type { StreamEvent } from '../../model/event.ts'
import type { Piece, Reply } from '../../net/serve/reply.ts'
import type { Call } from '../call.ts'
import { type Claim, EVERYWHERE, HTTP_1, type Scenario, type Surface } from '../scenario.ts'
import {
  chunk,
  DONE,
  eventStream,
  frame,
  payloads,
  result,
  status,
  streamOf,
  taskIn,
  WHOLE_STREAM,
  WHOLE_TEXT,
} from '../wire-replies.ts'
import { ask } from './intents.ts'

type Spelling = (data: readonly string[]) => Piece[]

/** Every stream is spelled in this way. */
const spelled =
  (spell: Spelling, events: readonly StreamEvent[] = WHOLE_STREAM) =>
  (surface: Surface) => ({ answer: scripted(surface, (call) => eventStream(spell(payloads(surface, call, events)))) })

export const played = (events: readonly StreamEvent[]) => (surface: Surface) => ({
  answer: scripted(surface, (call) => streamOf(surface, call, events)),
})

/** Streams are answered like this; whoever asks afterwards finds the task done. */
export function scripted(surface: Surface, stream: (call: Call) => Reply) {
  return (call: Call, next: () => ReturnType<NonNullable<import('../scenario.ts').World['answer']>>) => {
    if (call.op === 'streamMessage' || call.op === 'subscribeTask') return stream(call)
    return call.op === 'getTask' ? result(surface, call, 'getTask', DONE) : next()
  }
}

export function readsAll(id: string, title: Claim['title'], fix: string, cites: readonly string[] = []): Claim {
  return {
    ...{ id, title, fix, cites },
    proves: ['client-stream-sse-robust'],
    judge(e) {
      e.first('streamMessage')
      e.expectSuccess()
      if (e.outcome !== undefined) e.expectText(WHOLE_TEXT)
    },
  }
}

function sse(id: string, about: string, spell: Spelling, claim: Claim): Scenario {
  return { id: `stream-${id}`, area: 'streams', about, on: HTTP_1, intent: ask, world: spelled(spell), claims: [claim] }
}

const all = (end: string) => (data: readonly string[]) => [data.map((each) => frame(each, end)).join('')]

/** One byte at a time, so that every character and every line end is torn apart. */
const torn: Spelling = (data) => {
  const bytes = Buffer.from(data.map((each) => frame(each, '\r\n')).join(''))
  // Every byte by itself where lines end or characters are longer than a byte; the rest in small pieces.
  const pieces: Uint8Array[] = []
  for (let at = 0; at < bytes.length; ) {
    const size = bytes.subarray(at, at + 7).every((byte) => byte < 128 && byte > 13) ? 7 : 1
    pieces.push(bytes.subarray(at, at + size))
    at += size
  }
  return pieces
}

export const streams: readonly Scenario[] = [
  {
    id: 'stream-whole',
    area: 'streams',
    about: 'A stream of six events as most agents send it.',
    on: EVERYWHERE,
    intent: ask,
    world: played(WHOLE_STREAM),
    claims: [
      readsAll(
        'client-reads-stream',
        'MUST read a stream to its end',
        'Read events until the stream is closed, and fold them.',
      ),
      {
        id: 'client-accepts-event-stream',
        title: 'SHOULD ask for text/event-stream',
        proves: ['client-stream-sse-robust'],
        fix: 'Send Accept: text/event-stream with streaming operations.',
        judge(e) {
          const call = e.first('streamMessage')
          e.need(isHttp1(e.surface.binding), 'gRPC has no server-sent events')
          const accept = call.headers.accept ?? ''
          e.expect(/text\/(?:event-stream|\*)|\*\/\*/.test(accept), `Accept is "${accept}"`, call)
        },
      },
      {
        id: 'client-counts-events',
        title: 'MUST NOT lose events of a stream',
        proves: ['client-stream-all-members'],
        fix: 'Deliver every event of the stream, also when several arrive together.',
        judge(e) {
          e.first('streamMessage')
          const { events } = e.understood
          e.need(events !== undefined, 'the client does not count events')
          const sent = dialectById(e.surface.version).hasDirectReplies ? WHOLE_STREAM.length : undefined
          e.expect(
            sent === undefined || events === sent,
            `the client has seen ${events} of ${sent} events`,
            e.first('streamMessage'),
          )
        },
      },
    ],
  },
  sse(
    'lf',
    'Lines end with LF.',
    all('\n'),
    readsAll('client-sse-lf', 'MUST read lines that end with LF', 'Split at LF.'),
  ),
  sse(
    'crlf',
    'Lines end with CRLF.',
    all('\r\n'),
    readsAll(
      'client-sse-crlf',
      'MUST read lines that end with CRLF',
      'CR, LF and CRLF all end a line of server-sent events.',
    ),
  ),
  sse(
    'cr',
    'Lines end with CR alone.',
    all('\r'),
    readsAll('client-sse-cr', 'MUST read lines that end with CR', 'CR alone ends a line, too.', ['a2a-js #714']),
  ),
  sse(
    'crlf-split',
    'CR and LF of one line end arrive in two chunks.',
    (data) => data.flatMap((each) => [`data: ${each}\r`, '\n\r', '\n']),
    readsAll(
      'client-sse-crlf-split',
      'MUST read a CRLF that is split over two chunks',
      'Remember a CR at the end of a chunk.',
    ),
  ),
  sse(
    'bytes',
    'Every line end and every character arrives split over several chunks.',
    torn,
    readsAll('client-sse-torn', 'MUST read events that arrive byte by byte', 'Decode UTF-8 and lines across chunks.'),
  ),
  sse(
    'comments',
    'There are comments before and between the events.',
    (data) => [': hello\n\n', ...data.map((each) => `: keep-alive\n\n${frame(each)}:\n`)],
    readsAll('client-sse-comments', 'MUST skip comments', 'A line that begins with a colon is a comment.', [
      'a2a-python #540',
      'a2a-go #99',
    ]),
  ),
  sse(
    'data-lines',
    'The data of an event comes in several lines.',
    (data) =>
      data.map(
        (each) =>
          `${pretty(each)
            .map((line) => `data: ${line}\n`)
            .join('')}\n`,
      ),
    readsAll('client-sse-data-lines', 'MUST join the data lines of an event', 'Join data lines with LF, then parse.', [
      'a2a-java #841',
    ]),
  ),
  sse(
    'no-space',
    'There is no space after the colon.',
    (data) => data.map((each) => `data:${each}\n\n`),
    readsAll('client-sse-no-space', 'MUST read fields without a space after the colon', 'The space is optional.'),
  ),
  sse(
    'fields',
    'Events have id, event, retry and unknown fields.',
    (data) => data.map((each, at) => `id: ${at}\nevent: message\nretry: 5000\nfuture: yes\n${frame(each)}`),
    readsAll('client-sse-fields', 'MUST read past fields that it does not use', 'Ignore unknown fields of an event.'),
  ),
  sse(
    'bom',
    'The stream begins with a byte order mark.',
    (data) => ['\u{feff}', all('\n')(data)[0] ?? ''],
    readsAll('client-sse-bom', 'MUST skip a byte order mark', 'Strip U+FEFF at the very beginning of the stream.'),
  ),
  {
    id: 'stream-unicode',
    area: 'streams',
    about: 'Multi-byte characters are split over several chunks.',
    on: HTTP_1,
    intent: ask,
    world: spelled(torn, [
      { task: taskIn('TASK_STATE_WORKING') },
      chunk('größer 世界 🚀', { lastChunk: true }),
      status('TASK_STATE_COMPLETED'),
    ]),
    claims: [
      {
        id: 'client-utf8-torn',
        title: 'MUST decode multi-byte characters that arrive in several chunks',
        proves: ['client-stream-sse-robust'],
        fix: 'Use a streaming UTF-8 decoder, which keeps its state between chunks.',
        judge(e) {
          e.first('streamMessage')
          e.expectSuccess()
          e.expectText('größer 世界 🚀')
        },
      },
    ],
  },
]

function pretty(json: string): string[] {
  return JSON.stringify(JSON.parse(json), undefined, 1).split('\n')
}
