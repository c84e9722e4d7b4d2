// Push notifications as clients of every generation meet them: registration over each binding, what arrives at the
// webhook, and what is refused.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { referenceAgents } from '../../src/agents/reference.ts'
import { A2AClient, type ClientOptions } from '../../src/client/a2a-client.ts'
import { DIALECTS } from '../../src/dialects/index.ts'
import type { JsonObject } from '../../src/model/json.ts'
import type { PushConfig } from '../../src/model/operation.ts'
import type { Task } from '../../src/model/task.ts'
import { type A2AServer, createServer } from '../../src/server/server.ts'
import { Webhook } from '../support/webhook.ts'

const relay = { target: undefined, allowsChosenTargets: false, forward: async () => ({ message: never() }) }

function never(): never {
  throw new Error('not in this test')
}

let server: A2AServer
let closed: A2AServer
let base: string
let closedBase: string
beforeAll(async () => {
  server = createServer({ agents: referenceAgents({ relay }), allowPrivateNetworks: true })
  closed = createServer({ agents: referenceAgents({ relay }) })
  base = (await server.listen()).url
  closedBase = (await closed.listen()).url
})
afterAll(async () => {
  await server.close()
  await closed.close()
})

const SECRETS = { token: 'tok-1', authentication: { scheme: 'Bearer', credentials: 'cred-1' } }

interface Speaker {
  path: string
  options: ClientOptions
}

const SPEAKERS: Record<string, Speaker> = {
  '1.0 JSON-RPC': { path: '/push', options: { versions: ['1.0'], transports: ['jsonrpc'] } },
  '1.0 HTTP+JSON': { path: '/push', options: { versions: ['1.0'], transports: ['rest'] } },
  '0.3 JSON-RPC': { path: '/push', options: { versions: ['0.3'], transports: ['jsonrpc'] } },
  '0.1 JSON-RPC': { path: '/legacy', options: { versions: ['0.1'], transports: ['jsonrpc'] } },
}

async function connect(speaker: string, url = base): Promise<A2AClient> {
  const { path, options } = SPEAKERS[speaker] ?? never()
  return A2AClient.connect(url + path, options)
}

async function start(client: A2AClient, text: string, push?: PushConfig): Promise<Task> {
  const result = await client.sendMessage({
    message: { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text }] },
    configuration: { returnImmediately: true, ...(push === undefined ? {} : { taskPushNotificationConfig: push }) },
  })
  return 'task' in result ? result.task : never()
}

/** What a delivery says, in the words of the model. */
function said(body: JsonObject): string {
  const update = (body.statusUpdate ?? body.artifactUpdate ?? body) as JsonObject
  const { state } = (update.status ?? {}) as JsonObject
  if (body.eventType !== undefined) return `${body.eventType as string} ${state as string}`
  if (body.kind === 'task') return `task ${state as string} ${((body.artifacts ?? []) as unknown[]).length}`
  return body.artifactUpdate === undefined ? (state as string) : 'artifact'
}

const LIFECYCLE: Record<string, string[]> = {
  '1.0 JSON-RPC': ['TASK_STATE_WORKING', 'artifact', 'TASK_STATE_COMPLETED'],
  '1.0 HTTP+JSON': ['TASK_STATE_WORKING', 'artifact', 'TASK_STATE_COMPLETED'],
  '0.3 JSON-RPC': ['task working 0', 'task working 1', 'task completed 1'],
  '0.1 JSON-RPC': ['status submitted', 'status working', 'artifact working', 'status completed'],
}

/** The generation that knows the shape of a body, and what its schemas find wrong with it. */
function shapeOf(body: JsonObject): { generation: string; issues: readonly unknown[] } | undefined {
  for (const { id, push } of DIALECTS) {
    const delivery = push.readBody(body)
    if (delivery !== undefined) return { generation: id, issues: delivery.issues }
  }
  return undefined
}

