// Where credentials go, and where they must not (1.0 §7, §13).

import type { JsonObject } from '../../model/json.ts'
import type { Call } from '../call.ts'
import type { Evidence } from '../evidence.ts'
import { ALL_1, HTTP_1, type Scenario } from '../scenario.ts'
import { artifact, reply, taskIn, text, withInterfaces } from '../wire-replies.ts'

const TOKEN = 'canary-bearer-5f2d8c'
const KEY = 'canary-key-77b1'

const greet = () => ({ do: 'send' as const, text: 'hello', credentials: { bearer: TOKEN } })

const bearer = (card: JsonObject): JsonObject => ({
  ...card,
  securitySchemes: { token: { httpAuthSecurityScheme: { scheme: 'Bearer' } } },
  securityRequirements: [{ schemes: { token: { list: [] } } }],
})

const apiKey = (card: JsonObject): JsonObject => ({
  ...card,
  securitySchemes: { key: { apiKeySecurityScheme: { location: 'header', name: 'X-Agent-Key' } } },
  securityRequirements: [{ schemes: { key: { list: [] } } }],
})

export function carries(call: Call, secret: string): boolean {
  return (
    JSON.stringify(call.headers).includes(secret) ||
    call.body.includes(secret) ||
    call.path.includes(secret) ||
    String(call.query).includes(secret)
  )
}

function expectNowhereElse(e: Evidence, secret: string): void {
  const leak = e.calls.find((call) => call.place === 'second' && carries(call, secret))
  e.expect(leak === undefined, `the client sent its credentials to another origin (${leak?.label})`, leak)
}

