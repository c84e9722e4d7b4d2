import { afterEach, describe, expect, test } from 'vitest'
import { drain } from '../../../test/peers/drain.ts'
import { type GrpcAgent, type GrpcReceived, type GrpcScript, startGrpcAgent } from '../../../test/peers/grpc-agent.ts'
import type { Dialect } from '../../dialects/dialect.ts'
import { v0_3 } from '../../dialects/v0_3/dialect.ts'
import { v1_0 } from '../../dialects/v1_0/dialect.ts'
import { HttpClient } from '../../net/http-client.ts'
import type { Exchange } from '../../trace/exchange.ts'
import { reproduce } from '../../trace/reproduce.ts'
import type { EndpointOptions } from '../endpoint-client.ts'
import { parseGrpcAddress } from './address.ts'
import { GrpcClient } from './client.ts'

const TASK = { id: 't1', contextId: 'c1', status: { state: 'TASK_STATE_WORKING', timestamp: '2026-11-17T12:00:00Z' } }
const DONE = { statusUpdate: { taskId: 't1', contextId: 'c1', status: { state: 'TASK_STATE_COMPLETED' } } }
const SEND = { message: { messageId: 'm', role: 'ROLE_USER' as const, parts: [{ text: 'hi' }] } }
const exchanges: Exchange[] = []
const http = new HttpClient({ onExchange: (exchange) => exchanges.push(exchange) })
let agent: GrpcAgent | undefined

async function clientOf(
  answer: (call: GrpcReceived) => GrpcScript,
  more: Partial<EndpointOptions> & { dialect?: Dialect } = {},
): Promise<GrpcClient> {
  agent = await startGrpcAgent(answer)
  return new GrpcClient({ url: agent.address, dialect: v1_0, http, ...more })
}

afterEach(() => {
  agent?.close()
  agent = undefined
  exchanges.length = 0
})

