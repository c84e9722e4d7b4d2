// Clients that ask and do not read: what the server holds for them is bounded, whatever they ask for.

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { SPEC_CARD } from '../../src/agents/cards.ts'
import type { Limits } from '../../src/net/limits.ts'
import { openMemoryStore } from '../../src/server/backend/memory/tasks.ts'
import { type A2AServer, createServer } from '../../src/server/server.ts'

const MIB = 1024 * 1024
const SCOPE = { agent: '/', tenant: '', subject: 'anonymous' }
const { extendedAgentCard: _none, ...capabilities } = SPEC_CARD.capabilities

let server: A2AServer | undefined
const sockets: Socket[] = []
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await server?.close({ graceMs: 0 })
})

/** A server with one stored task of this size, which counts how often it is read. */
async function serveTask(bytes: number, limits: Partial<Limits> = {}) {
  const store = openMemoryStore()
  let reads = 0
  const get = store.get.bind(store)
  store.get = (...args) => {
    reads++
    return get(...args)
  }
  await store.create(SCOPE, {
    id: 'large',
    contextId: 'c',
    status: { state: 'TASK_STATE_COMPLETED', timestamp: '2026-01-01T00:00:00.000Z' },
    artifacts: [{ artifactId: 'a', parts: [{ text: 'x'.repeat(bytes) }] }],
  })
  server = createServer({ agents: [{ card: { ...SPEC_CARD, capabilities }, agent: () => 'hi' }], store, limits })
  const { port } = await server.listen()
  return { port, reads: () => reads }
}

async function open(port: number, bytes: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  sockets.push(socket)
  socket.on('error', () => {})
  socket.pause()
  await once(socket, 'connect')
  socket.write(bytes)
  return socket
}

const CALL = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id: 'large' } })
const REQUESTS = [
  ['HTTP+JSON', 'GET /tasks/large HTTP/1.1\r\nHost: x\r\nA2A-Version: 1.0\r\n\r\n'],
  [
    'JSON-RPC',
    `POST / HTTP/1.1\r\nHost: x\r\nA2A-Version: 1.0\r\nContent-Type: application/json\r\nContent-Length: ${CALL.length}\r\n\r\n${CALL}`,
  ],
] as const

describe.each(REQUESTS)('over %s', (_, request) => {
  test('500 requests on one connection whose answers nobody reads: only the first is begun', async () => {
    const { port, reads } = await serveTask(16 * MIB)
    await open(port, request.repeat(500))
    while (reads() === 0) await turn()
    for (let n = 0; n < 50; n++) await turn()
    expect(reads()).toBe(1)
  })

  test('an answer larger than may wait for its reader is not begun, and the error says the numbers', async () => {
    const { port } = await serveTask(2 * MIB, { unreadBytesPerSocket: MIB })
    const socket = await open(port, request)
    socket.resume()
    const [answer] = (await once(socket, 'data')) as [Buffer]
    expect(answer.toString()).toMatch(/would have 2,097,\d\d\d bytes, and at most 1,048,576 are sent/)
    expect(answer.toString()).toContain('RESOURCE_EXHAUSTED')
  })
})
