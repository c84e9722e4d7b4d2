// Which of the interfaces in a card a client takes, and what it does with it (1.0 §8.3.2).

import type { JsonObject } from '../../model/json.ts'
import type { Call } from '../call.ts'
import { ALL_1, HTTP_1, JSONRPC_1, type Scenario } from '../scenario.ts'
import { answered, DONE, reply, withInterfaces } from '../wire-replies.ts'
import { greet } from './intents.ts'

/** On the same origin, since a client may refuse to be sent to another one. */
const ELSEWHERE = '/elsewhere'

const isElsewhere = ({ path }: Call): boolean => path.startsWith(ELSEWHERE)

const EXTENDED_TOKEN = 'canary-extended-2b7e'

const offering = (card: JsonObject): JsonObject => ({
  ...card,
  capabilities: { streaming: true, extendedAgentCard: true },
  securitySchemes: { token: { httpAuthSecurityScheme: { scheme: 'Bearer' } } },
})

const entry = (first: JsonObject, change: JsonObject): JsonObject => ({ ...first, ...change })

const EXTENDED = '/extended'

export const choice: readonly Scenario[] = [
  {
    id: 'choice-extended-card',
    area: 'choice',
    about: 'The extended card, which needs a token, names another interface than the public one.',
    on: JSONRPC_1,
    intent: () => ({ do: 'send', text: 'hello', extended: true, credentials: { bearer: EXTENDED_TOKEN } }),
    world: (surface) => ({
      card: offering,
      answer: (call, next, stage) => {
        if (call.op === 'getExtendedCard') {
          const card = withInterfaces(offering(stage.card()), (first) => [
            entry(first, { url: `${stage.url}${EXTENDED}` }),
          ])
          return answered(surface, call, card)
        }
        return call.path === EXTENDED ? reply(surface, call, { task: DONE }) : next()
      },
    }),
    claims: [
      {
        id: 'client-authenticates-for-extended-card',
        title: 'MUST authenticate when it asks for the extended card',
        proves: ['client-extended-card-auth'],
        fix: 'Send the credentials of a declared scheme with GetExtendedAgentCard.',
        judge(e) {
          const call = e.first('getExtendedCard')
          const { authorization = '' } = call.headers
          e.expect(authorization === `Bearer ${EXTENDED_TOKEN}`, 'the request carries no credentials', call)
        },
      },
      {
        id: 'client-uses-extended-card',
        title: 'SHOULD use the extended card in the place of the public one',
        proves: ['client-extended-card-replace'],
        fix: 'After GetExtendedAgentCard take interfaces and capabilities from its answer.',
        judge(e) {
          e.first('getExtendedCard')
          const later = e.asked.filter(({ op }) => op !== 'getExtendedCard')
          e.need(later.length > 0, 'the client sent no message')
          const wrong = later.find(({ path }) => path !== EXTENDED)
          e.expect(
            wrong === undefined,
            `the client called ${wrong?.path}, which the extended card does not name`,
            wrong,
          )
        },
      },
    ],
  },
  {
    id: 'choice-first-of-two',
    area: 'choice',
    about: 'The card names two interfaces of the same kind; the first is preferred.',
    on: HTTP_1,
    intent: greet,
    world: () => ({
      card: (card, stage) =>
        withInterfaces(card, (first) => [first, entry(first, { url: `${stage.url}${ELSEWHERE}` })]),
    }),
    claims: [
      {
        id: 'client-takes-first',
        title: 'MUST use the first interface that it supports',
        proves: ['client-select-first-supported', 'client-prefer-earlier'],
        cites: ['a2a-js #734'],
        fix: 'Walk through supportedInterfaces in order and stop at the first entry you support.',
        judge(e) {
          e.need(e.asked.length > 0, 'the client called no interface')
          const [call] = e.asked
          e.expect(
            call === undefined || !isElsewhere(call),
            `the client called ${call?.label} at the second interface`,
            call,
          )
        },
      },
    ],
  },
  {
    id: 'choice-unknown-binding-first',
    area: 'choice',
    about: 'The first interface has an unknown binding, the second is usable.',
    on: ALL_1,
    intent: greet,
    world: () => ({
      card: (card, stage) =>
        withInterfaces(card, (first) => [
          entry(first, {
            url: `${stage.url}${ELSEWHERE}`,
            protocolBinding: 'https://example.com/bindings/carrier-pigeon',
          }),
          first,
        ]),
    }),
    claims: [
      {
        id: 'client-skips-unknown-binding',
        title: 'MUST skip an interface whose binding it does not know',
        proves: ['client-select-first-supported', 'client-protocol-choice'],
        cites: ['a2a-js #734'],
        fix: 'Compare protocolBinding of each entry with the bindings you support; the first entry need not be usable.',
        judge(e) {
          e.need(
            e.calls.some(({ isCard }) => isCard),
            'the client never asked for the card',
          )
          const wrong = e.calls.find(isElsewhere)
          e.expect(wrong === undefined, 'the client called an interface with an unknown binding', wrong)
          e.expect(e.sent.length > 0, 'the client gave up although the second interface is usable', e.calls.at(-1))
        },
      },
    ],
  },
  {
    id: 'choice-unknown-version-first',
    area: 'choice',
    about: 'The first interface speaks version 9.0, the second 1.0.',
    on: HTTP_1,
    intent: greet,
    world: () => ({
      card: (card, stage) =>
        withInterfaces(card, (first) => [
          entry(first, { url: `${stage.url}${ELSEWHERE}`, protocolVersion: '9.0' }),
          first,
        ]),
    }),
    claims: [
      {
        id: 'client-skips-unknown-version',
        title: 'MUST skip an interface whose version it does not support',
        proves: ['client-select-first-supported', 'client-version-matches-interface'],
        fix: 'Compare protocolVersion of each entry with the versions you speak.',
        judge(e) {
          e.need(
            e.calls.some(({ isCard }) => isCard),
            'the client never asked for the card',
          )
          const wrong = e.calls.find(isElsewhere)
          e.expect(wrong === undefined, 'the client called an interface of version 9.0', wrong)
          e.expect(e.sent.length > 0, 'the client gave up although the second interface is usable', e.calls.at(-1))
        },
      },
    ],
  },
  {
    id: 'choice-own-url',
    area: 'choice',
    about: 'The interface has another path than the card.',
    on: HTTP_1,
    intent: greet,
    world: () => ({
      path: '/a2a/v1',
      target: (stage) => stage.origin,
      answer: (call, next, stage) => (call.path === '/.well-known/agent-card.json' ? stage.cardReply() : next()),
    }),
    claims: [
      {
        id: 'client-url-of-interface',
        title: 'MUST call the URL of the interface it selected',
        proves: ['client-correct-url', 'client-rest-paths'],
        fix: 'Use the url of the entry, not the URL the card was found under.',
        judge(e) {
          e.need(e.asked.length > 0, 'the client called nothing but the card')
          const [call] = e.asked
          e.expect(call?.path.startsWith('/a2a/v1') === true, `the client called ${call?.path}, not /a2a/v1`, call)
        },
      },
    ],
  },
  {
    id: 'choice-tenant',
    area: 'choice',
    about: 'The interface names a tenant.',
    on: ALL_1,
    intent: greet,
    world: () => ({ card: (card) => withInterfaces(card, (first) => [entry(first, { tenant: 'acme-7' })]) }),
    claims: [
      {
        id: 'client-echoes-tenant',
        title: 'MUST repeat the tenant of the interface in every request',
        proves: ['client-tenant-echo'],
        cites: ['a2a-rs #199'],
        fix: 'Put the tenant of the selected interface into the request (JSON-RPC: params.tenant; HTTP+JSON: the path).',
        judge(e) {
          const call = e.firstSent
          const inPath = call.path.startsWith('/acme-7/')
          e.expect(
            inPath || call.params.tenant === 'acme-7',
            `the request names ${JSON.stringify(call.params.tenant ?? null)} as its tenant, not "acme-7"`,
            call,
          )
        },
      },
    ],
  },
  {
    id: 'choice-no-tenant',
    area: 'choice',
    about: 'The interface names no tenant.',
    on: ALL_1,
    intent: greet,
    world: () => ({}),
    claims: [
      {
        id: 'client-omits-tenant',
        title: 'MUST send no tenant when the interface names none',
        proves: ['client-tenant-omit'],
        fix: 'Leave tenant out unless the selected interface has one.',
        judge(e) {
          const call = e.firstSent
          const tenant = call.params.tenant
          e.expect(tenant === undefined || tenant === '', `the request has the tenant ${JSON.stringify(tenant)}`, call)
        },
      },
    ],
  },
  {
    id: 'choice-no-streaming',
    area: 'choice',
    about: 'The card says that the agent does not stream; the user asks for a stream.',
    on: ALL_1,
    intent: () => ({ do: 'stream', text: 'hello' }),
    world: () => ({
      card: (card) => ({ ...card, capabilities: { streaming: false } }),
    }),
    claims: [
      {
        id: 'client-checks-streaming',
        title: 'SHOULD NOT call a streaming operation that the card does not declare',
        proves: ['client-capability-check'],
        fix: 'Look at capabilities.streaming first, and send the message without a stream or say why not.',
        judge(e) {
          e.need(
            e.calls.some(({ isCard }) => isCard),
            'the client never asked for the card',
          )
          const [call] = e.of('streamMessage')
          e.expect(call === undefined, 'the client called SendStreamingMessage of an agent that does not stream', call)
        },
      },
    ],
  },
  {
    id: 'choice-no-push',
    area: 'choice',
    about: 'The card says nothing of push notifications; the user asks for one.',
    on: ALL_1,
    intent: async (stage) => ({
      do: 'push',
      taskId: (await stage.seed('wait')).id,
      webhook: { url: `${stage.secondUrl}/hook`, token: 'canary-token' },
    }),
    world: () => ({}),
    claims: [
      {
        id: 'client-checks-push',
        title: 'SHOULD NOT register a webhook that the card does not offer',
        proves: ['client-capability-check'],
        fix: 'Look at capabilities.pushNotifications first.',
        judge(e) {
          e.need(
            e.calls.some(({ isCard }) => isCard),
            'the client never asked for the card',
          )
          const [call] = e.of('createPushConfig')
          e.expect(call === undefined, 'the client registered a webhook with an agent that offers none', call)
        },
      },
    ],
  },
]
