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
  mutant('refuses every signature', 'client-accepts-signature', says(false)),
  mutant('looks at the kid of a changed card', 'client-refuses-tampered-card', says(true)),
  mutant('keeps keys for ever', 'client-refuses-removed-key', says(true)),
  mutant('takes a kid for a signature', 'client-refuses-forged-signature', says(true)),
  mutant('looks at the first signature', 'client-accepts-one-of-two', says(false)),
  mutant('fetches keys from wherever a card says', 'client-keys-not-over-http', {
    after: async (_, { cardUrl }) => {
      await fetch(keySetOf((await (await fetch(cardUrl)).json()) as JsonObject))
    },
  }),
  mutant('trusts no keys of its user', 'client-own-trust-store', says(false)),
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
    ...answering((status) => (status === 403 ? 200 : status)),
    exit: ({ outcome }) => (outcome === undefined ? {} : { outcome: { ...outcome, text: `${outcome.text}SECRET` } }),
  }),
  mutant('adds what comes twice', 'client-webhook-duplicates', {
    exit: ({ outcome }) =>
      outcome === undefined ? {} : { outcome: { ...outcome, text: `${outcome.text}${outcome.text}` } },
  }),
  mutant('breaks under many notifications', 'client-webhook-burst', tired()),
  mutant('reads notifications of 1.0 alone', 'client-webhook-earlier-body', fails),
]
