// The proxy between callers and agents that speak different bindings and generations: whatever a caller speaks, and
// whatever the agent does, the conversation is the same.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { A2AClient } from '../../src/client/index.ts'
import type { BindingId, DialectId } from '../../src/dialects/dialect.ts'
import { createMockAgent, type MockAgent } from '../../src/mock/index.ts'
import { type A2AProxy, createProxy } from '../../src/proxy/proxy.ts'

const SCRIPT = `
rules:
  - id: work
    turns:
      - - { status: working, text: "Grüße" }
        - { artifact: { name: a.txt, text: "one" } }
        - { input-required: "More?" }
      - - { complete: "Done." }
`

const SURFACES: readonly [BindingId, DialectId][] = [
  ['grpc', '1.0'],
  ['grpc', '0.3'],
  ['jsonrpc', '1.0'],
  ['jsonrpc', '0.3'],
  ['rest', '1.0'],
]

let mock: MockAgent
beforeAll(async () => {
  mock = await createMockAgent({ scriptText: SCRIPT }).start({ grpcPort: 0 })
})
afterAll(() => mock.stop())

function said(text: string, taskId?: string) {
  const messageId = crypto.randomUUID()
  return { message: { messageId, role: 'ROLE_USER' as const, parts: [{ text }], ...(taskId && { taskId }) } }
}

describe.each(SURFACES)('an agent that speaks %s of %s', (upstream, generation) => {
  let proxy: A2AProxy
  let url = ''

  beforeAll(async () => {
    const place = mock.url + (generation === '1.0' ? '' : `/v${generation}`)
    proxy = createProxy({
      agents: [{ name: 'agent', url: place, speaks: [generation], transports: [upstream] }],
      ...{ grpc: {}, translate: ['1.0', '0.3'], artifacts: undefined, allowPrivateUpstreams: true },
    })
    ;({ url } = await proxy.listen())
  })
  afterAll(() => proxy.close({ graceMs: 0 }))

  test.each(SURFACES)('is called over %s in %s', async (binding, version) => {
    mock.clear()
    using client = await A2AClient.connect(url, { transports: [binding], versions: [version], fallback: false })
    const seen: string[] = []
    let id = ''
    for await (const { event } of client.streamMessage(said('go'))) {
      if ('task' in event) id = event.task.id
      seen.push('statusUpdate' in event ? event.statusUpdate.status.state : (Object.keys(event)[0] ?? ''))
    }
    expect(seen).toEqual(['task', 'TASK_STATE_WORKING', 'artifactUpdate', 'TASK_STATE_INPUT_REQUIRED'])
    const answered = await client.sendMessage(said('more', id))
    expect(answered).toMatchObject({ task: { id, status: { state: 'TASK_STATE_COMPLETED' } } })
    expect(await client.getTask({ id })).toMatchObject({ id, artifacts: [{ parts: [{ text: 'one' }] }] })
    await expect(client.cancelTask({ id })).rejects.toMatchObject({ kind: 'TaskNotCancelable' })
    await expect(client.getTask({ id: 'nobody' })).rejects.toMatchObject({ kind: 'TaskNotFound' })
    const asked = mock.requests({ operation: 'streamMessage' })
    expect(asked).toHaveLength(1)
    expect(asked[0]?.grpcStatus === undefined).toBe(upstream !== 'grpc')
  })
})

test('each agent has a port of its own, the first the one that was asked for', async () => {
  const agents = ['one', 'two'].map((name) => ({ name, url: mock.url }))
  const proxy = createProxy({ agents, grpc: { port: 0 } })
  await proxy.listen()
  expect(proxy.grpc.map(({ path }) => path)).toEqual(['/one', '/two'])
  expect(new Set(proxy.grpc.map(({ port }) => port)).size).toBe(2)
  await proxy.close({ graceMs: 0 })
})

test('an agent that is away is UNAVAILABLE, and comes to life with its card', async () => {
  const proxy = createProxy({ agents: [{ name: 'agent', url: 'http://127.0.0.1:1' }], grpc: {} })
  const { url } = await proxy.listen()
  const { host } = new URL(url)
  const card = {
    ...{ name: 'x', description: 'x', version: '1', capabilities: {}, skills: [] },
    ...{ defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'] },
    supportedInterfaces: [
      { url: `${host.split(':')[0]}:${proxy.grpc[0]?.port}`, protocolBinding: 'GRPC', protocolVersion: '1.0' },
    ],
  }
  using client = A2AClient.fromCard(card)
  await expect(client.sendMessage(said('hello'))).rejects.toMatchObject({ kind: 'Unavailable' })
  await proxy.close({ graceMs: 0 })
})

test('faults towards callers strike calls of gRPC, too', async () => {
  const proxy = createProxy({
    agents: [{ name: 'agent', url: mock.url }],
    grpc: {},
    faults: [
      { at: { operation: 'sendMessage' }, action: { name: 'grpc-status', with: { code: 8 } }, schedule: { count: 1 } },
    ],
  })
  const { url } = await proxy.listen()
  using client = await A2AClient.connect(url, { transports: ['grpc'] })
  await expect(client.sendMessage(said('go'))).rejects.toMatchObject({ kind: 'ResourceExhausted' })
  await expect(client.sendMessage(said('go'))).resolves.toMatchObject({ task: {} })
  await proxy.close({ graceMs: 0 })
})
