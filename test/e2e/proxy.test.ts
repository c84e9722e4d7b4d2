// Conversations through the proxy: ids and callers kept apart, files in and out, credentials, readiness.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { referenceAgents } from '../../src/agents/reference.ts'
import { forwardMessage } from '../../src/cli/forward.ts'
import { A2AClient } from '../../src/client/a2a-client.ts'
import type { Fault } from '../../src/mock/faults/fault-shape.ts'
import { createMockAgent } from '../../src/mock/index.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/model/json.ts'
import { createProxy } from '../../src/proxy/proxy.ts'
import type { TranslationLoss } from '../../src/proxy/proxy-deps.ts'
import { startProxy } from '../../src/proxy/start-proxy.ts'
import { createServer } from '../../src/server/server.ts'
import { startScriptedServer } from '../peers/scripted-server.ts'
import { ASKS, forwarded, message, stage, stops, taskOf, WAITS } from './proxy-stage.ts'

describe('ids', () => {
  test('are ours on one side and the agent’s on the other, for every operation', async () => {
    const { mock, as } = await stage(ASKS)
    const alice = await as('alice')
    const asked = await taskOf(alice.sendMessage(message('go', { contextId: 'my-context' })))
    expect(asked.contextId).toBe('my-context')
    expect(forwarded(mock).contextId).toBeUndefined()
    const [entry] = mock.requests({ operation: 'sendMessage' })
    expect(entry?.taskId).not.toBe(asked.id)

    expect((await alice.getTask({ id: asked.id })).status.state).toBe('TASK_STATE_INPUT_REQUIRED')
    expect((await alice.listTasks({ contextId: 'my-context' })).tasks.map(({ id }) => id)).toEqual([asked.id])
    const done = await taskOf(alice.sendMessage(message('this', { taskId: asked.id, contextId: 'my-context' })))
    expect(done).toMatchObject({ id: asked.id, contextId: 'my-context', status: { state: 'TASK_STATE_COMPLETED' } })
    expect(forwarded(mock)).toMatchObject({ taskId: entry?.taskId, contextId: entry?.contextId })
    expect(done.history?.map(({ role }) => role)).toEqual(['ROLE_USER', 'ROLE_AGENT', 'ROLE_AGENT', 'ROLE_USER'])
  })

  test('of one caller are useless to another', async () => {
    const { mock, as } = await stage(ASKS)
    const alice = await as('alice')
    const bob = await as('bob')
    const { id } = await taskOf(alice.sendMessage(message('go', { contextId: 'shared-name' })))
    const theirs = mock.requests({ operation: 'sendMessage' })[0]
    for (const foreign of [id, theirs?.taskId ?? '']) {
      await expect(bob.getTask({ id: foreign })).rejects.toMatchObject({ kind: 'TaskNotFound' })
      await expect(bob.cancelTask({ id: foreign })).rejects.toMatchObject({ kind: 'TaskNotFound' })
      await expect(bob.subscribeTask({ id: foreign }).next()).rejects.toMatchObject({ kind: 'TaskNotFound' })
      await expect(bob.sendMessage(message('x', { taskId: foreign }))).rejects.toMatchObject({ kind: 'TaskNotFound' })
    }
    expect((await bob.listTasks({})).tasks).toEqual([])
    await bob.sendMessage(message('go', { contextId: 'shared-name' }))
    expect(forwarded(mock).contextId).toBeUndefined()
    await expect(bob.sendMessage({ message: { ...message().message, referenceTaskIds: [id] } })).rejects.toMatchObject({
      kind: 'InvalidParams',
    })
  })

  test('lead a cancellation to the right task', async () => {
    const { mock, as } = await stage(WAITS)
    const alice = await as('alice')
    const start = () => taskOf(alice.sendMessage({ ...message(), configuration: { returnImmediately: true } }))
    const [one, two] = [await start(), await start()]
    expect((await alice.cancelTask({ id: two.id })).status.state).toBe('TASK_STATE_CANCELED')
    expect((await alice.getTask({ id: one.id })).status.state).toBe('TASK_STATE_WORKING')
    expect(mock.cancels()).toHaveLength(1)
    await expect(alice.cancelTask({ id: two.id })).rejects.toMatchObject({ kind: 'TaskNotCancelable' })
    expect(mock.cancels()).toHaveLength(1)
  })

  test('a Last-Event-ID that is no event of the task is refused, as by any server of ours', async () => {
    const { as } = await stage(WAITS)
    const alice = await as('alice')
    const { id } = await taskOf(alice.sendMessage({ ...message(), configuration: { returnImmediately: true } }))
    for (const lastEventId of ['99', 'abc', '-1'])
      await expect(alice.subscribeTask({ id }, { lastEventId }).next()).rejects.toMatchObject({ kind: 'InvalidParams' })
  })

  test('let a caller follow a task that nobody watches', async () => {
    const { as } = await stage(WAITS)
    const alice = await as('alice')
    const { id } = await taskOf(alice.sendMessage({ ...message(), configuration: { returnImmediately: true } }))
    const states: string[] = []
    for await (const { event } of alice.subscribeTask({ id })) {
      if ('task' in event) {
        states.push(event.task.status.state)
        await alice.cancelTask({ id })
      }
      if ('statusUpdate' in event) states.push(event.statusUpdate.status.state)
    }
    expect(states).toEqual(['TASK_STATE_WORKING', 'TASK_STATE_CANCELED'])
  })

  test('stay out of the agent’s errors', async () => {
    const { mock, as } = await stage(WAITS)
    const alice = await as('alice')
    const { id } = await taskOf(alice.sendMessage({ ...message(), configuration: { returnImmediately: true } }))
    await expect(alice.sendMessage(message('more', { taskId: id }))).rejects.toMatchObject({
      kind: 'UnsupportedOperation',
      message: expect.stringContaining(id),
    })
    expect(mock.requests({ operation: 'sendMessage' })).toHaveLength(2)
  })
})

