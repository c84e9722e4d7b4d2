// What a request of node:http is as a value.

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { createListener, type Listener } from './http-listener.ts'
import { nodeHandler } from './node-handler.ts'
import type { Reply } from './reply.ts'
import type { ServerRequest } from './request.ts'

let listener: Listener | undefined
let client: Socket | undefined
afterEach(async () => {
  client?.destroy()
  await listener?.close({ graceMs: 0 })
})

/** Sends this; what the handler gets. */
async function received(bytes: string, answer: () => Promise<Reply> | Reply = () => ({ status: 204, headers: [] })) {
  const arrived = Promise.withResolvers<ServerRequest>()
  listener = createListener(
    nodeHandler((request) => {
      arrived.resolve(request)
      return answer()
    }),
  )
  const { port } = await listener.listen({ port: 0 })
  client = connect({ port, host: '127.0.0.1' })
  client.on('error', () => {})
  await once(client, 'connect')
  client.write(bytes)
  return { request: await arrived.promise, port, client }
}

test('path, query, headers, peer and where it arrived', async () => {
  const { request, port } = await received('GET /a/b?c=d%20e HTTP/1.1\r\nHost: elsewhere\r\nX-One: 1\r\n\r\n')
  expect(request).toMatchObject({ method: 'GET', url: '/a/b?c=d%20e', path: '/a/b', query: 'c=d%20e' })
  expect(request.headers['x-one']).toBe('1')
  expect(request.rawHeaders).toEqual(['Host', 'elsewhere', 'X-One', '1'])
  expect(request.peer.address).toBe('127.0.0.1')
  expect(request.peer.certificate).toBeUndefined()
  expect(request.origin).toBe(`http://127.0.0.1:${port}`)
  expect(request.body.isEmpty).toBe(true)
})

test('a body is read once', async () => {
  const { request } = await received(
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc',
    () => new Promise(() => {}),
  )
  const limits = { bodyBytes: 10, receivingBytes: 100 }
  expect(String(await request.body.read(limits))).toBe('abc')
  expect(() => request.body.read(limits)).toThrow('read already')
})

test('the signal tells of a client that left before its answer', async () => {
  const { request, client: leaving } = await received('GET / HTTP/1.1\r\nHost: x\r\n\r\n', () => new Promise(() => {}))
  const { signal } = request
  expect(signal.aborted).toBe(false)
  const aborted = once(signal, 'abort')
  leaving.destroy()
  await aborted
})
