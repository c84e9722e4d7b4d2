// Whether a client tells errors apart and hands them to its user (1.0 §3.3.2, §9.5, §11.6).

import { gzipSync } from 'node:zlib'
import { isEnveloped, isHttp1 } from '../../bindings/registry.ts'
import { dialectById } from '../../dialects/index.ts'
import { A2AError, type A2AErrorKind } from '../../model/errors.ts'
import type { JsonValue } from '../../model/json.ts'
import type { Reply } from '../../net/serve/reply.ts'
import type { Evidence } from '../evidence.ts'
import { ALL_1, EVERYWHERE, HTTP_1, type Scenario, type Surface, type World } from '../scenario.ts'
import { DONE, eventStream, frame, payload, refused, reply, text } from '../wire-replies.ts'
import { greet } from './intents.ts'

const onSend =
  (answer: (call: Parameters<NonNullable<World['answer']>>[0], surface: Surface) => Reply) =>
  (surface: Surface): World => ({
    answer: (call, next) => (call.isMessage ? answer(call, surface) : next()),
  })

function expectError(e: Evidence, why: string): void {
  e.need(e.sent.length > 0, 'the client sent no message')
  e.expectNoSuccess(why)
}

const TOLD_APART = [
  'TaskNotFound',
  'UnsupportedOperation',
  'ContentTypeNotSupported',
  'InvalidAgentResponse',
  'ExtensionSupportRequired',
  'InternalError',
] as const satisfies readonly A2AErrorKind[]

/** By its name, by the number it has in this version, or by a status that says enough. */
function expectKind(e: Evidence, kind: A2AErrorKind): void {
  const { error, outcome } = e.understood
  e.expect(outcome === 'error', `the client understood ${outcome}, not an error`, e.calls.at(-1))
  e.need(error?.kind !== undefined || error?.code !== undefined, 'the client does not say which error it was')
  const code = numberOf(e.surface, kind)
  const named = (error?.kind ?? '')
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '')
    .replace(/error$/, '')
  e.expect(
    named === kind.toLowerCase().replace(/error$/, '') ||
      error?.code === code ||
      error?.code === ownStatus(e.surface, kind),
    `the client reports ${error?.kind ?? ''} ${error?.code ?? ''}, not ${kind} (${JSON.stringify(code)})`,
    e.calls.at(-1),
  )
}

function numberOf({ version }: Surface, kind: A2AErrorKind): JsonValue | undefined {
  return dialectById(version).errors().encodeJsonRpc(new A2AError(kind, kind)).code
}

/** An internal error is none of A2A's own (1.0 §3.3.2): without an envelope its status says all there is. */
function ownStatus({ version, binding }: Surface, kind: A2AErrorKind): number | undefined {
  if (isEnveloped(binding) || kind !== 'InternalError') return undefined
  const errors_ = dialectById(version).errors()
  const error = new A2AError(kind, kind)
  return !isHttp1(binding) ? errors_.encodeGrpc(error).code : errors_.encodeRest(error).status
}

function telling(kind: A2AErrorKind): Scenario {
  const id = kind.replaceAll(/(?<=.)([A-Z])/g, '-$1').toLowerCase()
  return {
    id: `error-${id}`,
    area: 'errors',
    about: `The agent answers ${kind}.`,
    on: ALL_1,
    intent: greet,
    world: onSend((call, surface) => refused(surface, call, kind)),
    claims: [
      {
        id: `client-tells-${id}`,
        title: `MUST tell ${kind} from other errors`,
        proves: ['client-jsonrpc-error-handling', 'client-rest-errors'],
        cites: ['a2a-rs #103', 'a2a-dotnet #331'],
        fix: 'Keep the code of a JSON-RPC error, and ErrorInfo.reason of HTTP+JSON and gRPC: many errors share a status.',
        judge(e) {
          expectError(e, `the agent answered ${kind}`)
          expectKind(e, kind)
        },
      },
    ],
  }
}

