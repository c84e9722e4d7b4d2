// The mock over gRPC: the same script, journal, sessions and recordings as over JSON, in both generations.

import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { A2AClient, type A2AError } from '../../src/client/index.ts'
import { createMockAgent, type MockAgent } from '../../src/mock/index.ts'
import { createProxy } from '../../src/proxy/proxy.ts'
import { RecordWriter } from '../../src/trace/record.ts'

const SCRIPT = `
rules:
  - id: ask
    match: { text: book }
    turns:
      - - { input-required: "Which day?" }
      - - { status: working }
        - { artifact: { name: ticket.bin, base64: "AAECAw==" } }
        - { complete: "Booked." }
  - id: hello
    match: { text: hello }
    turns:
      - - { complete: "Hello." }
`

let mock: MockAgent
beforeAll(async () => {
  mock = await createMockAgent({ scriptText: SCRIPT }).start({ grpcPort: 0 })
})
afterAll(() => mock.stop())
beforeEach(() => mock.reset())

function said(text: string, taskId?: string) {
  const messageId = crypto.randomUUID()
  return { message: { messageId, role: 'ROLE_USER' as const, parts: [{ text }], ...(taskId && { taskId }) } }
}

async function booked(url: string, version: '1.0' | '0.3'): Promise<string[]> {
  using client = await A2AClient.connect(url, { transports: ['grpc'], versions: [version], fallback: false })
  const asked = await client.sendMessage(said('book'))
  if (!('task' in asked)) throw new Error('expected a task')
  const seen: string[] = [asked.task.status.state]
  for await (const { event } of client.streamMessage(said('friday', asked.task.id)))
    seen.push('statusUpdate' in event ? event.statusUpdate.status.state : (Object.keys(event)[0] ?? ''))
  return seen
}

test.each([
  ['1.0', ''],
  ['0.3', '/v0.3'],
] as const)('plays a script of several turns in %s', async (version, path) => {
  expect(await booked(mock.url + path, version)).toEqual([
    'TASK_STATE_INPUT_REQUIRED',
    ...['task', 'TASK_STATE_WORKING', 'artifactUpdate', 'TASK_STATE_COMPLETED'],
  ])
})

test('the journal shows what was said, and how it ended', async () => {
  using client = await A2AClient.connect(mock.url, { transports: ['grpc'] })
  await client.sendMessage(said('hello'))
  await expect(client.getTask({ id: 'nobody' })).rejects.toMatchObject({ kind: 'TaskNotFound' })
  const [sent] = mock.requests({ operation: 'sendMessage' })
  expect(sent).toMatchObject({
    url: '/lf.a2a.v1.A2AService/SendMessage',
    requestJson: { message: { parts: [{ text: 'hello' }] } },
    ...{ rule: 'hello', status: 200, grpcStatus: 0, outcome: 'answered' },
    frames: [{ data: expect.stringContaining('TASK_STATE_COMPLETED') as string }],
  })
  const [asked] = mock.requests({ operation: 'getTask' })
  expect(asked).toMatchObject({ requestJson: { id: 'nobody' }, grpcStatus: 5, frames: [] })
})

test('sessions are told apart by their header', async () => {
  const other = await mock.session('other')
  using client = await A2AClient.connect(other.url, { transports: ['grpc'], headers: [['X-Parley-Session', 'other']] })
  await client.sendMessage(said('hello'))
  expect(other.requests({ operation: 'sendMessage' })).toHaveLength(1)
  expect(mock.requests({ operation: 'sendMessage' })).toHaveLength(0)
})

test('a fault strikes only where it is told to', async () => {
  mock.inject({ do: 'reset', at: { rule: 'ask', turn: 1, afterEvent: 2 }, count: 1 })
  await expect(booked(mock.url, '1.0')).rejects.toMatchObject({ code: 'connection-lost' })
  expect(await booked(mock.url, '1.0')).toContain('TASK_STATE_COMPLETED')
})

test('what was recorded over gRPC is played again, over gRPC and over JSON', async () => {
  const file = join(tmpdir(), `parley-grpc-${crypto.randomUUID()}.jsonl`)
  const writer = await RecordWriter.create(file, { ifRecorded: 'refuse' })
  const written: Promise<void>[] = []
  const proxy = createProxy({
    agents: [{ name: 'agent', url: mock.url, transports: ['grpc'] }],
    // gRPC has another port than the card.
    allowPrivateUpstreams: true,
    onExchange: (exchange) => written.push(writer.append(exchange)),
  })
  const { url } = await proxy.listen()
  const seen = async (at: string, transports: readonly ('grpc' | 'jsonrpc')[]) => {
    using client = await A2AClient.connect(at, { transports })
    const asked = await client.sendMessage(said('book'))
    if (!('task' in asked)) throw new Error('expected a task')
    const refusal = await client.sendMessage(said('what')).catch((error: unknown) => (error as A2AError).kind)
    const states: string[] = [asked.task.status.state, JSON.stringify(refusal)]
    for await (const { event } of client.streamMessage(said('friday', asked.task.id)))
      states.push('statusUpdate' in event ? event.statusUpdate.status.state : (Object.keys(event)[0] ?? ''))
    return states
  }
  const original = await seen(url, ['jsonrpc'])
  expect(original[1]).toBe('"InvalidParams"')
  expect(mock.requests({ operation: 'sendMessage' })[0]?.url).toBe('/lf.a2a.v1.A2AService/SendMessage')
  await proxy.close({ graceMs: 0 })
  await Promise.all(written)
  await writer.close()
  await using replay = createMockAgent({ recording: file })
  await replay.start({ grpcPort: 0 })
  expect(await seen(replay.url, ['grpc'])).toEqual(original)
  replay.reset()
  expect(await seen(replay.url, ['jsonrpc'])).toEqual(original)
  rmSync(file)
})
