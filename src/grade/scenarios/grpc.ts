// What is particular to gRPC: service parameters as metadata, how calls end, and bytes that a later release may send
// (1.0 §10).

import { GRPC as STATUS } from '../../bindings/grpc/status.ts'
import { dialectById } from '../../dialects/index.ts'
import { A2AError } from '../../model/errors.ts'
import type { StreamEvent } from '../../model/event.ts'
import type { Reply } from '../../net/serve/reply.ts'
import type { Call } from '../call.ts'
import type { Evidence } from '../evidence.ts'
import {
  endOfCall,
  grpcAnswer,
  grpcEnd,
  grpcLateEnd,
  grpcMessage,
  grpcStream,
  unknownField,
  zippedAnswer,
} from '../grpc-replies.ts'
import { type Claim, GRPC, GRPC_1, type Scenario, type Surface, type World } from '../scenario.ts'
import {
  chunk,
  DONE,
  framesOf,
  piecesOf,
  result,
  status,
  streamOf,
  taskIn,
  WHOLE_STREAM,
  WHOLE_TEXT,
} from '../wire-replies.ts'
import { ask, greet } from './intents.ts'

/** A stream without anything to fold. */
const ONE_CHUNK: readonly StreamEvent[] = [
  { task: taskIn('TASK_STATE_WORKING') },
  chunk(WHOLE_TEXT, { lastChunk: true }),
  status('TASK_STATE_COMPLETED'),
]

/** Messages are answered like this; whoever asks afterwards finds the task done. */
const onMessage =
  (answer: (call: Call, surface: Surface) => Reply) =>
  (surface: Surface): World => ({
    answer: (call, next) => {
      if (call.isMessage) return answer(call, surface)
      if (call.op === 'subscribeTask') return streamOf(surface, call, [{ task: DONE }])
      return call.op === 'getTask' ? result(surface, call, 'getTask', DONE) : next()
    },
  })

const done = (surface: Surface) =>
  dialectById(surface.version).codecs[surface.binding]?.encodeResult('sendMessage', { task: DONE }).wire ?? {}

function expectError(e: Evidence, why: string): void {
  e.need(e.sent.length > 0, 'the client sent no message')
  e.expectNoSuccess(why)
}

function succeeds(id: string, title: Claim['title'], proves: readonly string[], fix: string): Claim {
  return {
    ...{ id, title, proves, fix },
    judge(e) {
      e.need(e.sent.length > 0, 'the client sent no message')
      e.expectSuccess()
      if (e.outcome?.text !== undefined) e.expectText(WHOLE_TEXT)
    },
  }
}

