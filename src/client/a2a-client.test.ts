import type { ServerResponse } from 'node:http'
import { afterEach, describe, expect, test } from 'vitest'
import { type Received, type ScriptedServer, sendJson, startScriptedServer } from '../../test/peers/scripted-server.ts'
import { EXIT } from '../model/errors.ts'
import type { Message } from '../model/task.ts'
import { A2AClient, type ClientOptions } from './a2a-client.ts'

const MESSAGE: Message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }] }
let server: ScriptedServer | undefined

function cardFor(url: string, more: object = {}) {
  return {
    name: 'A',
    description: 'a',
    version: '1',
    capabilities: {},
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [{ id: 's', name: 'S', description: 's', tags: ['t'] }],
    supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
    ...more,
  }
}

/** Answers JSON-RPC calls by method name with a result or an error. */
async function agentOf(methods: Record<string, { result: unknown } | { error: { code: number; message: string } }>) {
  return scripted(({ body }, res) => {
    const { id, method } = JSON.parse(body) as { id: number; method: string }
    const answer = methods[method] ?? { error: { code: -32601, message: 'Method not found' } }
    sendJson(res, 200, { jsonrpc: '2.0', id, ...answer })
  })
}

async function scripted(answer: (request: Received, res: ServerResponse) => void): Promise<string> {
  server = await startScriptedServer(answer)
  return `${server.url}/rpc`
}

function clientOf(url: string, options: ClientOptions & { origin?: string } = {}): A2AClient {
  return A2AClient.fromCard(cardFor(url), options)
}

function calledMethods(): string[] {
  return (server?.received ?? []).map(({ body }) => (JSON.parse(body) as { method: string }).method)
}

afterEach(async () => {
  await server?.close()
  server = undefined
})

describe('fallback', () => {
  const OLD_TASK = { kind: 'task', id: 't1', contextId: 'c1', status: { state: 'completed' } }
  const OLDEST_TASK = { id: 't1', sessionId: 'c1', status: { state: 'completed' } }

  test('goes from 1.0 to 0.3 and stays there', async () => {
    using client = clientOf(await agentOf({ 'message/send': { result: OLD_TASK }, 'tasks/get': { result: OLD_TASK } }))
    await client.sendMessage({ message: MESSAGE })
    await client.getTask({ id: 't1' })
    expect(calledMethods()).toEqual(['SendMessage', 'message/send', 'tasks/get'])
  })

  test('goes on to the tasks/send generation', async () => {
    using client = clientOf(await agentOf({ 'tasks/send': { result: OLDEST_TASK } }))
    const result = await client.sendMessage({ message: MESSAGE })
    expect('task' in result && result.task.status.state).toBe('TASK_STATE_COMPLETED')
    expect(client.endpoint.dialect).toBe('0.1')
  })

  test('goes on when the agent says the version is not supported', async () => {
    const refused = { error: { code: -32009, message: 'not 1.0' } }
    using client = clientOf(await agentOf({ SendMessage: refused, 'message/send': { result: OLD_TASK } }))
    await client.sendMessage({ message: MESSAGE })
    expect(client.endpoint.dialect).toBe('0.3')
  })

  test('stays when the agent understood and refused', async () => {
    using client = clientOf(await agentOf({ GetTask: { error: { code: -32001, message: 'no such task' } } }))
    await expect(client.getTask({ id: 't1' })).rejects.toMatchObject({ kind: 'TaskNotFound' })
    await expect(client.sendMessage({ message: MESSAGE })).rejects.toMatchObject({ kind: 'MethodNotFound' })
    expect(calledMethods()).toEqual(['GetTask', 'SendMessage'])
  })

  test('an optional operation that is missing is no reason to change the dialect', async () => {
    using client = clientOf(await agentOf({}))
    await expect(client.listTasks()).rejects.toMatchObject({ kind: 'MethodNotFound' })
    expect(calledMethods()).toEqual(['ListTasks'])
  })

  test('a pinned version is not left', async () => {
    using client = clientOf(await agentOf({ 'message/send': { result: OLD_TASK } }), { versions: ['1.0'] })
    await expect(client.sendMessage({ message: MESSAGE })).rejects.toMatchObject({ kind: 'MethodNotFound' })
  })

  test('can be turned off', async () => {
    using client = clientOf(await agentOf({ 'message/send': { result: OLD_TASK } }), { fallback: false })
    await expect(client.sendMessage({ message: MESSAGE })).rejects.toMatchObject({ kind: 'MethodNotFound' })
  })

  test('when nothing is known, the first answer is the one reported', async () => {
    using client = clientOf(await scripted((_, res) => res.writeHead(404).end()))
    await expect(client.sendMessage({ message: MESSAGE })).rejects.toMatchObject({ kind: 'MethodNotFound' })
    expect(client.endpoint.dialect).toBe('1.0')
  })
})