test('a proxy starts without its agent, says so, and takes it in when it comes', async () => {
  const probe = await createMockAgent().start()
  const { port } = new URL(probe.url)
  await probe.stop()
  const proxy = createProxy({ agents: [{ name: 'late', url: `http://127.0.0.1:${port}` }] })
  const { url } = await proxy.listen()
  stops.push(() => proxy.close({ graceMs: 0 }))
  const before = await fetch(`${url}/readyz`)
  expect(before.status).toBe(503)
  expect(await before.json()).toMatchObject({ status: 'not ready', agents: [{ name: 'late', ready: false }] })
  const refused = await fetch(`${url}/.well-known/agent-card.json`)
  expect(refused.status).toBe(503)
  expect(refused.headers.get('retry-after')).toBe('2')

  const mock = await createMockAgent({
    scriptText: 'rules: [{ id: ok, match: {}, turns: [[{ complete: ok }]] }]',
  }).start({ port: Number(port) })
  stops.push(() => mock.stop())
  expect((await fetch(`${url}/readyz`)).status).toBe(200)
  using client = await A2AClient.connect(url)
  expect((await taskOf(client.sendMessage(message()))).status.state).toBe('TASK_STATE_COMPLETED')

  await mock.stop()
  expect((await fetch(`${url}/readyz`)).status).toBe(503)
  await expect(client.sendMessage(message())).rejects.toMatchObject({ kind: 'Unavailable' })
})

test('the card is the agent’s, at the proxy’s address and under its name', async () => {
  const { url } = await stage(WAITS, {}, { aliases: ['other'], card: { name: 'Front desk' } })
  for (const path of ['', '/app', '/other']) {
    const card = (await (await fetch(`${url}${path}/.well-known/agent-card.json`)).json()) as {
      [name: string]: JsonValue
    }
    expect(card.name).toBe('Front desk')
    expect(JSON.stringify(card.supportedInterfaces)).toContain(`"url":"${url}${path}"`)
  }
})

test('several agents live under their names', async () => {
  const { mock } = await stage(WAITS)
  const agents = ['one', 'two'].map((name) => ({ name, url: mock.url }))
  const proxy = createProxy({ agents })
  const { url } = await proxy.listen()
  stops.push(() => proxy.close({ graceMs: 0 }))
  expect((await fetch(`${url}/one/.well-known/agent-card.json`)).status).toBe(200)
  expect((await fetch(`${url}/two/.well-known/agent-card.json`)).status).toBe(200)
  expect((await fetch(`${url}/three`)).status).toBe(404)
})

test('translation is offered only when asked for, and says what is lost', async () => {
  const script = 'rules: [{ id: ok, match: {}, turns: [[{ artifact: { name: a, data: [1] } }, { complete: ok }]] }]'
  const plain = await stage(`agent: { generation: "1.0" }\n${script}`, {}, {})
  const card = (await (await fetch(`${plain.url}/.well-known/agent-card.json`)).json()) as {
    supportedInterfaces: JsonValue[]
  }
  expect(JSON.stringify(card.supportedInterfaces)).not.toContain('0.3')

  const losses: TranslationLoss[] = []
  const { as } = await stage(script, { translate: ['0.3', '1.0'], onLoss: (loss) => void losses.push(loss) })
  const task = await taskOf((await as('alice', { versions: ['0.3'] })).sendMessage(message()))
  expect(task.status.state).toBe('TASK_STATE_COMPLETED')
  expect(losses[0]).toMatchObject({ direction: 'to-caller', from: '1.0', to: '0.3' })
})

