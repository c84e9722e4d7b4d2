// Faults of clients that verify signatures, use extended cards, and receive notifications.

import { createServer } from 'node:http'
import { get } from 'node:https'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { JsonObject } from '../../../src/model/json.ts'
import { blurt, type Faults, type Mutant } from './mutant.ts'

const mutant = (id: string, breaks: string, faults: Faults, also: readonly string[] = []): Mutant => ({
  ...{ id, breaks, also, faults },
})
const says = (verified: boolean): Faults => ({
  exit: () => ({ code: verified ? 0 : 1, outcome: { outcome: verified ? 'card' : 'error', verified } }),
})
const fails: Faults = { exit: () => ({ code: 1 }) }

/** Takes the keys that its user trusts for these. */
const trusting = (change: (key: JsonObject) => JsonObject): Faults => ({
  intent: (intent) => ({ ...intent, verify: { keys: (intent.verify?.keys ?? []).map(change) } }),
})

/** The answer to a message, word for word. */
async function said(url: string): Promise<string> {
  const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text: 'hello' }] }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } })
  const headers = { 'content-type': 'application/json', 'a2a-version': '1.0' }
  return (await fetch(url, { method: 'POST', headers, body })).text()
}

/** Where the first signature of a card says that its keys are. */
function keySetOf(card: JsonObject): string {
  const [first] = card.signatures as { protected: string }[]
  const header = JSON.parse(Buffer.from(first?.protected ?? '', 'base64url').toString()) as { jku: string }
  return header.jku
}

/** Stands in front of the receiver of the client, and answers in its place. */
function answering(change: (status: number, body: JsonObject) => number): Faults {
  let webhook = ''
  const server = createServer((req, res) => {
    void (async () => {
      const body = await text(req)
      const headers = Object.fromEntries(Object.entries(req.headers).map(([name, value]) => [name, String(value)]))
      const { status } = await fetch(webhook, { method: 'POST', headers, body })
      res.writeHead(change(status, JSON.parse(body) as JsonObject)).end()
    })()
  })
  return {
    before: () => new Promise((resolve) => void server.listen(0, '127.0.0.1', resolve)),
    request: ({ rpc, params }) => {
      if (rpc !== 'CreateTaskPushNotificationConfig') return
      webhook = String(params.url as string)
      params.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    },
    after: () => server.close().closeAllConnections(),
  }
}

/** 503 from the fourth that was taken on. */
function tired(): Faults {
  let taken = 0
  return answering((status, body) => (status === 204 && 'statusUpdate' in body && ++taken > 3 ? 503 : status))
}

