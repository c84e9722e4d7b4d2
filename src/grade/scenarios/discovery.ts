// How a client finds the card of an agent.

import { isJsonObject } from '../../model/json.ts'
import { EVERYWHERE, HTTP_1, type Scenario } from '../scenario.ts'
import { text } from '../wire-replies.ts'
import { greet } from './intents.ts'

export const discovery: readonly Scenario[] = [
  {
    id: 'discovery-well-known',
    area: 'discovery',
    about: 'The card is at the well-known path of its version and nowhere else.',
    on: EVERYWHERE,
    intent: greet,
    world: () => ({}),
    claims: [
      {
        id: 'client-finds-card',
        title: 'MUST read the card from the well-known path',
        proves: ['client-select-first-supported'],
        fix: 'Fetch the well-known path of the version below the URL you were given before the first call.',
        judge(e) {
          e.need(e.calls.length > 0, 'the client sent no request at all')
          const cards = e.calls.filter(({ isCard }) => isCard)
          e.expect(cards.length > 0, 'the client called the agent without reading its card', e.calls[0])
        },
      },
      {
        id: 'client-uses-agent',
        title: 'MUST send the message that its user asked for',
        proves: ['client-message-required-fields'],
        fix: 'After reading the card, call the operation the user asked for at the URL of the interface.',
        judge(e) {
          e.need(e.calls.length > 0, 'the client sent no request at all')
          e.expect(e.sent.length > 0, 'the client read the card and sent no message', e.calls.at(-1))
          e.expectSuccess()
        },
      },
    ],
  },
  {
    id: 'discovery-below-path',
    area: 'discovery',
    about: 'The agent and its card are below a path of the host.',
    intent: greet,
    world: () => ({ path: '/agents/one' }),
    claims: [
      {
        id: 'client-card-below-path',
        title: 'SHOULD look for the card below the path it was given',
        proves: ['client-correct-url'],
        fix: 'Append the well-known path to the URL you were given, with its path, before you try the host alone.',
        judge(e) {
          e.need(e.calls.length > 0, 'the client sent no request at all')
          const wanted = '/agents/one/.well-known/agent-card.json'
          e.expect(
            e.calls.some(({ path }) => path === wanted),
            `the client never asked for ${wanted}`,
            e.calls[0],
          )
        },
      },
      {
        id: 'client-url-below-path',
        title: 'MUST call the interface at the path its card names',
        proves: ['client-correct-url'],
        fix: 'Use the URL of the interface as the card gives it, path included.',
        judge(e) {
          const call = e.firstSent
          e.expect(call.path.startsWith('/agents/one'), `the client called ${call.path}, not /agents/one`, call)
        },
      },
    ],
  },
  {
    id: 'discovery-trailing-slash',
    area: 'discovery',
    about: 'The client is given the URL with a slash at its end.',
    intent: greet,
    world: () => ({ path: '/agents/one', target: (stage) => `${stage.url}/` }),
    claims: [
      {
        id: 'client-card-no-double-slash',
        title: 'MUST find the card although the URL ends with a slash',
        proves: ['client-correct-url'],
        fix: 'Join URL and path with exactly one slash.',
        judge(e) {
          e.need(e.calls.length > 0, 'the client sent no request at all')
          const doubled = e.calls.find(({ path }) => path.includes('//'))
          e.expect(doubled === undefined, `the client asked for ${doubled?.path}`, doubled)
          e.expect(
            e.calls.some(({ isCard }) => isCard),
            'the client never asked for the card at its path',
            e.calls[0],
          )
        },
      },
    ],
  },
  {
    id: 'discovery-card-url',
    area: 'discovery',
    about: 'The client is given the URL of the card itself.',
    intent: greet,
    world: () => ({ target: (stage) => stage.cardUrl }),
    claims: [
      {
        id: 'client-card-url-given',
        title: 'SHOULD accept the URL of the card itself',
        proves: ['client-correct-url'],
        fix: 'When the URL you were given answers with a card, use it instead of appending another path.',
        judge(e) {
          e.need(e.calls.length > 0, 'the client sent no request at all')
          e.expect(
            e.calls.some(({ isCard }) => isCard),
            'the client never read the card it was pointed at',
            e.calls[0],
          )
          e.expect(e.sent.length > 0, 'the client read no card it could use', e.calls.at(-1))
        },
      },
    ],
  },
  {
    id: 'discovery-legacy-path',
    area: 'discovery',
    about: 'An agent of 0.3 publishes its card at /.well-known/agent.json alone.',
    on: [{ version: '0.3', binding: 'jsonrpc' }],
    intent: greet,
    world: () => ({ cardPaths: ['/.well-known/agent.json'] }),
    claims: [
      {
        id: 'client-legacy-card-path',
        title: 'MAY look for the card at the path of earlier releases',
        proves: ['client-legacy-card-fallback'],
        fix: 'After a 404 at agent-card.json, try /.well-known/agent.json, where agents up to 0.2 have their card.',
        judge(e) {
          e.need(e.calls.length > 0, 'the client sent no request at all')
          e.expect(
            e.calls.some(({ path }) => path === '/.well-known/agent.json'),
            'the client gave up at the first 404',
            e.calls.at(-1),
          )
        },
      },
    ],
  },
  {
    id: 'discovery-redirect',
    area: 'discovery',
    about: 'The well-known path answers with a redirect on the same origin.',
    intent: greet,
    world: () => ({
      cardPaths: ['/cards/mine.json'],
      answer: (call, next) => (call.isCard ? { status: 302, headers: ['Location', '/cards/mine.json'] } : next()),
    }),
    claims: [
      {
        id: 'client-card-redirect',
        title: 'SHOULD follow a redirect to the card',
        proves: ['client-card-cache'],
        fix: 'Follow redirects of GET on the same origin, as HTTP asks of every client.',
        judge(e) {
          e.need(
            e.calls.some(({ isCard }) => isCard),
            'the client never asked for the card',
          )
          e.expect(
            e.calls.some(({ path }) => path === '/cards/mine.json'),
            'the client did not follow the redirect',
            e.calls.at(-1),
          )
        },
      },
    ],
  },
  {
    id: 'discovery-unknown-members',
    area: 'discovery',
    about: 'The card has unknown members.',
    on: EVERYWHERE,
    intent: greet,
    world: () => ({
      card: (card) => ({ ...card, futureMember: { deep: [1, 'two', null] }, anotherOne: true }),
    }),
    claims: [
      {
        id: 'client-card-unknown-members',
        title: 'SHOULD ignore members of the card that it does not know',
        proves: ['client-unknown-fields'],
        fix: 'Read cards with a decoder that skips unknown members (1.0 §5.7).',
        judge(e) {
          e.need(
            e.calls.some(({ isCard }) => isCard),
            'the client never asked for the card',
          )
          e.expect(e.sent.length > 0, 'the client gave up at a card with members it does not know', e.calls.at(-1))
        },
      },
    ],
  },
  {
    id: 'discovery-secured-card',
    area: 'discovery',
    about: 'The card declares security schemes and requirements; the user wants to see it.',
    on: HTTP_1,
    intent: () => ({ do: 'card' }),
    world: () => ({
      card: (card) => ({
        ...card,
        securitySchemes: {
          token: { httpAuthSecurityScheme: { scheme: 'Bearer' } },
          key: { apiKeySecurityScheme: { location: 'header', name: 'X-Agent-Key' } },
        },
        securityRequirements: [
          { schemes: { token: { list: ['read', 'write'] } } },
          { schemes: { key: { list: [] }, token: {} } },
        ],
      }),
    }),
    claims: [
      {
        id: 'client-reads-secured-card',
        title: 'MUST read a card that declares security schemes and requirements',
        proves: ['card-security-requirements-shape', 'client-absent-defaults'],
        fix: 'Read securityRequirements as [{"schemes": {"<name>": {"list": […]}}}], as a2a.proto has it (1.0 §4.4.1).',
        judge(e) {
          e.need(
            e.calls.some(({ isCard }) => isCard),
            'the client never asked for the card',
          )
          e.need(e.outcome !== undefined, 'the client does not say whether it understood the card')
          e.expectSuccess()
        },
      },
    ],
  },
  {
    id: 'discovery-html',
    area: 'discovery',
    about: 'The well-known path answers 200 with an HTML page.',
    intent: greet,
    world: () => ({
      answer: (call, next) =>
        call.method === 'GET' ? text(200, 'text/html', '<!doctype html><title>Welcome</title><p>Sign in</p>') : next(),
    }),
    claims: [
      {
        id: 'client-card-html',
        title: 'MUST report an HTML page in place of the card as an error',
        proves: ['client-select-first-supported'],
        cites: ['a2a-inspector #63'],
        fix: 'Check that the card is a JSON object before you use it, and say what came instead.',
        judge(e) {
          e.need(
            e.calls.some(({ isCard }) => isCard),
            'the client never asked for the card',
          )
          e.expectNoSuccess('there was no card')
        },
      },
    ],
  },
  {
    id: 'discovery-revalidate',
    area: 'discovery',
    about: 'The card has an ETag and must be revalidated each time.',
    intent: () => ({ do: 'continue', text: 'first', reply: 'second' }),
    world: () => ({
      answer: (call, next) => {
        if (!call.isCard) return next()
        if (call.headers['if-none-match'] === '"v1"') return { status: 304, headers: ['ETag', '"v1"'] }
        const reply = next()
        if (reply instanceof Promise || 'ending' in reply) return reply
        return { ...reply, headers: [...reply.headers, 'ETag', '"v1"', 'Cache-Control', 'max-age=0'] }
      },
    }),
    claims: [
      {
        id: 'client-card-revalidates',
        title: 'SHOULD send If-None-Match when it reads the card again',
        proves: ['client-card-conditional', 'client-card-default-cache'],
        fix: 'Keep the ETag of the card and send it as If-None-Match the next time (1.0 §8.6.2).',
        judge(e) {
          const cards = e.calls.filter(({ isCard }) => isCard)
          e.need(cards.length > 1, 'the client read the card once only')
          e.expect(
            cards.slice(1).every(({ headers }) => headers['if-none-match'] === '"v1"'),
            'the client downloaded the card again without If-None-Match',
            cards[1],
          )
        },
      },
    ],
  },
  {
    id: 'discovery-card-only',
    area: 'discovery',
    about: 'The user wants to see the card and nothing else.',
    on: EVERYWHERE,
    intent: () => ({ do: 'card' }),
    world: () => ({}),
    claims: [
      {
        id: 'client-card-without-call',
        title: 'SHOULD show a card without calling the agent',
        proves: ['client-capability-check'],
        fix: 'Reading a card is a GET; nothing has to be sent to the agent for it.',
        judge(e) {
          e.need(
            e.calls.some(({ isCard }) => isCard),
            'the client never asked for the card',
          )
          const [call] = e.asked.filter(({ method, json }) => method === 'POST' && isJsonObject(json))
          e.need(call === undefined || e.outcome !== undefined, 'the client cannot be told to show the card alone')
          e.expect(
            call === undefined,
            `the client called ${call?.op ?? 'the agent'} although only the card was wanted`,
            call,
          )
        },
      },
    ],
  },
]