export const errors: readonly Scenario[] = [
  {
    id: 'error-any',
    area: 'errors',
    about: 'The agent refuses the message.',
    on: EVERYWHERE,
    intent: greet,
    world: onSend((call, surface) => refused(surface, call, 'InvalidParams')),
    claims: [
      {
        id: 'client-error-is-no-success',
        title: 'MUST report an error of the agent',
        proves: ['client-jsonrpc-error-handling', 'client-rest-errors'],
        fix: 'An answer with error, or a status of 400 and above, is a failure.',
        judge(e) {
          expectError(e, 'the agent answered with an error')
        },
      },
    ],
  },
  ...TOLD_APART.map(telling),
  {
    id: 'error-html-502',
    area: 'errors',
    about: 'A gateway answers 502 with an HTML page.',
    on: HTTP_1,
    intent: greet,
    world: onSend(() => text(502, 'text/html', '<html><h1>502 Bad Gateway</h1></html>')),
    claims: [
      {
        id: 'client-html-error',
        title: 'MUST NOT crash on an error response that is not JSON',
        proves: ['client-rest-errors', 'client-jsonrpc-error-handling'],
        fix: 'Look at status and Content-Type before parsing, and report the status.',
        judge(e) {
          expectError(e, 'the gateway answered 502')
        },
      },
    ],
  },
  {
    id: 'error-empty-500',
    area: 'errors',
    about: 'The agent answers 500 without a body.',
    on: HTTP_1,
    intent: greet,
    world: onSend(() => ({ status: 500, headers: [] })),
    claims: [
      {
        id: 'client-empty-error',
        title: 'MUST report an error without a body',
        proves: ['client-rest-errors'],
        fix: 'Report the status when there is nothing else.',
        judge(e) {
          expectError(e, 'the agent answered 500')
        },
      },
    ],
  },
  {
    id: 'error-empty-200',
    area: 'errors',
    about: 'The agent answers 200 without a body.',
    on: HTTP_1,
    intent: greet,
    world: onSend(() => ({ status: 200, headers: ['Content-Type', 'application/json'] })),
    claims: [
      {
        id: 'client-empty-answer',
        title: 'MUST NOT treat an empty response as success',
        proves: ['client-handles-both-results'],
        fix: 'An answer holds a task or a message; anything else is an error.',
        judge(e) {
          expectError(e, 'the answer was empty')
        },
      },
    ],
  },
  {
    id: 'error-neither',
    area: 'errors',
    about: 'The answer is JSON, but neither a task nor a message.',
    on: HTTP_1,
    intent: greet,
    world: onSend((call, surface) => text(200, 'application/json', payload(surface, call, {}))),
    claims: [
      {
        id: 'client-neither-task-nor-message',
        title: 'MUST NOT treat a response without task and message as success',
        proves: ['client-handles-both-results'],
        fix: 'Report an answer that holds neither as an error of the agent.',
        judge(e) {
          expectError(e, 'the answer held neither a task nor a message')
        },
      },
    ],
  },
  {
    id: 'error-stream-json',
    area: 'errors',
    about: 'A streaming call is answered with an error as JSON instead of a stream.',
    on: ALL_1,
    intent: () => ({ do: 'stream', text: 'count' }),
    world: (surface) => ({
      answer: (call, next) => (call.op === 'streamMessage' ? refused(surface, call, 'UnsupportedOperation') : next()),
    }),
    claims: [
      {
        id: 'client-stream-json-error',
        title: 'MUST read an error that comes in the place of a stream',
        proves: ['client-jsonrpc-error-handling', 'client-rest-errors'],
        cites: ['a2a-python #502'],
        fix: 'Look at the Content-Type of the answer before you read events.',
        judge(e) {
          e.first('streamMessage')
          e.expectNoSuccess('the agent answered with an error')
        },
      },
    ],
  },
  {
    id: 'error-stream-401',
    area: 'errors',
    about: 'A streaming call is answered with 401.',
    on: HTTP_1,
    intent: () => ({ do: 'stream', text: 'count' }),
    world: () => ({
      answer: (call, next) =>
        call.op === 'streamMessage'
          ? text(401, 'application/json', '{"error":{"code":401,"message":"who are you?"}}', [
              'WWW-Authenticate',
              'Bearer',
            ])
          : next(),
    }),
    claims: [
      {
        id: 'client-stream-401',
        title: 'MUST report 401 on a streaming call as what it is',
        proves: ['client-rest-errors'],
        cites: ['a2a-python #502'],
        fix: 'Check the status before you parse events; say that credentials are missing.',
        judge(e) {
          e.first('streamMessage')
          e.expectNoSuccess('the agent answered 401')
          const calls = e.of('streamMessage').length
          e.expect(calls <= 3, `the client repeated the refused call ${calls} times`, e.calls.at(-1))
        },
      },
    ],
  },
  {
    id: 'error-in-stream',
    area: 'errors',
    about: 'The stream ends with an error in the place of an event.',
    on: [{ version: '1.0', binding: 'jsonrpc' }],
    intent: () => ({ do: 'stream', text: 'count' }),
    world: () => ({
      answer: (call, next) =>
        call.op === 'streamMessage'
          ? eventStream([
              frame(JSON.stringify({ jsonrpc: '2.0', id: call.id ?? null, error: { code: -32603, message: 'broke' } })),
            ])
          : next(),
    }),
    claims: [
      {
        id: 'client-error-in-stream',
        title: 'MUST report an error that comes as an event',
        proves: ['client-jsonrpc-error-handling'],
        fix: 'Every event of JSON-RPC is a response: look for error in it.',
        judge(e) {
          e.first('streamMessage')
          e.expectNoSuccess('the stream held an error')
        },
      },
    ],
  },
  {
    id: 'error-429',
    area: 'errors',
    about: 'The agent answers 429 with Retry-After once.',
    on: HTTP_1,
    intent: greet,
    world: (surface) => {
      let asked = 0
      return {
        answer: (call, next) => {
          if (!call.isMessage) return next()
          if (++asked > 1) return reply(surface, call, { task: DONE })
          return text(429, 'application/json', '{"error":{"code":429,"message":"later"}}', ['Retry-After', '1'])
        },
      }
    },
    claims: [
      {
        id: 'client-honours-retry-after',
        title: 'SHOULD wait as long as Retry-After says, or report the error',
        proves: ['client-rest-errors'],
        fix: 'Do not repeat a refused request before Retry-After is over.',
        judge(e) {
          const [first, second] = e.sent
          e.need(first !== undefined, 'the client sent no message')
          if (second === undefined) return e.expectNoSuccess('the agent answered 429')
          const waited = Date.parse(second.exchange.startedAt) - Date.parse(first?.exchange.startedAt ?? '')
          e.expect(waited >= 950, `the client came back after ${waited} ms, although Retry-After is 1 s`, second)
        },
      },
    ],
  },
  {
    id: 'error-gzip',
    area: 'errors',
    about: 'Answers are compressed when the client accepts it.',
    on: HTTP_1,
    intent: greet,
    world: onSend((call, surface) => {
      const plain = reply(surface, call, { task: DONE })
      if (!/gzip/.test(call.headers['accept-encoding'] ?? '') || typeof plain.body !== 'string') return plain
      return {
        ...plain,
        headers: [...plain.headers, 'Content-Encoding', 'gzip'],
        body: gzipSync(Buffer.from(plain.body)),
      }
    }),
    claims: [
      {
        id: 'client-reads-gzip',
        title: 'MUST read an answer in an encoding that it accepts',
        proves: ['client-handles-both-results'],
        fix: 'Name in Accept-Encoding only what you can decode.',
        judge(e) {
          e.need(e.sent.length > 0, 'the client sent no message')
          e.expectSuccess()
        },
      },
    ],
  },
  {
    id: 'error-get-unknown',
    area: 'errors',
    about: 'The user asks for a task that does not exist.',
    on: EVERYWHERE,
    intent: () => ({ do: 'get', taskId: '00000000-0000-4000-8000-000000000000' }),
    world: () => ({}),
    claims: [
      {
        id: 'client-unknown-task',
        title: 'MUST report that a task does not exist',
        proves: ['client-jsonrpc-error-handling', 'client-rest-errors'],
        fix: 'Hand TaskNotFound to the user.',
        judge(e) {
          e.first('getTask')
          e.need(e.sent.length === 0, 'the client sent a message instead of asking for the task')
          e.expectNoSuccess('there is no such task')
        },
      },
    ],
  },
]
