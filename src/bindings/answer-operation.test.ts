// A stream that breaks once it flows: the client loses the connection, and only a bug of ours is logged as one.

import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { A2AError } from '../model/errors.ts'
import { type A2AServer, createServer } from '../server/server.ts'
import type { EventFeed, Service } from './service.ts'

const CARD = {
  ...{ name: 'broken', description: 'Breaks off.', version: '1', capabilities: { streaming: true } },
  ...{ defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'] },
  skills: [{ id: 's', name: 's', description: 's', tags: ['s'] }],
}

let server: A2AServer | undefined
afterEach(() => server?.close({ graceMs: 0 }))

/** Streams from a feed that fails like this; what arrived, and what was logged. */
async function breakOffWith(error: Error): Promise<{ answer: string; logged: string[]; closed: number }> {
  const logged: string[] = []
  let closed = 0
  const feed: EventFeed = {
    ...{ opening: undefined, openingSeq: undefined, close: () => closed++ },
    next: () => Promise.reject(error),
  }
  const service = { stream: async () => feed } as unknown as Service
  server = createServer({ agents: [{ card: CARD, service }], log: (_level, event) => logged.push(event) })
  const { port } = await server.listen()
  const params = { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'x' }] } }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendStreamingMessage', params })
  const socket = connect({ port, host: '127.0.0.1' })
  let answer = ''
  socket.on('data', (chunk) => (answer += chunk.toString()))
  socket.on('error', () => {})
  socket.write(
    'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nA2A-Version: 1.0\r\n' +
      `Content-Length: ${body.length}\r\n\r\n${body}`,
  )
  await once(socket, 'close')
  return { answer, logged, closed }
}

test('a store that goes away breaks the stream off without a complaint', async () => {
  const { answer, logged, closed } = await breakOffWith(new A2AError('Unavailable', 'the task store is not available'))
  expect(answer).not.toContain('0\r\n\r\n')
  expect(logged).toEqual([])
  expect(closed).toBeGreaterThan(0)
})

test('a bug breaks it off too, and is logged', async () => {
  const { answer, logged } = await breakOffWith(new TypeError('x is not a function'))
  expect(answer).not.toContain('0\r\n\r\n')
  expect(logged).toEqual(['internal-error'])
})