export const security: readonly Scenario[] = [
  {
    id: 'security-bearer',
    area: 'security',
    about: 'The card asks for a bearer token, which the user has.',
    on: ALL_1,
    intent: () => ({ do: 'continue', text: 'first', reply: 'second', credentials: { bearer: TOKEN } }),
    world: () => ({
      card: bearer,
      answer: (call, next) =>
        call.isCard || call.headers.authorization === `Bearer ${TOKEN}`
          ? next()
          : text(401, 'application/json', '{"error":{"code":401,"message":"token missing"}}', [
              'WWW-Authenticate',
              'Bearer',
            ]),
    }),
    claims: [
      {
        id: 'client-sends-credentials',
        title: 'MUST attach its credentials to every request',
        proves: ['client-credentials-every-request'],
        fix: 'Send Authorization: Bearer with every call to the agent, not only with the first.',
        judge(e) {
          e.need(e.asked.length > 0, 'the client called nothing but the card')
          e.need(
            e.calls.some((call) => carries(call, TOKEN)),
            'the client cannot be given a token',
          )
          const bare = e.asked.find((call, at) => at > 0 && !carries(call, TOKEN))
          e.expect(bare === undefined, `${bare?.label} carries no credentials`, bare)
        },
      },
      {
        id: 'client-secrets-not-printed',
        title: 'MUST keep credentials out of its output',
        proves: ['client-credentials-encrypted'],
        fix: 'Leave Authorization out of logs, or replace its value.',
        judge(e) {
          e.need(e.asked.length > 0, 'the client called nothing but the card')
          const { stdout, stderr } = e.exit
          e.expect(!`${stdout}${stderr}`.includes(TOKEN), 'the output of the client contains the token')
        },
      },
    ],
  },
  {
    id: 'security-api-key',
    area: 'security',
    about: 'The card requires an API key in the header X-Agent-Key.',
    on: ALL_1,
    intent: () => ({ do: 'send', text: 'hello', credentials: { apiKey: KEY } }),
    world: () => ({ card: apiKey }),
    claims: [
      {
        id: 'client-scheme-of-card',
        title: 'MUST use the scheme that the card declares',
        proves: ['client-credentials-every-request', 'client-extended-card-auth'],
        fix: 'Take the name and the location of the key from apiKeySecurityScheme.',
        judge(e) {
          const call = e.firstSent
          e.need(
            e.calls.some((each) => carries(each, KEY)),
            'the client cannot be given an API key',
          )
          e.expect(call.headers['x-agent-key'] === KEY, 'the key is not in the header X-Agent-Key', call)
        },
      },
    ],
  },
  {
    id: 'security-redirect',
    area: 'security',
    about: 'The call is redirected to another origin.',
    on: HTTP_1,
    intent: greet,
    world: () => ({
      card: bearer,
      answer: (call, next, stage) =>
        call.isCard || call.place === 'second'
          ? next()
          : { status: 307, headers: ['Location', `${stage.secondUrl}${call.path}`] },
    }),
    claims: [
      {
        id: 'client-no-credentials-to-redirect',
        title: 'MUST NOT send credentials to the origin of a redirect',
        proves: ['client-credentials-encrypted'],
        fix: 'Do not follow redirects of POST to another origin, and drop Authorization when you do.',
        judge(e) {
          e.need(
            e.calls.some((call) => carries(call, TOKEN)),
            'the client sent no credentials',
          )
          expectNowhereElse(e, TOKEN)
        },
      },
    ],
  },
  {
    id: 'security-file-url',
    area: 'security',
    about: 'An artifact is a file at another origin.',
    on: HTTP_1,
    intent: greet,
    world: (surface) => ({
      card: bearer,
      answer: (call, next, stage) => {
        if (!call.isMessage) return next()
        const file = artifact([{ url: `${stage.secondUrl}/report.txt`, mediaType: 'text/plain' }], 'file')
        return reply(surface, call, { task: taskIn('TASK_STATE_COMPLETED', { artifacts: [file] }) })
      },
    }),
    claims: [
      {
        id: 'client-no-credentials-to-files',
        title: 'MUST NOT send its credentials to where a file lies',
        proves: ['client-credentials-encrypted'],
        fix: 'Fetch files of other origins without Authorization, or leave it to the user.',
        judge(e) {
          e.need(
            e.calls.some((call) => carries(call, TOKEN)),
            'the client sent no credentials',
          )
          expectNowhereElse(e, TOKEN)
        },
      },
    ],
  },
  {
    id: 'security-other-origin',
    area: 'security',
    about: 'The card names an interface on another origin than its own.',
    on: HTTP_1,
    intent: greet,
    world: () => ({
      card: (card, stage) => bearer(withInterfaces(card, (first) => [{ ...first, url: `${stage.secondUrl}/` }])),
    }),
    claims: [
      {
        id: 'client-credentials-to-declared-origin',
        title: 'SHOULD NOT send credentials to an origin that only the card names',
        proves: ['client-credentials-encrypted'],
        fix: 'Credentials belong to the origin the user pointed at; ask before another one gets them.',
        judge(e) {
          e.need(
            e.calls.some(({ isCard }) => isCard),
            'the client never asked for the card',
          )
          e.need(
            e.calls.some((call) => carries(call, TOKEN)) ||
              !e.reportsSuccess ||
              e.calls.some(({ place }) => place === 'second'),
            'the client cannot be given a token',
          )
          expectNowhereElse(e, TOKEN)
        },
      },
    ],
  },
  {
    id: 'security-loopback-neighbour',
    area: 'security',
    about: 'A card on 127.0.0.1 names an interface on 127.0.0.2.',
    on: HTTP_1,
    intent: () => ({ do: 'send', text: 'hello' }),
    world: () => ({
      card: (card, stage) =>
        withInterfaces(card, (first) => [{ ...first, url: stage.secondUrl.replace('127.0.0.1', '127.0.0.2') }]),
    }),
    claims: [
      {
        id: 'client-neighbour-address',
        title: 'MAY call an interface on another address',
        proves: ['client-protocol-choice'],
        fix: 'Recorded for information: whether the client goes where a card points, or refuses.',
        judge(e) {
          e.need(
            e.calls.some(({ isCard }) => isCard),
            'the client never asked for the card',
          )
          e.expectEnded()
        },
      },
    ],
  },
  {
    id: 'security-untrusted-certificate',
    area: 'security',
    about: 'The agent shows a certificate that no authority the client knows has signed.',
    on: HTTP_1,
    intent: greet,
    world: () => ({ card: bearer, secured: 'untrusted' }),
    claims: [
      {
        id: 'client-refuses-certificate',
        title: 'SHOULD NOT talk to an agent whose certificate it cannot verify',
        proves: ['client-verify-certificate', 'client-credentials-encrypted'],
        fix: 'Leave the verification of certificates switched on; trust an authority of your own by name.',
        judge(e) {
          const [call] = e.calls
          e.expect(
            call === undefined,
            `the client sent ${call?.label} although the certificate cannot be verified`,
            call,
          )
          e.expectNoSuccess('the certificate cannot be verified')
        },
      },
    ],
  },
  {
    id: 'security-scope',
    area: 'security',
    about: 'The agent answers 403: the token lacks the scope.',
    on: ALL_1,
    intent: greet,
    world: () => ({
      card: bearer,
      answer: (call, next) =>
        call.isCard
          ? next()
          : text(403, 'application/json', '{"error":{"code":403,"message":"insufficient scope"}}', [
              'WWW-Authenticate',
              'Bearer error="insufficient_scope", scope="agent.write"',
            ]),
    }),
    claims: [
      {
        id: 'client-forbidden-is-error',
        title: 'MUST report 403 and stop retrying',
        proves: ['client-rest-errors', 'client-jsonrpc-error-handling'],
        fix: 'Report what WWW-Authenticate asks for; the same token will be refused again.',
        judge(e) {
          e.need(e.asked.length > 0, 'the client called nothing but the card')
          e.expectNoSuccess('the agent answered 403')
          e.expect(e.asked.length <= 3, `the client repeated the refused call ${e.asked.length} times`, e.calls.at(-1))
        },
      },
    ],
  },
]
