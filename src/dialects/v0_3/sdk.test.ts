// What we write over 0.3, read by the official 0.3 SDK's own client over a real socket.

import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { JsonRpcTransport, RestTransport } from 'a2a-js-sdk-0-3/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { JsonValue } from '../../model/json.ts'
import type { PushConfig } from '../../model/operation.ts'
import type { Task } from '../../model/task.ts'
import { v0_3 } from './dialect.ts'
import { ROUTES } from './routes.ts'

const task: Task = {
  id: 't1',
  contextId: 'c1',
  status: { state: 'TASK_STATE_CANCELED', timestamp: '2026-01-02T03:04:05.678Z' },
  artifacts: [{ artifactId: 'a', parts: [{ raw: 'aGk=', mediaType: 'text/plain' }, { data: { n: 1 } }] }],
}

let server: Server
let url: string
const received: { method: string; params: unknown }[] = []

/** Reads with our codec, answers with our codec; nothing else is between the SDK and the dialect. */
beforeAll(async () => {
  server = createServer((req, res) => {
    let body = ''
    req.on('data', (chunk: Buffer) => {
      body += chunk.toString()
    })
    req.on('end', () => {
      res.setHeader('content-type', 'application/json')
      res.end(JSON.stringify(answer(req.method ?? '', req.url ?? '', body)))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

afterAll(() => {
  server.close()
})

function answer(method: string, path: string, body: string): JsonValue {
  const json = (body === '' ? {} : JSON.parse(body)) as { id?: number; method?: string; params?: JsonValue }
  if (path === '/rpc') {
    const op = json.method === 'message/send' ? 'sendMessage' : 'getTask'
    const codec = v0_3.codecs.jsonrpc
    received.push({ method: op, params: codec?.decodeRequest(op, json.params) })
    const wire = op === 'sendMessage' ? codec?.encodeResult(op, { task }).wire : codec?.encodeResult(op, task).wire
    return { jsonrpc: '2.0', id: json.id ?? null, result: wire ?? null }
  }
  const codec = v0_3.codecs.rest
  for (const route of ROUTES) {
    const pattern = new RegExp(`^${route.path.replace(/\{(\w+)\}/g, '(?<$1>[^/:]+)')}$`)
    const match = pattern.exec(path)
    if (match === null || route.method !== method) continue
    const request = codec?.decodeRequest(route.op, { ...json, ...match.groups } as JsonValue)
    received.push({ method: route.op, params: request })
    if (route.op === 'sendMessage') return codec?.encodeResult('sendMessage', { task }).wire ?? null
    if (route.op === 'createPushConfig' && request?.ok) {
      return codec?.encodeResult('createPushConfig', request.value as PushConfig).wire ?? null
    }
    return codec?.encodeResult('getTask', task).wire ?? null
  }
  return null
}

const sent = {
  message: {
    kind: 'message' as const,
    messageId: 'm1',
    role: 'user' as const,
    parts: [{ kind: 'text' as const, text: 'hi' }],
  },
  configuration: { blocking: true },
}
const understood = { ok: true, value: { message: { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'hi' }] } } }

test.each(['JSON-RPC', 'REST'])('the SDK and we understand each other over %s', async (binding) => {
  const transport =
    binding === 'REST' ? new RestTransport({ endpoint: url }) : new JsonRpcTransport({ endpoint: `${url}/rpc` })
  const answered = await transport.sendMessage(sent)
  expect(received.at(-1)).toMatchObject({ method: 'sendMessage', params: understood })
  const expected = {
    kind: 'task',
    id: 't1',
    contextId: 'c1',
    status: { state: 'canceled' },
    artifacts: [
      {
        artifactId: 'a',
        parts: [
          { kind: 'file', file: { bytes: 'aGk=' } },
          { kind: 'data', data: { n: 1 } },
        ],
      },
    ],
  }
  expect(answered).toMatchObject(expected)
  expect(await transport.getTask({ id: 't1' })).toMatchObject(expected)
})

test('a push configuration of the SDK comes through REST', async () => {
  const config = {
    taskId: 't1',
    pushNotificationConfig: { id: 'p1', url: 'https://example.com/', authentication: { schemes: ['Bearer'] } },
  }
  const created = await new RestTransport({ endpoint: url }).setTaskPushNotificationConfig(config)
  expect(received.at(-1)).toMatchObject({
    params: { value: { taskId: 't1', id: 'p1', authentication: { scheme: 'Bearer' } } },
  })
  expect(created).toMatchObject(config)
})
