// Push notifications over a real server on each store: every event in order, configurations that outlive the process,
// and two replicas that deliver together without delivering twice.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PUSH_CARD } from '../../src/agents/cards.ts'
import { specAgent } from '../../src/agents/spec.ts'
import { A2AClient } from '../../src/client/a2a-client.ts'
import type { JsonObject } from '../../src/model/json.ts'
import type { PushConfig, SendMessageRequest } from '../../src/model/operation.ts'
import type { Task } from '../../src/model/task.ts'
import { openStore } from '../../src/server/backend/open.ts'
import { type A2AServer, createServer } from '../../src/server/server.ts'
import type { TaskStore } from '../../src/server/store/task-store.ts'
import { describeWithServer } from '../servers/describe-with-server.ts'
import { ownPostgres, ownRedis } from '../servers/own-database.ts'
import { type Received, Webhook } from '../support/webhook.ts'

async function serve(store: string | TaskStore): Promise<{ server: A2AServer; client: A2AClient }> {
  const capabilities = { streaming: true, pushNotifications: true }
  const card = { ...PUSH_CARD, capabilities }
  const server = createServer({ agents: [{ card, agent: specAgent }], store, allowPrivateNetworks: true })
  const { url } = await server.listen()
  return { server, client: await A2AClient.connect(url, { versions: ['1.0'] }) }
}

function say(text: string, more: { taskId?: string; push?: PushConfig } = {}): SendMessageRequest {
  const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER' as const, parts: [{ text }] }
  return {
    message: more.taskId === undefined ? message : { ...message, taskId: more.taskId },
    ...(more.push === undefined ? {} : { configuration: { taskPushNotificationConfig: more.push } }),
  }
}

async function taskOf(client: A2AClient, request: SendMessageRequest): Promise<Task> {
  const result = await client.sendMessage(request)
  if (!('task' in result)) throw new Error('expected a task')
  return result.task
}

function stateIn({ body }: Received): string | undefined {
  const status = (body.statusUpdate as JsonObject | undefined)?.status as JsonObject | undefined
  return status?.state as string | undefined
}

const isEnded = (all: readonly Received[]) => all.some((each) => stateIn(each)?.endsWith('COMPLETED'))

function describeDelivery(name: string, store: () => string, isDurable: boolean): void {
  describe(`push on ${name}`, () => {
    test('delivers every event of a stream, once and in order, to each configuration', async () => {
      await using one = await Webhook.open()
      await using two = await Webhook.open()
      const { server, client } = await serve(store())
      const task = await taskOf(client, say('multi-turn begin', { push: { url: one.url } }))
      await client.createPushConfig({ taskId: task.id, url: two.url })
      await taskOf(client, say('done', { taskId: task.id }))
      await Promise.all([one.until(isEnded), two.until(isEnded)])
      expect(one.received.map((each) => stateIn(each) ?? 'artifact')).toEqual([
        ...['TASK_STATE_WORKING', 'artifact', 'TASK_STATE_INPUT_REQUIRED'],
        ...['TASK_STATE_WORKING', 'artifact', 'TASK_STATE_COMPLETED'],
      ])
      // Registered while the task waited: told so, then the rest.
      expect(two.received.map((each) => stateIn(each) ?? 'artifact')).toEqual([
        ...['TASK_STATE_INPUT_REQUIRED', 'TASK_STATE_WORKING', 'artifact', 'TASK_STATE_COMPLETED'],
      ])
      client.close()
      await server.close()
    })

    test('keeps the order of a hundred chunks', async () => {
      await using webhook = await Webhook.open()
      const { server, client } = await serve(store())
      await taskOf(client, say('chunks 100', { push: { url: webhook.url } }))
      const received = await webhook.until(isEnded)
      const texts = received.flatMap(({ body }) => {
        const artifact = (body.artifactUpdate as JsonObject | undefined)?.artifact as JsonObject | undefined
        return artifact === undefined ? [] : [JSON.stringify(artifact.parts)]
      })
      expect(texts).toEqual(Array.from({ length: 100 }, (_, n) => `[{"text":"chunk ${n + 1} of 100\\n"}]`))
      client.close()
      await server.close()
    })

    if (isDurable)
      test.each(['by name', 'by the user'])('a configuration outlives the process (store opened %s)', async (by) => {
        await using webhook = await Webhook.open()
        const opened = by === 'by name' ? undefined : await openStore(store())
        const before = await serve(opened ?? store())
        const task = await taskOf(before.client, say('multi-turn begin', { push: { url: webhook.url } }))
        await webhook.until((all) => all.length === 3)
        before.client.close()
        await before.server.close()
        await opened?.close()
        const after = await serve(store())
        await taskOf(after.client, say('done', { taskId: task.id }))
        await webhook.until(isEnded)
        expect(webhook.received).toHaveLength(6)
        after.client.close()
        await after.server.close()
      })
  })
}

function describeReplicas(name: string, store: () => string): void {
  test(`two replicas on ${name}: a cancellation on one is pushed when the other, which registered, is gone`, async () => {
    await using webhook = await Webhook.open()
    const a = await serve(store())
    const b = await serve(store())
    const task = await taskOf(a.client, say('multi-turn begin', { push: { url: webhook.url } }))
    await webhook.until((all) => all.length === 3)
    a.client.close()
    await a.server.close()
    await b.client.cancelTask({ id: task.id })
    const received = await webhook.until((all) => all.length === 4)
    expect(received.map(stateIn).at(-1)).toBe('TASK_STATE_CANCELED')
    b.client.close()
    await b.server.close()
  })

  test(`two replicas on ${name}: what happens on one is pushed once, whoever registered`, async () => {
    await using webhook = await Webhook.open()
    const a = await serve(store())
    const b = await serve(store())
    const tasks = await Promise.all(
      Array.from({ length: 20 }, () => taskOf(a.client, say('multi-turn begin', { push: { url: webhook.url } }))),
    )
    await Promise.all(tasks.map(({ id }) => taskOf(b.client, say('done', { taskId: id }))))
    const ended = (all: readonly Received[]) =>
      all.filter((each) => stateIn(each) === 'TASK_STATE_COMPLETED').length === tasks.length
    await webhook.until(ended)
    expect(webhook.received).toHaveLength(6 * tasks.length)
    const ids = new Set(webhook.received.map(({ headers }) => headers['x-parley-delivery-id']))
    expect(ids.size).toBe(6 * tasks.length)
    for (const { client, server } of [a, b]) {
      client.close()
      await server.close()
    }
  })
}

describeDelivery('memory', () => 'memory', false)

const directory = mkdtempSync(join(tmpdir(), 'parley-push-e2e-'))
afterAll(() => rmSync(directory, { recursive: true }))
describeDelivery('sqlite', () => `sqlite:${join(directory, 'tasks.db')}`, true)

describeWithServer('PostgreSQL', 'push on PostgreSQL', () => {
  let url: string
  beforeAll(async () => {
    url = await ownPostgres()
  })
  describeDelivery('postgres', () => url, true)
  describeReplicas('postgres', () => url)
})

describeWithServer('Redis', 'push on Redis', () => {
  let url: string
  beforeAll(async () => {
    url = await ownRedis()
  })
  describeDelivery('redis', () => url, true)
  describeReplicas('redis', () => url)
})
