// Faults in finding an agent, choosing an interface, and writing requests.

import type { JsonObject } from '../../../src/model/json.ts'
import { blurt, type Faults, type Mutant, type Sent } from './mutant.ts'

const mutant = (id: string, breaks: string, faults: Faults, also: readonly string[] = []): Mutant => ({
  id,
  breaks,
  also,
  faults,
})
const onCall = (change: (sent: Sent) => void): Faults => ({
  request: (sent) => {
    if (!sent.isCard) change(sent)
  },
})
const onMessage = (change: (message: JsonObject, sent: Sent) => void): Faults => ({
  request: (sent) => {
    if (sent.message !== undefined) change(sent.message, sent)
  },
})
const onPart = (change: (part: JsonObject) => void): Faults =>
  onMessage((message) => {
    for (const part of message.parts as JsonObject[]) change(part)
  })
const interfaces = (card: JsonObject): JsonObject[] => card.supportedInterfaces as JsonObject[]
const fails: Faults = { exit: () => ({ code: 1 }) }
const succeeds: Faults = { exit: () => ({ code: 0 }) }
const not = (status: number) => new Response('', { status })

const CARD = {
  ...{ name: 'Known by heart', description: 'Written into the program.', version: '1.0.0', skills: [] },
  ...{ capabilities: {}, defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'] },
}
const TOKEN = { authorization: 'Bearer canary-bearer-5f2d8c' }

export const OF_REQUESTS: readonly Mutant[] = [
  mutant('knows the agent by heart', 'client-finds-card', {
    instead: ({ isCard, url: { origin } }) =>
      isCard
        ? Response.json({
            ...CARD,
            supportedInterfaces: [{ url: `${origin}/`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
          })
        : undefined,
  }),
  mutant('takes its credentials along a redirect', 'client-no-credentials-to-redirect', {
    after: async (_, { url }) => {
      const { headers } = await fetch(url, { method: 'POST', body: '{}', redirect: 'manual' })
      await blurt(headers.get('location') ?? url, 'hello', TOKEN)
    },
  }),
  mutant('gives its credentials to whoever a card names', 'client-credentials-to-declared-origin', {
    after: async (_, { cardUrl }) => {
      const [first] = interfaces((await (await fetch(cardUrl)).json()) as JsonObject)
      await blurt(String(first?.url as string), 'hello', TOKEN)
    },
  }),
  mutant('reads the card and does nothing', 'client-uses-agent', {
    instead: ({ isCard }) => (isCard ? undefined : not(500)),
  }),
  mutant('looks for cards at the host alone', 'client-card-below-path', {
    request: (sent) => {
      if (sent.isCard) sent.url.pathname = '/.well-known/agent-card.json'
    },
  }),
  mutant(
    'calls the root of the host',
    'client-url-below-path',
    onCall(({ url }) => (url.pathname = '/')),
  ),
  mutant('joins with two slashes', 'client-card-no-double-slash', {
    request: (sent) => {
      if (sent.isCard) sent.url.pathname = '/agents/one//.well-known/agent-card.json'
    },
  }),
  mutant('appends the path to the URL of the card', 'client-card-url-given', {
    request: (sent) => {
      if (sent.isCard) sent.url.pathname += '/.well-known/agent-card.json'
    },
  }),
  mutant('knows one path of cards', 'client-legacy-card-path', {
    instead: ({ url }) => (url.pathname.endsWith('/agent.json') ? not(404) : undefined),
  }),
  mutant('follows no redirect', 'client-card-redirect', {
    instead: ({ url }) => (url.pathname === '/cards/mine.json' ? not(404) : undefined),
  }),
  mutant('refuses cards with unknown members', 'client-card-unknown-members', {
    card: (card) => {
      if ('futureMember' in card) for (const name of Object.keys(card)) delete card[name]
    },
  }),
  mutant('refuses cards with requirements', 'client-reads-secured-card', {
    card: (card) => {
      if ('securityRequirements' in card) for (const name of Object.keys(card)) delete card[name]
    },
  }),
  mutant('takes a page for a card', 'client-card-html', succeeds),
  mutant('downloads the card again', 'client-card-revalidates', {
    before: async ({ cardUrl }) => void (await (await fetch(cardUrl)).text()),
  }),
  mutant('greets every agent it sees', 'client-card-without-call', { after: (_, { url }) => blurt(url) }),
  mutant('takes the last interface', 'client-takes-first', { card: (card) => void interfaces(card).reverse() }),
  mutant('takes any binding', 'client-skips-unknown-binding', {
    card: (card) => {
      for (const each of interfaces(card)) each.protocolBinding = 'JSONRPC'
    },
  }),
  mutant('takes any version', 'client-skips-unknown-version', {
    card: (card) => {
      for (const each of interfaces(card)) each.protocolVersion = '1.0'
    },
  }),
  mutant(
    'calls where the card was',
    'client-url-of-interface',
    onCall(({ url }) => (url.pathname = '/')),
  ),
  mutant(
    'forgets the tenant',
    'client-echoes-tenant',
    onCall(({ params }) => delete params.tenant),
  ),
  mutant(
    'makes up a tenant',
    'client-omits-tenant',
    onCall(({ params }) => Object.assign(params, { tenant: 'default' })),
  ),
  mutant('streams always', 'client-checks-streaming', {
    card: (card) => void Object.assign(card, { capabilities: { streaming: true } }),
  }),
  mutant('registers webhooks always', 'client-checks-push', {
    card: (card) => void Object.assign(card, { capabilities: { streaming: true, pushNotifications: true } }),
  }),
  mutant(
    'has no role',
    'client-message-members',
    onMessage((message) => delete message.role),
  ),
  mutant(
    'sends Latin-1',
    'client-text-intact',
    onPart((part) => void Object.assign(part, { text: Buffer.from(part.text as string).toString('latin1') })),
  ),
  mutant(
    'labels bodies as text',
    'client-content-type',
    onCall(({ headers }) => headers.set('content-type', 'text/plain')),
  ),
  mutant(
    'accepts pages only',
    'client-accepts-json',
    onCall(({ headers }) => headers.set('accept', 'text/html')),
  ),
  mutant(
    'names no version',
    'client-names-version',
    onCall(({ headers }) => headers.delete('a2a-version')),
  ),
  mutant(
    'names a patch',
    'client-version-is-major-minor',
    onCall(({ headers }) => headers.set('a2a-version', '1.0.1')),
  ),
  mutant(
    'labels bodies as JSON',
    'client-rest-media-type',
    onCall(({ headers }) => headers.set('content-type', 'application/json')),
  ),
  mutant(
    'spells paths with a slash',
    'client-rest-path',
    onCall(({ url }) => (url.pathname = url.pathname.replace(':', '/'))),
  ),
  mutant(
    'has no envelope',
    'client-jsonrpc-envelope',
    onCall(({ json }) => delete json?.jsonrpc),
  ),
  mutant(
    'calls every request 1',
    'client-jsonrpc-id',
    onCall(({ json }) => json !== undefined && Object.assign(json, { id: 1 })),
  ),
  mutant(
    'calls every message m',
    'client-fresh-message-id',
    onMessage((message) => Object.assign(message, { messageId: 'm' })),
  ),
  mutant(
    'puts text into every part',
    'client-part-one-content',
    onPart((part) => void Object.assign(part, { text: 'and text' })),
  ),
  mutant(
    'rounds numbers',
    'client-data-intact',
    onPart((part) => {
      if (part.data !== undefined) part.data = { ...(part.data as JsonObject), small: 0 }
    }),
  ),
  mutant(
    'sends bytes as text',
    'client-bytes-intact',
    onPart((part) => {
      const { raw } = part
      if (typeof raw === 'string') part.raw = Buffer.from(Buffer.from(raw, 'base64').toString()).toString('base64')
    }),
  ),
  mutant(
    'writes snake case',
    'client-no-foreign-members',
    onMessage((message) => Object.assign(message, { context_hint: 'x' })),
  ),
  mutant(
    'asks for another task',
    'client-gets-task',
    onCall(({ params }) => Object.assign(params, { id: 'other' })),
  ),
  mutant('reads one page', 'client-pages-to-the-end', {
    json: ({ result }) => {
      if (result !== undefined) (result as JsonObject).nextPageToken = ''
    },
  }),
  mutant(
    'changes page tokens',
    'client-page-token-intact',
    onCall(({ params }) => 'pageToken' in params && Object.assign(params, { pageToken: '2' })),
  ),
  mutant(
    'forgets the task',
    'client-answers-same-task',
    onMessage((message) => delete message.taskId),
    ['client-finishes-conversation'],
  ),
  mutant(
    'makes up a context for an answer',
    'client-keeps-context',
    onMessage((message) => 'taskId' in message && Object.assign(message, { contextId: 'new' })),
    ['client-finishes-conversation'],
  ),
  mutant('gives up at the second answer', 'client-finishes-conversation', fails),
  mutant(
    'writes to finished tasks',
    'client-new-task-after-end',
    onMessage((message, { at }) => at > 0 && Object.assign(message, { taskId: 'task-of-before' })),
  ),
  mutant(
    'forgets the context',
    'client-same-context-after-end',
    onMessage((message) => delete message.contextId),
  ),
  mutant(
    'refers to nothing',
    'client-references-earlier-task',
    onMessage((message) => delete message.referenceTaskIds),
  ),
  mutant(
    'makes up contexts',
    'client-invents-no-context',
    onMessage((message) => Object.assign(message, { contextId: 'mine' })),
  ),
  mutant(
    'makes up tasks',
    'client-invents-no-task',
    onMessage((message) => Object.assign(message, { taskId: 'mine' })),
  ),
]
