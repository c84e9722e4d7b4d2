// A server made with the defaults speaks 1.0 and 0.3; clients of both find it, each by its own reading of the card.

import { Role, TaskState } from '@a2a-js/sdk'
import { ClientFactory, JsonRpcTransportFactory, RestTransportFactory } from '@a2a-js/sdk/client'
import * as older from 'a2a-js-sdk-0-3/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dialectById } from '../../src/dialects/index.ts'
import type { JsonObject } from '../../src/model/json.ts'
import { type A2AServer, createServer } from '../../src/server/index.ts'

const CARD = {
  ...{ name: 'Default', description: 'Made with the defaults.', version: '1', capabilities: { streaming: true } },
  ...{ defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'] },
  skills: [{ id: 's', name: 's', description: 's', tags: ['s'] }],
}

let server: A2AServer
let base: string

beforeAll(async () => {
  server = createServer({
    agents: [
      { card: CARD, agent: async (_, context) => context.complete('done') },
      {
        path: '/guarded',
        card: CARD,
        agent: () => 'hello',
        auth: [{ kind: 'bearer', token: 't', subject: 'someone' }],
      },
      {
        path: '/written',
        card: {
          ...CARD,
          supportedInterfaces: [{ url: 'https://a.example', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
        },
        agent: () => 'hello',
      },
      { path: '/oldest-first', card: CARD, dialects: ['0.1', '1.0'], agent: () => 'hello' },
      { path: '/older-first', card: CARD, dialects: ['0.3', '1.0'], agent: () => 'hello' },
    ],
  })
  base = (await server.listen()).url
})

afterAll(() => server.close({ graceMs: 0 }))

async function cardAt(path: string, version?: string): Promise<JsonObject> {
  const response = await fetch(base + path, version === undefined ? {} : { headers: { 'A2A-Version': version } })
  return (await response.json()) as JsonObject
}

const JSON_PARTS = {
  parts: [
    {
      content: { $case: 'text' as const, value: 'hi' },
      ...{ metadata: undefined, filename: '', mediaType: '' },
    },
  ],
}

const PATHS = ['/.well-known/agent-card.json', '/.well-known/agent.json']

describe.each(PATHS)('the card at %s', (path) => {
  test('is valid in both generations', async () => {
    const card = await cardAt(path)
    expect(dialectById('1.0').card.issues(card)).toEqual([])
    expect(dialectById('0.3').card.issues(card)).toEqual([])
  })

  test('is that of one generation for a client that names it', async () => {
    expect(await cardAt(path, '1.0')).not.toHaveProperty('url')
    expect(await cardAt(path, '0.3')).toMatchObject({ url: base, protocolVersion: '0.3.0' })
    expect(await cardAt(path, '0.3')).not.toHaveProperty('supportedInterfaces')
  })

  test.each([
    ['JSONRPC', () => new JsonRpcTransportFactory()],
    ['HTTP+JSON', () => new RestTransportFactory()],
  ])('leads SDK 1.3 to the agent over %s', async (_, transport) => {
    const client = await new ClientFactory({ transports: [transport()] }).createFromUrl(base + path, '')
    const answer = await client.sendMessage({
      ...{ tenant: '', metadata: undefined, configuration: undefined },
      message: {
        ...{ messageId: 'm', contextId: '', taskId: '', role: Role.ROLE_USER, metadata: undefined },
        ...{ extensions: [], referenceTaskIds: [] },
        ...JSON_PARTS,
      },
    })
    expect(answer).toMatchObject({ status: { state: TaskState.TASK_STATE_COMPLETED } })
  })

  test.each([
    ['JSONRPC', () => new older.JsonRpcTransportFactory()],
    ['HTTP+JSON', () => new older.RestTransportFactory()],
  ])('leads SDK 0.3 to the agent over %s', async (binding, transport) => {
    const factory = new older.ClientFactory({ transports: [transport()], preferredTransports: [binding] })
    const client = await factory.createFromUrl(base + path, '')
    const answer = await client.sendMessage({
      message: { kind: 'message', messageId: 'm', role: 'user', parts: [{ kind: 'text', text: 'hi' }] },
    })
    expect(answer).toMatchObject({ kind: 'task', status: { state: 'completed' } })
  })
})

test('names the interfaces of every generation, whichever is served first', async () => {
  const card = await cardAt('/older-first/.well-known/agent-card.json')
  expect(dialectById('1.0').card.issues(card)).toEqual([])
  expect(dialectById('0.3').card.issues(card)).toEqual([])
  expect(card).toMatchObject({
    ...{ url: `${base}/older-first`, protocolVersion: '0.3.0' },
    supportedInterfaces: [
      { protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      { protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
    ],
  })
})

test('routes are served where any generation has them, whichever is served first', async () => {
  const response = await fetch(`${base}/oldest-first/tasks/unknown`, { headers: { 'A2A-Version': '1.0' } })
  expect(await response.json()).toMatchObject({ error: { details: [{ reason: 'TASK_NOT_FOUND' }] } })
})

test('schemes are told in the words of both', async () => {
  const card = await cardAt('/guarded/.well-known/agent-card.json')
  expect(card).toMatchObject({
    securitySchemes: { bearer: { type: 'http', scheme: 'Bearer', httpAuthSecurityScheme: { scheme: 'Bearer' } } },
    securityRequirements: [{ schemes: { bearer: { list: [] } } }],
    security: [{ bearer: [] }],
  })
  // .NET tells the schemes of 0.3 apart by their first member.
  expect(JSON.stringify(card.securitySchemes)).toContain('{"bearer":{"type":"http"')
})

test('interfaces the author wrote get no others beside them', async () => {
  expect(await cardAt('/written/.well-known/agent-card.json')).not.toHaveProperty('url')
})
