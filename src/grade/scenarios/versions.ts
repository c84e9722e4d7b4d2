// Agents of other versions, and of several at once (1.0 §3.6, appendix A.2).

import { textAt } from '../../model/json.ts'
import { ALL_1, JSONRPC_1, type Scenario } from '../scenario.ts'
import { refused, text, withInterfaces } from '../wire-replies.ts'
import { greet } from './intents.ts'

export const versions: readonly Scenario[] = [
  {
    id: 'version-old-agent',
    area: 'versions',
    about: 'An agent that speaks only an earlier version.',
    on: [
      { version: '0.3', binding: 'jsonrpc' },
      { version: '0.1', binding: 'jsonrpc' },
    ],
    intent: greet,
    world: () => ({}),
    claims: [
      {
        id: 'client-speaks-earlier-version',
        title: 'SHOULD speak the version of the agent where it can',
        proves: ['client-legacy-dual'],
        fix: 'Recognize the version by the card (protocolVersion, url) and use its method names.',
        judge(e) {
          e.need(
            e.calls.some(({ isCard }) => isCard),
            'the client never asked for the card',
          )
          e.expect(e.sent.length > 0, 'the client does not speak the version of the agent', e.calls.at(-1))
          e.expectSuccess()
        },
      },
    ],
  },
  {
    id: 'version-both',
    area: 'versions',
    about: 'One URL speaks 1.0 and 0.3; the card names 1.0 first.',
    on: JSONRPC_1,
    intent: greet,
    world: () => ({
      speaks: ['1.0', '0.3'],
      card: (card) => withInterfaces(card, (first) => [first, { ...first, protocolVersion: '0.3' }]),
    }),
    claims: [
      {
        id: 'client-prefers-current',
        title: 'SHOULD use the current version with an agent that has it',
        proves: ['client-prefer-current-names', 'client-prefer-earlier'],
        fix: 'Take the first entry of the card that you speak, with its own method names.',
        judge(e) {
          const [call] = e.asked
          e.need(call !== undefined, 'the client called nothing but the card')
          const method = textAt(call?.json, 'method')
          e.expect(method?.startsWith('Send') === true, `the client called ${method} instead of SendMessage`, call)
        },
      },
    ],
  },
  {
    id: 'version-refused',
    area: 'versions',
    about: 'The agent answers VersionNotSupported and names no other interface.',
    on: ALL_1,
    intent: greet,
    world: (surface) => ({
      answer: (call, next) => (call.isCard ? next() : refused(surface, call, 'VersionNotSupported')),
    }),
    claims: [
      {
        id: 'client-version-refused',
        title: 'MUST report that the agent does not speak its version',
        proves: ['client-version-matches-interface', 'client-jsonrpc-error-handling'],
        fix: 'Hand VersionNotSupported to the user, or try another interface of the card once.',
        judge(e) {
          e.need(e.asked.length > 0, 'the client called nothing but the card')
          e.expectNoSuccess('the agent does not speak its version')
          e.expect(e.asked.length <= 4, `the client tried ${e.asked.length} times`, e.calls.at(-1))
        },
      },
    ],
  },
  {
    id: 'version-method-unknown',
    area: 'versions',
    about: 'The card says 1.0, but the endpoint knows only the method names of 0.3.',
    on: JSONRPC_1,
    intent: greet,
    world: () => ({
      speaks: ['0.3'],
      answer: (call, next) => {
        const method = textAt(call.json, 'method')
        if (call.isCard || method === undefined || method.includes('/')) return next()
        const error = { code: -32601, message: 'Method not found' }
        return text(200, 'application/json', JSON.stringify({ jsonrpc: '2.0', id: call.id ?? null, error }))
      },
    }),
    claims: [
      {
        id: 'client-tries-older-version',
        title: 'MAY try an earlier version after -32601, once',
        proves: ['client-protocol-fallback', 'client-legacy-dual'],
        fix: 'When the agent knows no method of 1.0, try message/send of 0.3 one time.',
        judge(e) {
          e.need(e.asked.length > 0, 'the client called nothing but the card')
          e.expect(e.asked.length <= 6, `the client tried ${e.asked.length} times`, e.calls.at(-1))
          e.expect(
            e.sent.length > 0 || !e.reportsSuccess,
            'the client reports success although its method is unknown',
            e.calls.at(-1),
          )
          e.expect(e.asked.length > 1, 'the client gave up after -32601', e.calls.at(-1))
        },
      },
    ],
  },
  {
    id: 'version-fallback-binding',
    area: 'versions',
    about: 'The preferred interface is down, the second one works.',
    on: JSONRPC_1,
    intent: greet,
    world: () => ({
      bindings: ['jsonrpc', 'rest'],
      card: (card, stage) =>
        withInterfaces(card, (first) => [
          { ...first, url: `${stage.url}/gone` },
          { ...first, protocolBinding: 'HTTP+JSON' },
        ]),
      answer: (call, next) =>
        call.path === '/gone' ? text(404, 'application/json', '{"error":{"code":404,"message":"gone"}}') : next(),
    }),
    claims: [
      {
        id: 'client-falls-back',
        title: 'SHOULD try another declared interface when the preferred one fails',
        proves: ['client-protocol-fallback'],
        fix: 'When an interface is not there (404, connection refused), go on with the next entry of the card.',
        judge(e) {
          e.need(
            e.calls.some(({ path }) => path === '/gone'),
            'the client never tried the preferred interface',
          )
          e.expect(
            e.asked.some(({ path }) => path !== '/gone'),
            'the client gave up at the first interface',
            e.calls.at(-1),
          )
        },
      },
    ],
  },
  {
    id: 'version-extension-required',
    area: 'versions',
    about: 'The card requires an unknown extension.',
    on: ALL_1,
    intent: greet,
    world: () => ({
      card: (card) => ({
        ...card,
        capabilities: {
          streaming: true,
          extensions: [{ uri: 'https://example.com/ext/secret-handshake', required: true }],
        },
      }),
    }),
    claims: [
      {
        id: 'client-honours-required-extension',
        title: 'MUST NOT call an agent whose required extension it does not support',
        proves: ['client-ext-required-honoured'],
        fix: 'Look at capabilities.extensions: declare a required extension in A2A-Extensions, or refuse before sending.',
        judge(e) {
          e.need(
            e.calls.some(({ isCard }) => isCard),
            'the client never asked for the card',
          )
          const call = e.sent.find(({ headers }) => !(headers['a2a-extensions'] ?? '').includes('secret-handshake'))
          e.expect(call === undefined, 'the client called the agent without the extension that the card requires', call)
        },
      },
    ],
  },
  {
    id: 'version-extensions-asked',
    area: 'versions',
    about: 'The user asks for two extensions that the card offers.',
    on: ALL_1,
    intent: () => ({
      do: 'send',
      text: 'hello',
      extensions: ['https://example.com/ext/one', 'https://example.com/ext/two'],
    }),
    world: () => ({
      card: (card) => ({
        ...card,
        capabilities: {
          streaming: true,
          extensions: [{ uri: 'https://example.com/ext/one' }, { uri: 'https://example.com/ext/two' }],
        },
      }),
    }),
    claims: [
      {
        id: 'client-activates-extensions',
        title: 'MUST ask for extensions in A2A-Extensions',
        proves: ['client-ext-optin'],
        fix: 'Send the URIs of the extensions in the header A2A-Extensions.',
        judge(e) {
          const { headers } = e.firstSent
          const named = headers['a2a-extensions']
          e.need(named !== undefined || e.outcome !== undefined, 'the client cannot be told to use extensions')
          e.expect(
            named?.includes('ext/one') === true,
            `A2A-Extensions is ${JSON.stringify(named ?? null)}`,
            e.firstSent,
          )
        },
      },
      {
        id: 'client-extensions-comma-separated',
        title: 'SHOULD list several extensions in one header, separated by commas',
        proves: ['svc-params-header-list'],
        fix: 'Join the URIs with a comma.',
        judge(e) {
          const named = e.firstSent.headers['a2a-extensions']
          e.need(named !== undefined, 'the client sent no A2A-Extensions')
          e.expect(named?.split(',').length === 2, `A2A-Extensions is "${named}"`, e.firstSent)
        },
      },
    ],
  },
]
