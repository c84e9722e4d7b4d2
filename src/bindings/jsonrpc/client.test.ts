import type { ServerResponse } from 'node:http'
import { afterEach, describe, expect, test } from 'vitest'
import { drain } from '../../../test/peers/drain.ts'
import {
  type Received,
  type ScriptedServer,
  sendFrames,
  sendJson,
  startScriptedServer,
} from '../../../test/peers/scripted-server.ts'
import { v1_0 } from '../../dialects/v1_0/dialect.ts'
import { HttpClient } from '../../net/http-client.ts'
import { type EndpointOptions, InvalidPeerResponse } from '../endpoint-client.ts'
import { JsonRpcClient } from './client.ts'

const TASK = { id: 't1', contextId: 'c1', status: { state: 'TASK_STATE_WORKING' } }
const SEND = { message: { messageId: 'm', role: 'ROLE_USER' as const, parts: [{ text: 'hi' }] } }
const http = new HttpClient()
let server: ScriptedServer | undefined

async function clientOf(
  answer: (request: Received, res: ServerResponse) => void,
  more: Partial<EndpointOptions> = {},
): Promise<JsonRpcClient> {
  server = await startScriptedServer(answer)
  return new JsonRpcClient({ url: `${server.url}/rpc`, dialect: v1_0, http, ...more })
}

afterEach(async () => {
  await server?.close()
  server = undefined
})

describe('call', () => {
  test("sends version, extensions and own headers, which cannot replace the protocol's", async () => {
    const client = await clientOf((_, res) => sendJson(res, 200, { jsonrpc: '2.0', id: 1, result: TASK }), {
      extensions: ['https://a.example/x', 'https://a.example/y'],
      headers: [
        ['Authorization', 'Bearer s'],
        ['content-type', 'text/plain'],
      ],
    })
    await client.call('getTask', { id: 't1' })
    expect(server?.received[0]?.headers).toMatchObject({
      'a2a-version': '1.0',
      'a2a-extensions': 'https://a.example/x, https://a.example/y',
      authorization: 'Bearer s',
      'content-type': 'application/json',
    })
  })

  test('classifies an error by its reason before its code', async () => {
    const data = [
      {
        '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
        reason: 'TASK_NOT_CANCELABLE',
        domain: 'a2a-protocol.org',
      },
    ]
    const error = { code: -32001, message: 'no', data }
    const client = await clientOf((_, res) => sendJson(res, 200, { jsonrpc: '2.0', id: 1, error }))
    await expect(client.call('cancelTask', { id: 't1' })).rejects.toMatchObject({ kind: 'TaskNotCancelable' })
  })

  test('accepts an error whose id is null', async () => {
    const error = { code: -32700, message: 'no' }
    const client = await clientOf((_, res) => sendJson(res, 400, { jsonrpc: '2.0', id: null, error }))
    await expect(client.call('getTask', { id: 't1' })).rejects.toMatchObject({ kind: 'ParseError' })
  })

  test('refuses an answer to another request', async () => {
    const client = await clientOf((_, res) => sendJson(res, 200, { jsonrpc: '2.0', id: 7, result: TASK }))
    await expect(client.call('getTask', { id: 't1' })).rejects.toThrow('answered request 1 with the id 7')
  })

  test('a result that breaks the dialect is an InvalidPeerResponse with issues and evidence', async () => {
    const result = { id: 't1', status: { state: 'done' } }
    const client = await clientOf((_, res) => sendJson(res, 200, { jsonrpc: '2.0', id: 1, result }))
    const error = await client.call('getTask', { id: 't1' }).catch((caught: unknown) => caught)
    if (!(error instanceof InvalidPeerResponse)) throw new Error('expected an InvalidPeerResponse')
    expect(error.issues.map(({ pointer }) => pointer)).toContain('/status/state')
    expect(error.exchange.response?.status).toBe(200)
  })

  test('a state that a later release may know is unspecified, and nothing else is lost', async () => {
    const result = { id: 't1', contextId: 'c1', status: { state: 'TASK_STATE_DREAMING' }, future: 1 }
    const client = await clientOf((_, res) => sendJson(res, 200, { jsonrpc: '2.0', id: 1, result }))
    await expect(client.call('getTask', { id: 't1' })).resolves.toEqual({
      ...result,
      status: { state: 'TASK_STATE_UNSPECIFIED' },
    })
  })

  test('says what came when it is no JSON-RPC at all', async () => {
    const client = await clientOf((_, res) => res.writeHead(200, { 'Content-Type': 'text/html' }).end('<html>'))
    await expect(client.call('getTask', { id: 't1' })).rejects.toThrow('text/html starting "<html>"')
  })

  test.each([
    [404, 'MethodNotFound'],
    [405, 'MethodNotFound'],
    [401, 'Unauthenticated'],
    [503, 'Unavailable'],
  ])('HTTP %d without a JSON-RPC body is %s', async (status, kind) => {
    const client = await clientOf((_, res) => res.writeHead(status).end('no'))
    await expect(client.call('getTask', { id: 't1' })).rejects.toMatchObject({ kind })
  })
})

