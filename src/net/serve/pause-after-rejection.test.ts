import { once } from 'node:events'
import { Agent, createServer, get, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { pauseAfterRejection } from './pause-after-rejection.ts'

let server: Server
let client: Agent
/** The server's end of the client's one connection. */
let socket: Socket | undefined

beforeEach(async () => {
  client = new Agent({ keepAlive: true, maxSockets: 1 })
  server = createServer((req, res) => {
    socket = req.socket
    pauseAfterRejection(req, res)
    res.writeHead(Number(req.url?.slice(1))).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterEach(() => {
  client.destroy()
  server.close()
})

/** Asks for an answer with this status, and waits for it. */
async function ask(status: number, agent: Agent | false = client): Promise<void> {
  const { port } = server.address() as AddressInfo
  const [response] = (await once(get({ host: '127.0.0.1', port, path: `/${status}`, agent }), 'response')) as [
    IncomingMessage,
  ]
  await once(response.resume(), 'end')
}

test.each([429, 503])('after a %i the connection is not read for a moment', async (status) => {
  await ask(status)
  expect(socket?.isPaused()).toBe(true)
  await ask(200)
  expect(socket?.isPaused()).toBe(false)
})

test.each([200, 400, 500])('after a %i it is read at once', async (status) => {
  await ask(status)
  expect(socket?.isPaused()).toBe(false)
})

test('a client that leaves meanwhile harms nobody', async () => {
  await ask(429, false)
  await ask(429)
  await ask(200)
})