describe('call', () => {
  test('sends the message, the version, the extensions, the deadline and what the caller adds', async () => {
    const client = await clientOf(() => ({ messages: [TASK] }), {
      extensions: ['https://a.example/x', 'https://a.example/y'],
      headers: [['Authorization', 'Bearer s']],
      timeoutMs: 5_000,
    })
    await expect(client.call('getTask', { id: 't1', historyLength: 0 })).resolves.toEqual(TASK)
    expect(agent?.received[0]).toMatchObject({
      rpc: 'GetTask',
      request: { id: 't1', historyLength: 0 },
      metadata: {
        'a2a-version': '1.0',
        'a2a-extensions': 'https://a.example/x,https://a.example/y',
        authorization: 'Bearer s',
      },
    })
  })

  test('is recorded as what it was', async () => {
    const client = await clientOf(() => ({ messages: [TASK] }), { headers: [['Authorization', 'Bearer s3cret']] })
    await client.call('getTask', { id: 't1' })
    const [exchange] = exchanges
    if (exchange?.protocol !== 'grpc') throw new Error('expected a gRPC exchange')
    expect(exchange.request.rpc).toBe('lf.a2a.v1.A2AService/GetTask')
    expect(exchange.request.message).toBe('{"id":"t1"}')
    expect(exchange.response?.frames?.map(({ data }) => JSON.parse(data) as unknown)).toEqual([TASK])
    expect(exchange.response?.trailers).toContainEqual(['grpc-status', '0'])
    expect(reproduce(exchange.request, { placeholders: true })).toBe(
      [
        'grpcurl -plaintext',
        "-H 'a2a-version: 1.0'",
        `-H 'authorization: Bearer '"$AUTHORIZATION"`,
        `-d '{"id":"t1"}'`,
        `${agent?.address} lf.a2a.v1.A2AService/GetTask`,
      ].join(' \\\n  '),
    )
  })

  test('tells errors that share a status apart by their reason', async () => {
    const info = { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', domain: 'a2a-protocol.org' }
    const client = await clientOf(({ request }) => ({
      error: { code: 9, message: 'nö', details: [{ ...info, reason: String((request as { id: string }).id) }] },
    }))
    await expect(client.call('cancelTask', { id: 'TASK_NOT_CANCELABLE' })).rejects.toMatchObject({
      kind: 'TaskNotCancelable',
      message: 'nö',
    })
    await expect(client.call('cancelTask', { id: 'VERSION_NOT_SUPPORTED' })).rejects.toMatchObject({
      kind: 'VersionNotSupported',
    })
  })

  test('completes what protocol buffers leave out', async () => {
    const client = await clientOf(() => ({ messages: [{}] }))
    await expect(client.call('listTasks', {})).resolves.toEqual({
      ...{ tasks: [], nextPageToken: '', pageSize: 0, totalSize: 0 },
    })
    await expect(client.call('deletePushConfig', { taskId: 't', id: 'p' })).resolves.toBeNull()
  })

  test('speaks 0.3 in its own names', async () => {
    const task = { id: 't1', contextId: 'c1', status: { state: 'TASK_STATE_CANCELLED' } }
    const client = await clientOf(() => ({ messages: [task] }), { dialect: v0_3 })
    await expect(client.call('getTask', { id: 't1' })).resolves.toMatchObject({
      status: { state: 'TASK_STATE_CANCELED' },
    })
    expect(agent?.received[0]).toMatchObject({ rpc: 'GetTask', request: { name: 'tasks/t1' } })
  })

  test.each([
    ['1.0', v1_0],
    ['0.3', v0_3],
  ])('a state that a later release may know is unspecified in %s', async (_, dialect) => {
    const task = { id: 't1', contextId: 'c1', status: { state: 42 } }
    const client = await clientOf(() => ({ messages: [task] }), { dialect })
    await expect(client.call('getTask', { id: 't1' })).resolves.toMatchObject({
      status: { state: 'TASK_STATE_UNSPECIFIED' },
    })
  })

  test('says that nobody is there, and that somebody is who speaks no gRPC', async () => {
    const nobody = new GrpcClient({ url: 'http://127.0.0.1:1', dialect: v1_0, http })
    await expect(nobody.call('getTask', { id: 'x' })).rejects.toMatchObject({ code: 'unreachable' })
  })
})

describe('stream', () => {
  test('hands out events and ends with the turn', async () => {
    const client = await clientOf(() => ({ messages: [{ task: TASK }, DONE] }))
    const items = await drain(client.stream('streamMessage', SEND))
    expect(items.map(({ event }) => Object.keys(event)[0])).toEqual(['task', 'statusUpdate'])
  })

  test('an event of a kind that a later release may know is skipped, but not one without a kind', async () => {
    const later = Buffer.from([0x7a, 0x01, 0x61])
    const client = await clientOf(() => ({ messages: [later, { task: TASK }, DONE] }))
    const items = await drain(client.stream('streamMessage', SEND))
    expect(items.map(({ event }) => Object.keys(event)[0])).toEqual(['task', 'statusUpdate'])
    agent?.close()
    const empty = await clientOf(() => ({ messages: [Buffer.alloc(0), { task: TASK }, DONE] }))
    await expect(drain(empty.stream('streamMessage', SEND))).rejects.toThrow('is not valid A2A 1.0')
  })

  test('ends with the error it ended with', async () => {
    const client = await clientOf(() => ({ messages: [{ task: TASK }], error: { code: 14, message: 'away' } }))
    await expect(drain(client.stream('streamMessage', SEND))).rejects.toMatchObject({ kind: 'Unavailable' })
  })
})

test.each([
  ['localhost:5000', 'unknown', 5000],
  ['agent.example:5000', 'tls', 5000],
  ['http://agent.example:5000/a2a', 'plaintext', 5000],
  ['grpcs://agent.example', 'tls', 443],
  ['dns:///agent.example:443', 'tls', 443],
  ['[::1]:7', 'unknown', 7],
])('%s is read as an address', (text, security, port) => {
  expect(parseGrpcAddress(text)).toMatchObject({ security, port })
})

test.each(['', 'a b', 'ftp://x:1', 'host:0', 'host:99999', 'user@host:1'])('%j is no address', (text) => {
  expect(parseGrpcAddress(text)).toBeUndefined()
})