test('a caller who leaves cancels the task, when so configured', async () => {
  const { mock, as } = await stage(WAITS, {}, { cancelOnDisconnect: true })
  const alice = await as('alice')
  for await (const { event } of alice.streamMessage(message())) if ('statusUpdate' in event) break
  const canceled = await mock.waitFor(({ operation }) => operation === 'cancelTask')
  expect(canceled.operation).toBe('cancelTask')
})

test.each(['with the message', 'afterwards'])('webhooks are told of the task under our ids (%s)', async (when) => {
  const told = Promise.withResolvers<{ body: string; token: string | undefined }>()
  const webhook = await startScriptedServer((request, res) => {
    res.writeHead(204).end()
    const token = request.headers['x-a2a-notification-token']
    if (request.body.includes('COMPLETED')) told.resolve({ body: request.body, token: String(token) })
  })
  stops.push(() => webhook.close())
  const slow = 'rules: [{ id: slow, turns: [[{ status: working }, { delay: 200ms }, { complete: Done. }]] }]'
  const { as, mock } = await stage(slow, { allowPrivateNetworks: true })
  const alice = await as('alice')
  const config = { url: `${webhook.url}/hook`, token: 'for-alice' }
  const inline = when === 'afterwards' ? {} : { taskPushNotificationConfig: config }
  const { id } = await taskOf(
    alice.sendMessage({ ...message(), configuration: { returnImmediately: true, ...inline } }),
  )
  if (when === 'afterwards') await alice.createPushConfig({ ...config, taskId: id })
  const { body, token } = await told.promise
  expect(body).toContain(id)
  expect(body).not.toContain(`"taskId":"${mock.requests({ operation: 'sendMessage' })[0]?.taskId}"`)
  expect(token).toBe('for-alice')
  expect((await alice.listPushConfigs({ taskId: id })).configs).toHaveLength(1)
  const bob = await as('bob')
  await expect(bob.listPushConfigs({ taskId: id })).rejects.toMatchObject({ kind: 'TaskNotFound' })
})

test('faults of the catalogue strike callers of the proxy as they strike callers of a mock', async () => {
  const fault = (action: Fault['action'], at: Fault['at'], schedule = {}): Fault => ({ action, at, schedule })
  const faults = [
    fault({ name: 'http-status', with: { status: 503 } }, { operation: 'sendMessage' }, { count: 1 }),
    fault({ name: 'reset-after-event', with: {} }, { operation: 'streamMessage', afterEvent: 1 }),
  ]
  const { as } = await stage('rules: [{ id: ok, turns: [[{ status: working }, { complete: ok }]] }]', { faults })
  const alice = await as('alice')
  await expect(alice.sendMessage(message())).rejects.toMatchObject({ kind: 'Unavailable' })
  expect((await taskOf(alice.sendMessage(message()))).status.state).toBe('TASK_STATE_COMPLETED')
  const reading = async () => {
    for await (const _ of alice.streamMessage(message()));
  }
  await expect(reading()).rejects.toMatchObject({ code: 'connection-lost' })
})

describe('a recorded conversation', () => {
  /** The same conversation for the agent itself and for its replay: a stream, and an answer waited for. */
  async function converse(url: string): Promise<unknown[]> {
    const client = await A2AClient.connect(url, { versions: ['1.0'] })
    stops.push(() => client.close())
    const seen: unknown[] = []
    for await (const { event } of client.streamMessage(message('chunks 3'))) seen.push(event)
    seen.push(await client.sendMessage(message('task-lifecycle demo')))
    return seen
  }

  /** Ids and times differ from run to run; where they are the same as one another does not. */
  function normalised(seen: unknown[]): string {
    const names = new Map<string, string>()
    const named = (id: string) => names.get(id) ?? names.set(id, `id-${names.size}`).get(id) ?? ''
    return JSON.stringify(seen, (_, value: unknown) => (isJsonObject(value) ? sorted(value) : value), 1)
      .replaceAll(/[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/g, named)
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'a time')
  }

  function sorted(value: JsonObject): JsonObject {
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => a.localeCompare(b)))
  }

  test('is replayed by a mock as it was', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'parley-recording-'))
    stops.push(() => rm(folder, { recursive: true }))
    const server = createServer({
      agents: referenceAgents({ relay: { target: undefined, allowsChosenTargets: false, forward: forwardMessage } }),
    })
    const { url } = await server.listen()
    stops.push(() => server.close({ graceMs: 0 }))
    const recording = join(folder, 'traffic.jsonl')
    const agents = [{ name: 'spec', url: `${url}/spec` }]
    const proxy = await startProxy({ agents, faults: [], port: 0, record: recording, artifacts: 'off' })
    const original = await converse(proxy.url)
    await proxy.close()
    const mock = await createMockAgent({ recording }).start()
    stops.push(() => mock.stop())
    expect(normalised(await converse(mock.url))).toBe(normalised(original))
  })
})
