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
import { InvalidPeerResponse } from '../endpoint-client.ts'
import { RestClient } from './client.ts'

const TASK = { id: 't1', contextId: 'c1', status: { state: 'TASK_STATE_WORKING' } }
const SEND = { message: { messageId: 'm', role: 'ROLE_USER' as const, parts: [{ text: 'hi' }] } }
const http = new HttpClient()
let server: ScriptedServer | undefined

async function clientOf(answer: (request: Received, res: ServerResponse) => void): Promise<RestClient> {
  server = await startScriptedServer(answer)
  return new RestClient({ url: `${server.url}/api/`, dialect: v1_0, http })
}

afterEach(async () => {
  await server?.close()
  server = undefined
})

describe('call', () => {
  test('spreads a request over path and query', async () => {
    const client = await clientOf((_, res) => sendJson(res, 200, TASK))
    await client.call('getTask', { id: 'a/b c', historyLength: 2 })
    expect(server?.received[0]).toMatchObject({ method: 'GET', path: '/api/tasks/a%2Fb%20c?historyLength=2', body: '' })
  })

  test('spreads a request over path and body', async () => {
    const client = await clientOf((_, res) => sendJson(res, 200, TASK))
    await client.call('cancelTask', { id: 't1', metadata: { why: 'late' } })
    expect(server?.received[0]).toMatchObject({
      method: 'POST',
      path: '/api/tasks/t1:cancel',
      body: '{"metadata":{"why":"late"}}',
    })
  })

  test('puts the tenant in front of the path and nowhere else', async () => {
    const client = await clientOf((_, res) => sendJson(res, 200, { message: { ...SEND.message, role: 'ROLE_AGENT' } }))
    await client.call('sendMessage', { ...SEND, tenant: 'blue' })
    expect(server?.received[0]).toMatchObject({ path: '/api/blue/message:send', body: JSON.stringify(SEND) })
  })

  test('takes an empty answer to a delete', async () => {
    const client = await clientOf((_, res) => res.writeHead(204).end())
    expect(await client.call('deletePushConfig', { taskId: 't1', id: 'p1' })).toBeNull()
  })

  test('classifies an error by its reason before its status', async () => {
    const details = [
      {
        '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
        reason: 'TASK_NOT_CANCELABLE',
        domain: 'a2a-protocol.org',
      },
    ]
    const error = { code: 404, status: 'NOT_FOUND', message: 'no', details }
    const client = await clientOf((_, res) => sendJson(res, 404, { error }))
    await expect(client.call('cancelTask', { id: 't1' })).rejects.toMatchObject({ kind: 'TaskNotCancelable' })
  })

  test.each(['{"detail":"Not Found"}', '<html>', ''])(
    'a 404 that says %j is an unknown route, not an unknown task',
    async (body) => {
      const client = await clientOf((_, res) => res.writeHead(404).end(body))
      await expect(client.call('getTask', { id: 't1' })).rejects.toMatchObject({ kind: 'MethodNotFound' })
    },
  )

  test('a result that breaks the dialect is an InvalidPeerResponse', async () => {
    const client = await clientOf((_, res) => sendJson(res, 200, { id: 't1' }))
    await expect(client.call('getTask', { id: 't1' })).rejects.toBeInstanceOf(InvalidPeerResponse)
  })
})

describe('stream', () => {
  test('reads an error that comes as the only event of a refused stream', async () => {
    const error = { code: 404, status: 'NOT_FOUND', message: 'no such task', details: [] }
    const client = await clientOf((_, res) => {
      res.writeHead(404, { 'Content-Type': 'text/event-stream' }).end(`data: ${JSON.stringify({ error })}\n\n`)
    })
    const refused = drain(client.stream('subscribeTask', { id: 't1' }))
    await expect(refused).rejects.toMatchObject({ kind: 'TaskNotFound', message: 'no such task' })
    expect(server?.received).toHaveLength(1)
  })

  test('tries GET where POST on the subscription is not known', async () => {
    const client = await clientOf(({ method }, res) => {
      if (method !== 'GET') return void res.writeHead(405).end()
      sendFrames(res, [`data: ${JSON.stringify({ task: { ...TASK, status: { state: 'TASK_STATE_CANCELED' } } })}`])
    })
    const items = await drain(client.stream('subscribeTask', { id: 't1' }))
    expect(items).toHaveLength(1)
    expect(server?.received.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /api/tasks/t1:subscribe',
      'GET /api/tasks/t1:subscribe',
    ])
  })

  test('an unknown task is no reason to try again', async () => {
    const error = { code: 404, status: 'NOT_FOUND', message: 'Task not found' }
    const client = await clientOf((_, res) => sendJson(res, 404, { error }))
    await expect(client.stream('subscribeTask', { id: 't1' }).next()).rejects.toMatchObject({ kind: 'TaskNotFound' })
    expect(server?.received).toHaveLength(1)
  })

  test.each([
    'event: error\ndata: {"code":-32603,"message":"broken"}',
    'data: {"error":{"code":500,"status":"INTERNAL","message":"broken"}}',
  ])('reads %j as an error in the middle of a stream', async (last) => {
    const client = await clientOf((_, res) => sendFrames(res, [`data: ${JSON.stringify({ task: TASK })}`, last]))
    const stream = client.stream('streamMessage', SEND)
    expect((await stream.next()).value).toEqual({ event: { task: TASK } })
    await expect(stream.next()).rejects.toMatchObject({ kind: 'InternalError', message: 'broken' })
  })

  test('an error before the stream is that error', async () => {
    const error = { code: 400, status: 'INVALID_ARGUMENT', message: 'no' }
    const client = await clientOf((_, res) => sendJson(res, 400, { error }))
    await expect(client.stream('streamMessage', SEND).next()).rejects.toMatchObject({ message: 'no' })
  })
})