export const grpc: readonly Scenario[] = [
  {
    id: 'grpc-metadata',
    area: 'grpc',
    about: 'Two calls over gRPC of 1.0.',
    on: GRPC_1,
    intent: () => ({ do: 'continue', text: 'first', reply: 'second' }),
    world: () => ({}),
    claims: [
      {
        id: 'client-grpc-version',
        isGeneral: true,
        title: 'MUST name the protocol version in the metadata of every call',
        proves: ['client-grpc-metadata', 'client-version-header'],
        cites: ['a2a-java #1004'],
        fix: 'Send the metadata a2a-version: 1.0 with every call (1.0 §10.2).',
        judge(e) {
          e.need(e.asked.length > 0, 'the client called nothing but the card')
          const named = dialectById(e.surface.version).versionHeader
          const wrong = e.asked.find(({ version }) => version !== named)
          const said = wrong?.version === undefined ? 'no a2a-version' : `a2a-version ${wrong.version}, not ${named}`
          e.expect(wrong === undefined, `${wrong?.op ?? wrong?.path} has ${said}`, wrong)
        },
      },
    ],
  },
  {
    id: 'grpc-tls',
    area: 'grpc',
    about: 'Card and calls go over TLS, with a certificate of an authority that the user trusts.',
    on: GRPC,
    intent: (stage) => ({ ...greet(), authority: stage.authority }),
    world: () => ({ secured: 'trusted' }),
    claims: [
      {
        id: 'client-grpc-tls',
        title: 'MUST speak TLS with an interface of gRPC whose URL begins with https',
        proves: ['client-correct-url', 'client-credentials-encrypted'],
        fix: 'Make a secure channel, with the authorities that the user trusts, when the URL of the interface says https.',
        judge(e) {
          e.need(e.calls.length > 0, 'the client cannot be told whom to trust')
          e.expect(e.sent.length > 0, 'the client read the card over TLS, and did not call the agent', e.calls.at(-1))
          e.expectSuccess()
        },
      },
    ],
  },
  {
    id: 'grpc-late-error',
    area: 'grpc',
    about: 'The agent begins its answer, and then refuses in the trailers.',
    on: GRPC,
    intent: greet,
    world: onMessage((_call, { version }) => {
      const error = new A2AError('UnsupportedOperation', 'Not here.')
      return grpcLateEnd(dialectById(version).errors().encodeGrpc(error))
    }),
    claims: [
      {
        id: 'client-grpc-trailers',
        title: 'MUST read the status of a call from its trailers',
        proves: ['client-handles-both-results'],
        fix: 'Read the status of a call from the trailers, or from the headers when nothing else was sent.',
        judge(e) {
          expectError(e, 'the call ended with an error')
        },
      },
    ],
  },
  {
    id: 'grpc-trailers-only',
    area: 'grpc',
    about: 'The answer has only headers, with status and message.',
    on: GRPC,
    intent: greet,
    world: onMessage(() =>
      grpcEnd({ code: STATUS.invalidArgument, message: 'Nein, so nicht: 100 % falsch.', details: [] }),
    ),
    claims: [
      {
        id: 'client-grpc-trailers-only',
        title: 'MUST report an error that has no details',
        proves: ['client-handles-both-results'],
        fix: 'Take the status itself where grpc-status-details-bin is missing.',
        judge(e) {
          expectError(e, 'the call ended with INVALID_ARGUMENT')
        },
      },
    ],
  },
  {
    id: 'grpc-deadline',
    area: 'grpc',
    about: 'The call ends with DEADLINE_EXCEEDED.',
    on: GRPC,
    intent: greet,
    world: onMessage(() => grpcEnd({ code: STATUS.deadlineExceeded, message: 'too late', details: [] })),
    claims: [
      {
        id: 'client-grpc-deadline',
        title: 'MUST report a call whose deadline has passed, and not send it again',
        proves: ['client-handles-both-results', 'client-stream-reconnect'],
        fix: 'The message may have been received: report it, or ask for the task.',
        judge(e) {
          expectError(e, 'the deadline of the call was over')
          e.expect(e.sent.length === 1, `the client sent its message ${e.sent.length} times`, e.sent.at(-1))
        },
      },
    ],
  },
  {
    id: 'grpc-unimplemented',
    area: 'grpc',
    about: 'The agent does not know the rpc.',
    on: GRPC,
    intent: greet,
    world: onMessage(() => grpcEnd({ code: STATUS.unimplemented, message: 'unknown method', details: [] })),
    claims: [
      {
        id: 'client-grpc-unimplemented',
        title: 'MUST report an rpc that the agent does not have',
        proves: ['client-handles-both-results'],
        fix: 'UNIMPLEMENTED is an error; the same call will be refused again.',
        judge(e) {
          expectError(e, 'the agent does not have the rpc')
          e.expect(e.sent.length <= 3, `the client repeated the call ${e.sent.length} times`, e.sent.at(-1))
        },
      },
    ],
  },
  {
    id: 'grpc-unavailable-mid-stream',
    area: 'grpc',
    about: 'The stream ends with UNAVAILABLE while the task is still working.',
    on: GRPC,
    intent: ask,
    world: onMessage((call, surface) => {
      const frames = framesOf(surface, call, WHOLE_STREAM).slice(0, 3)
      return grpcStream(piecesOf(frames), endOfCall(STATUS.unavailable, 'going away'))
    }),
    claims: [
      {
        id: 'client-grpc-stream-status',
        title: 'MUST NOT treat a stream that ends with an error as the end of the task',
        proves: ['client-stream-close-is-end'],
        fix: 'Look at the status of the call when the messages end; subscribe again, or ask for the task.',
        judge(e) {
          e.first('streamMessage')
          e.expectEnded()
          const hasAsked = e.of('subscribeTask', 'getTask').length > 0
          e.expect(
            hasAsked || !e.reportsSuccess,
            'the client reports success although the stream ended with UNAVAILABLE',
            e.first('streamMessage'),
          )
        },
      },
    ],
  },
  {
    id: 'grpc-unknown-fields',
    area: 'grpc',
    about: 'The answer has unknown fields.',
    on: GRPC,
    intent: greet,
    world: onMessage((call, surface) => {
      const more = unknownField(999, 'from the future')
      if (call.op === 'sendMessage') return grpcAnswer(grpcMessage(call, done(surface), more))
      return grpcStream(piecesOf([grpcMessage(call, done(surface), more)]))
    }),
    claims: [
      succeeds(
        'client-grpc-unknown-fields',
        'SHOULD skip fields that it does not know',
        ['client-unknown-fields'],
        'Use a generated decoder: every one of them skips unknown fields.',
      ),
    ],
  },
  {
    id: 'grpc-gzip',
    area: 'grpc',
    about: 'Answers are compressed when the client accepts it.',
    on: GRPC,
    intent: greet,
    world: onMessage((call, surface) => {
      const message = grpcMessage(call, done(surface))
      const accepts = /\bgzip\b/.test(call.headers['grpc-accept-encoding'] ?? '')
      if (call.op === 'sendMessage') return accepts ? zippedAnswer(message) : grpcAnswer(message)
      return grpcStream(piecesOf([message]))
    }),
    claims: [
      succeeds(
        'client-grpc-reads-gzip',
        'MUST read an answer in an encoding that it accepts',
        ['client-handles-both-results'],
        'Name in grpc-accept-encoding only what you can decode.',
      ),
    ],
  },
  {
    id: 'grpc-torn',
    area: 'grpc',
    about: 'Messages are split over several chunks, or arrive two at a time.',
    on: GRPC,
    intent: ask,
    world: onMessage((call, surface) => {
      // A client that does not stream is answered with one message.
      const isPlain = call.op === 'sendMessage'
      const frames = isPlain ? [grpcMessage(call, done(surface))] : framesOf(surface, call, ONE_CHUNK)
      const bytes = Buffer.concat(frames)
      const pieces: Buffer[] = []
      for (let at = 0; at < bytes.length; at += 11) pieces.push(bytes.subarray(at, at + 11))
      return grpcStream(piecesOf(pieces))
    }),
    claims: [
      succeeds(
        'client-grpc-torn',
        'MUST read messages that are split over several chunks',
        ['client-stream-all-members'],
        'A message is as long as its prefix says, however the bytes arrive.',
      ),
    ],
  },
]