describe.each(Object.keys(SPEAKERS))('%s', (speaker) => {
  test('a configuration sent with the message gets every event in order, in the shape of the generation', async () => {
    await using webhook = await Webhook.open()
    using client = await connect(speaker)
    const task = await start(client, 'task-lifecycle now', { url: webhook.url, ...SECRETS })
    const expected = LIFECYCLE[speaker] ?? never()
    const received = await webhook.until((all) => all.length === expected.length)
    expect(received.map(({ body }) => said(body))).toEqual(expected)
    for (const { body, headers } of received) {
      expect(shapeOf(body)).toEqual({ generation: speaker.split(' ')[0], issues: [] })
      expect(headers).toMatchObject({
        authorization: 'Bearer cred-1',
        'x-a2a-notification-token': 'tok-1',
        'a2a-notification-token': 'tok-1',
        'content-type': speaker.startsWith('1.0') ? 'application/a2a+json' : 'application/json',
        'x-parley-attempt': '1',
      })
      expect(JSON.stringify(body)).toContain(task.id)
    }
    const ids = new Set(received.map(({ headers }) => headers['x-parley-delivery-id']))
    expect(ids.size).toBe(expected.length)
  })

  test('a configuration is created, read and, once deleted, hears nothing more', async () => {
    await using webhook = await Webhook.open()
    using client = await connect(speaker)
    const task = await start(client, 'multi-turn begin')
    const created = await client.createPushConfig({ taskId: task.id, url: webhook.url, ...SECRETS })
    expect(created).toMatchObject({ taskId: task.id, url: webhook.url, ...SECRETS })
    expect(await client.getPushConfig(created.id ? { taskId: task.id, id: created.id } : { taskId: task.id })).toEqual(
      created,
    )
    if (!speaker.startsWith('0.1')) {
      const other = await client.createPushConfig({ taskId: task.id, id: 'mine', url: `${webhook.url}/2` })
      expect(other.id).toBe('mine')
      const replaced = await client.createPushConfig({ taskId: task.id, id: 'mine', url: `${webhook.url}/3` })
      const listed = await client.listPushConfigs({ taskId: task.id })
      expect(listed.configs.toSorted(byUrl)).toEqual([created, replaced].toSorted(byUrl))
      await client.deletePushConfig({ taskId: task.id, id: 'mine' })
      await client.deletePushConfig({ taskId: task.id, id: 'mine' })
      await client.deletePushConfig({ taskId: task.id, id: created.id ?? '' })
      expect(await client.listPushConfigs({ taskId: task.id })).toMatchObject({ configs: [] })
      await expect(client.getPushConfig({ taskId: task.id, id: 'mine' })).rejects.toMatchObject({
        kind: 'TaskNotFound',
      })
      // The first turn has been told; from here on nobody listens.
      const before = webhook.received.length
      await client.sendMessage({
        message: { messageId: 'm2', taskId: task.id, role: 'ROLE_USER', parts: [{ text: 'done' }] },
      })
      expect(webhook.received.length).toBe(before)
    }
  })

  test('an unknown task is not found', async () => {
    using client = await connect(speaker)
    const config = { taskId: 'nobody-knows', url: 'http://127.0.0.1:1/hook' }
    await expect(client.createPushConfig(config)).rejects.toMatchObject({ kind: 'TaskNotFound' })
    await expect(client.getPushConfig({ taskId: 'nobody-knows', id: 'a' })).rejects.toMatchObject({
      kind: 'TaskNotFound',
    })
  })

  test.each([
    ['a line break in the credentials', { authentication: { scheme: 'Bearer', credentials: 'se\r\ncret: 1' } }],
    ['a line break in the token', { token: 'se\ncret' }],
    ['a NUL in the token', { token: 'se\u0000cret' }],
    ['a token of 9 KB', { token: 'secret'.repeat(1_500) }],
    ['a scheme that is none', { authentication: { scheme: 'Be arer', credentials: 'secret' } }],
  ])('%s is refused and not repeated, also with a message', async (_, config) => {
    using client = await connect(speaker)
    const task = await start(client, 'multi-turn begin')
    const refused = await client
      .createPushConfig({ taskId: task.id, url: 'http://127.0.0.1:1/hook', ...config })
      .then(never, (error: Error) => error)
    expect(refused).toMatchObject({ kind: 'InvalidParams' })
    expect(refused.message).not.toContain('cret')
    await expect(start(client, 'multi-turn', { url: 'http://127.0.0.1:1/hook', ...config })).rejects.toMatchObject({
      kind: 'InvalidParams',
    })
  })

  test.each([
    ['loopback', 'https://127.0.0.1/hook'],
    ['a private network', 'https://10.0.0.1/hook'],
    ['a name of this machine', 'https://localhost/hook'],
    ['the metadata service', 'https://169.254.169.254/latest'],
    ['an odd port', 'https://example.com:22/hook'],
  ])('a webhook on %s is refused unless private networks are allowed', async (_, url) => {
    using client = await connect(speaker, closedBase)
    const task = await start(client, 'multi-turn begin')
    await expect(client.createPushConfig({ taskId: task.id, url })).rejects.toMatchObject({ kind: 'InvalidParams' })
    await expect(start(client, 'multi-turn', { url })).rejects.toMatchObject({ kind: 'InvalidParams' })
  })

  test('plain http is refused unless private networks are allowed', async () => {
    using client = await connect(speaker, closedBase)
    const task = await start(client, 'multi-turn begin')
    const kind = speaker.startsWith('0.1') ? 'InsecurePushUrl' : 'InvalidParams'
    await expect(client.createPushConfig({ taskId: task.id, url: 'http://example.com/' })).rejects.toMatchObject({
      kind,
    })
  })
})