describe('A2AClient', () => {
  const reply = { result: { message: { ...MESSAGE, role: 'ROLE_AGENT' } } }

  test('uses the tenant of the interface unless the caller names one', async () => {
    const url = await agentOf({ SendMessage: reply })
    const supportedInterfaces = [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0', tenant: 'blue' }]
    using client = A2AClient.fromCard(cardFor(url, { supportedInterfaces }))
    await client.sendMessage({ message: MESSAGE })
    await client.sendMessage({ message: MESSAGE, tenant: 'red' })
    const tenants = server?.received.map(
      ({ body }) => (JSON.parse(body) as { params: { tenant: string } }).params.tenant,
    )
    expect(tenants).toEqual(['blue', 'red'])
  })

  test('keeps credentials from an origin the card chose', async () => {
    const url = await agentOf({ SendMessage: reply })
    using client = clientOf(url, { bearer: 'secret', origin: 'https://agent.example' })
    await expect(client.sendMessage({ message: MESSAGE })).rejects.toMatchObject({
      code: 'foreign-origin',
      exitCode: EXIT.unauthenticated,
    })
    expect(server?.received).toEqual([])
  })

  test('sends credentials to an origin the user allowed', async () => {
    const url = await agentOf({ SendMessage: reply })
    using client = clientOf(url, { bearer: 'secret', allowOrigins: [url] })
    await client.sendMessage({ message: MESSAGE })
    expect(server?.received[0]?.headers.authorization).toBe('Bearer secret')
  })

  test('tells every exchange', async () => {
    const statuses: (number | undefined)[] = []
    const url = await agentOf({ SendMessage: reply })
    using client = clientOf(url, { onExchange: ({ response }) => statuses.push(response?.status) })
    await client.sendMessage({ message: MESSAGE })
    expect(statuses).toEqual([200])
  })

  test('a slow agent is exit 5, a closed port exit 3', async () => {
    using slow = clientOf(await scripted(() => {}), { timeoutMs: 30 })
    await expect(slow.sendMessage({ message: MESSAGE })).rejects.toMatchObject({ exitCode: EXIT.timeout })
    const url = server?.url ?? ''
    await server?.close()
    using gone = clientOf(url)
    await expect(gone.sendMessage({ message: MESSAGE })).rejects.toMatchObject({ exitCode: EXIT.unreachable })
  })

  test('a card without a usable interface says why', () => {
    const supportedInterfaces = [{ url: 'a:443', protocolBinding: 'PIGEON', protocolVersion: '1.0' }]
    expect(() => A2AClient.fromCard(cardFor('', { supportedInterfaces }))).toThrow('Parley does not speak PIGEON')
  })

  test('prepares the request it would send', async () => {
    using client = clientOf('http://127.0.0.1:1/rpc')
    const { method, url, body } = client.prepare('getTask', { id: 't1' })
    expect([method, url]).toEqual(['POST', 'http://127.0.0.1:1/rpc'])
    expect(JSON.parse(Buffer.from(body).toString())).toMatchObject({ method: 'GetTask', params: { id: 't1' } })
  })
})
