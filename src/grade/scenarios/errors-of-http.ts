// Answers below A2A that every client meets sooner or later: no body, plain text, a busy server, an answer in pieces.

import type { Reply } from '../../net/serve/reply.ts'
import type { Call } from '../call.ts'
import { HTTP_1, type Scenario, type Surface, type World } from '../scenario.ts'
import { answered, DONE, piecesOf, reply, text } from '../wire-replies.ts'
import { greet } from './intents.ts'

const onSend =
  (answer: (call: Call, surface: Surface) => Reply) =>
  (surface: Surface): World => ({
    answer: (call, next) => (call.isMessage ? answer(call, surface) : next()),
  })

export const errorsOfHttp: readonly Scenario[] = [
  {
    id: 'error-plain-text',
    area: 'errors',
    about: 'The agent answers 500 with plain text.',
    on: HTTP_1,
    intent: greet,
    world: onSend(() => text(500, 'text/plain', 'Internal Server Error')),
    claims: [
      {
        id: 'client-plain-text-error',
        title: 'MUST report an error of plain text',
        proves: ['client-rest-errors', 'client-jsonrpc-error-handling'],
        fix: 'Look at the status first, and show the text to the user.',
        judge(e) {
          e.need(e.sent.length > 0, 'the client sent no message')
          e.expectNoSuccess('the agent answered 500')
        },
      },
    ],
  },
  {
    id: 'error-204',
    area: 'errors',
    about: 'The agent answers 204, which has no body.',
    on: HTTP_1,
    intent: greet,
    world: onSend(() => ({ status: 204, headers: [] })),
    claims: [
      {
        id: 'client-no-content',
        title: 'MUST NOT take 204 for the answer to a message',
        proves: ['client-handles-both-results'],
        fix: 'A message is answered with a task or a message; no content is neither.',
        judge(e) {
          e.need(e.sent.length > 0, 'the client sent no message')
          e.expectNoSuccess('there was no answer')
        },
      },
    ],
  },
  {
    id: 'error-stream-503',
    area: 'errors',
    about: 'A streaming call is answered with 503.',
    on: HTTP_1,
    intent: () => ({ do: 'stream', text: 'count' }),
    world: () => ({
      answer: (call, next) => (call.op === 'streamMessage' ? text(503, 'text/plain', 'Service Unavailable') : next()),
    }),
    claims: [
      {
        id: 'client-stream-503',
        title: 'MUST report 503 on a streaming call',
        proves: ['client-rest-errors'],
        cites: ['a2a-python #502'],
        fix: 'Check the status before you read events.',
        judge(e) {
          e.first('streamMessage')
          e.expectNoSuccess('the agent answered 503')
        },
      },
    ],
  },
  {
    id: 'error-chunked',
    area: 'errors',
    about: 'The answer comes in pieces, and its length is not announced.',
    on: HTTP_1,
    intent: greet,
    world: onSend((call, surface) => {
      if (call.op === 'streamMessage') return reply(surface, call, { task: DONE })
      const { status, headers, body } = answered(surface, call, { task: { ...DONE } as never })
      const whole = typeof body === 'string' ? body : ''
      const middle = Math.floor(whole.length / 2)
      const pieces = [whole.slice(0, middle), whole.slice(middle)]
      return { status, headers, body: { kind: 'messages', feed: piecesOf(pieces) } }
    }),
    claims: [
      {
        id: 'client-reads-chunked',
        title: 'MUST read an answer that comes in pieces',
        proves: ['client-handles-both-results'],
        fix: 'Read to the end of the body, whether or not Content-Length says where that is (RFC 9112 §7.1).',
        judge(e) {
          e.need(e.sent.length > 0, 'the client sent no message')
          e.expectSuccess()
        },
      },
    ],
  },
]