function byUrl(a: PushConfig, b: PushConfig): number {
  return a.url < b.url ? -1 : 1
}

test('a task has at most ten configurations', async () => {
  using client = await connect('1.0 JSON-RPC')
  const task = await start(client, 'multi-turn begin')
  const config = { taskId: task.id, url: 'http://127.0.0.1:1/hook' }
  for (let n = 0; n < 10; n++) await client.createPushConfig({ ...config, id: `c${n}` })
  const refused = { kind: 'InvalidParams', message: expect.stringContaining('at most 10') }
  await expect(client.createPushConfig(config)).rejects.toMatchObject(refused)
  await expect(client.createPushConfig({ ...config, id: 'c3' })).resolves.toMatchObject({ id: 'c3' })
})

test('whoever registers when the task has ended is told its end', async () => {
  await using webhook = await Webhook.open()
  using client = await connect('1.0 JSON-RPC')
  const result = await client.sendMessage({
    message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'task-lifecycle early' }] },
  })
  const task = 'task' in result ? result.task : never()
  await client.createPushConfig({ taskId: task.id, url: webhook.url })
  const [first] = await webhook.until((all) => all.length === 1)
  expect(first?.body).toMatchObject({ statusUpdate: { taskId: task.id, status: { state: 'TASK_STATE_COMPLETED' } } })
})

test('the token is the bearer of the first generation, and it hears only of what it asked for', async () => {
  await using webhook = await Webhook.open()
  using client = await connect('0.1 JSON-RPC')
  const config = { url: webhook.url, token: 'tok-9', events: ['artifact'] } as PushConfig
  await start(client, 'data-types show', config)
  const received = await webhook.until((all) => all.length === 4)
  expect(received.map(({ body }) => body.eventType)).toEqual(['artifact', 'artifact', 'artifact', 'artifact'])
  expect(received[0]?.headers.authorization).toBe('Bearer tok-9')
  expect(received[0]?.body).toEqual({
    taskId: expect.any(String),
    eventType: 'artifact',
    status: { state: 'working', timestamp: expect.any(String) },
    timestamp: expect.any(String),
    artifact: expect.objectContaining({ name: 'text' }),
  })
})

test('a card that promises push is refused when push is switched off', async () => {
  const off = createServer({ agents: referenceAgents({ relay }), push: false })
  await expect(off.ready()).rejects.toMatchObject({ code: 'card-disagrees' })
  await off.close()
})

test('an agent without push says so', async () => {
  using client = await A2AClient.connect(`${base}/spec`, { versions: ['1.0'] })
  const task = await start(client, 'multi-turn begin')
  const refused = { kind: 'PushNotificationNotSupported' }
  await expect(client.createPushConfig({ taskId: task.id, url: 'https://example.com' })).rejects.toMatchObject(refused)
})