describe('stream', () => {
  const frame = (result: unknown, id = 1) => `data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}`

  test('yields events with their SSE ids, skips comments and ends after a terminal state', async () => {
    const done = { taskId: 't1', contextId: 'c1', status: { state: 'TASK_STATE_COMPLETED' } }
    // The server never hangs up: the client must not wait for it.
    const client = await clientOf((_, res) =>
      sendFrames(res, [': hello', `id: 5\n${frame({ task: TASK })}`, frame({ statusUpdate: done })]),
    )
    const items = await drain(client.stream('streamMessage', SEND))
    expect(items).toEqual([{ event: { task: TASK }, id: '5' }, { event: { statusUpdate: done } }])
  })

  test('sends Last-Event-ID when it continues', async () => {
    const client = await clientOf((_, res) => {
      sendFrames(res, [])
      res.end()
    })
    await drain(client.stream('subscribeTask', { id: 't1' }, { lastEventId: '41' }))
    expect(server?.received[0]?.headers['last-event-id']).toBe('41')
  })

  test('an error in the middle of a stream is thrown after what came before', async () => {
    const error = { jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'broken' } }
    const client = await clientOf((_, res) =>
      sendFrames(res, [frame({ task: TASK }), `data: ${JSON.stringify(error)}`]),
    )
    const stream = client.stream('streamMessage', SEND)
    expect((await stream.next()).value).toEqual({ event: { task: TASK } })
    await expect(stream.next()).rejects.toMatchObject({ kind: 'InternalError', message: 'broken' })
  })

  test('a JSON error instead of a stream is that error', async () => {
    const error = { code: -32004, message: 'no streams' }
    const client = await clientOf((_, res) => sendJson(res, 200, { jsonrpc: '2.0', id: 1, error }))
    await expect(client.stream('streamMessage', SEND).next()).rejects.toMatchObject({ kind: 'UnsupportedOperation' })
  })

  test('a JSON result instead of a stream is refused', async () => {
    const client = await clientOf((_, res) => sendJson(res, 200, { jsonrpc: '2.0', id: 1, result: { task: TASK } }))
    await expect(client.stream('streamMessage', SEND).next()).rejects.toThrow('with one result, not a stream')
  })

  test('an event that breaks the dialect is an InvalidPeerResponse', async () => {
    const client = await clientOf((_, res) => sendFrames(res, [frame({ task: { surprise: true } })]))
    await expect(client.stream('streamMessage', SEND).next()).rejects.toBeInstanceOf(InvalidPeerResponse)
  })

  test('an event of a kind that a later release may know is skipped', async () => {
    const client = await clientOf((_, res) => sendFrames(res, [frame({ surprise: true }), frame({ task: TASK })]))
    await expect(client.stream('streamMessage', SEND).next()).resolves.toMatchObject({
      value: { event: { task: TASK } },
    })
  })

  test('leaving the loop closes the connection', async () => {
    const closed = Promise.withResolvers<void>()
    const client = await clientOf((_, res) => {
      res.once('close', () => closed.resolve())
      sendFrames(res, [frame({ task: TASK })])
    })
    for await (const { event } of client.stream('streamMessage', SEND)) {
      expect('task' in event).toBe(true)
      break
    }
    await closed.promise
  })

  test('a connection cut in the middle is not an end', async () => {
    const client = await clientOf((_, res) => {
      sendFrames(res, [frame({ task: TASK })])
      setImmediate(() => res.destroy())
    })
    await expect(drain(client.stream('streamMessage', SEND))).rejects.toMatchObject({ code: 'reset' })
  })
})