export const OF_TRUST: readonly Mutant[] = [
  mutant(
    'finds no key by its kid',
    'client-accepts-signature',
    trusting((key) => ({ ...key, kid: 'mine' })),
  ),
  mutant('verifies another card than it uses', 'client-refuses-tampered-card', {
    card: (card) => void Object.assign(card, { description: 'Grüße, 世界.' }),
  }),
  mutant('keeps keys for ever', 'client-refuses-removed-key', says(true)),
  mutant('takes a kid for a signature', 'client-refuses-forged-signature', says(true)),
  mutant('looks at the first signature', 'client-accepts-one-of-two', {
    card: (card) => void (card.signatures as JsonObject[]).splice(1),
  }),
  mutant('fetches keys from wherever a card says', 'client-keys-not-over-http', {
    after: async (_, { cardUrl }) => {
      await fetch(keySetOf((await (await fetch(cardUrl)).json()) as JsonObject))
    },
  }),
  mutant(
    'trusts no keys of its user',
    'client-own-trust-store',
    trusting((key) => ({ ...key, kid: 'of the card alone' })),
  ),
  mutant('keeps an extended card unseen', 'client-verifies-extended-card', says(true)),
  mutant('asks for the extended card without a token', 'client-authenticates-for-extended-card', {
    request: ({ rpc, headers }) => void (rpc === 'GetExtendedAgentCard' && headers.delete('authorization')),
  }),
  mutant('forgets the extended card', 'client-uses-extended-card', { after: (_, { url }) => blurt(url) }),
  mutant('trusts anybody', 'client-refuses-certificate', {
    after: (_, { cardUrl }) =>
      new Promise((resolve) => {
        get(cardUrl, { rejectUnauthorized: false }, (answer) => void answer.resume().once('end', resolve))
      }),
  }),
  mutant('hides a bad certificate', 'client-refuses-certificate', { exit: () => ({ code: 0 }) }),
  mutant('fetches files with its token', 'client-no-credentials-to-files', {
    after: async (_, { url }) => {
      const answer = await said(url)
      await fetch(/"url":"([^"]*report.txt)"/.exec(answer)?.[1] ?? url, {
        headers: { authorization: 'Bearer canary-bearer-5f2d8c' },
      })
    },
  }),
  mutant('names a task that is not there yet', 'client-inline-webhook', {
    request: ({ params }) => {
      const configuration = params.configuration as { taskPushNotificationConfig?: JsonObject } | undefined
      if (configuration?.taskPushNotificationConfig !== undefined)
        configuration.taskPushNotificationConfig.taskId = 'task-1'
    },
  }),
  mutant('acknowledges nothing', 'client-webhook-acknowledges', fails),
  mutant(
    'knows no messages',
    'client-webhook-every-payload',
    answering((status, body) => ('message' in body ? 400 : status)),
  ),
  mutant(
    'takes notifications of anybody',
    'client-webhook-checks-token',
    answering((status) => (status === 401 ? 204 : status)),
  ),
  mutant('mixes in other tasks', 'client-webhook-checks-task', {
    ...answering((status, body) => (status === 403 && 'artifactUpdate' in body ? 200 : status)),
    exit: ({ outcome }) => (outcome === undefined ? {} : { outcome: { ...outcome, text: `${outcome.text}SECRET` } }),
  }),
  mutant('adds what comes twice', 'client-webhook-duplicates', {
    exit: ({ outcome }) =>
      outcome === undefined ? {} : { outcome: { ...outcome, text: `${outcome.text}${outcome.text}` } },
  }),
  mutant('goes back to what comes late', 'client-webhook-late', {
    exit: ({ outcome }) => (outcome === undefined ? {} : { outcome: { ...outcome, state: 'TASK_STATE_WORKING' } }),
  }),
  mutant(
    'takes notifications of any age',
    'client-webhook-old',
    answering((status, body) => (status === 403 && 'statusUpdate' in body ? 204 : status)),
  ),
  mutant('registers in the clear', 'client-webhook-over-https', {
    intent: ({ certificate: _unused, ...intent }) => intent,
  }),
  mutant(
    'verifies with keys of any age',
    'client-refuses-ended-key',
    trusting(({ exp: _date, x5c: _certificate, ...key }) => key),
  ),
  mutant('asks for a token with a password', 'client-asks-for-token', {
    request: ({ form }) => form?.set('grant_type', 'password'),
  }),
  mutant('gets one token and no other', 'client-renews-token', {
    instead: ({ form, at }) => (form !== undefined && at > 1 ? new Response('{}', { status: 400 }) : undefined),
  }),
  mutant('does not send the token it got', 'client-renews-token', {
    request: ({ form, headers }) => void (form === undefined && headers.delete('authorization')),
  }),
  mutant('tells its secret to the agent', 'client-secret-to-token-server', {
    request: ({ form, headers }) => void (form === undefined && headers.set('x-client-secret', 'canary-secret-3e91')),
  }),
  mutant('asks for one token after the other', 'client-scope-is-final', {
    after: async (_, { url }) => {
      const body = new URLSearchParams({ grant_type: 'client_credentials' })
      for (let at = 0; at < 3; at++) await (await fetch(new URL('/token', url), { method: 'POST', body })).text()
    },
  }),
  mutant('breaks under many notifications', 'client-webhook-burst', tired()),
  mutant('reads notifications of 1.0 alone', 'client-webhook-earlier-body', fails),
]
