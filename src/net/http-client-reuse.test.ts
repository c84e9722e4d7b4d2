// Connections that their server ends when the client believes them usable: what must not be sent on them, what may be
// asked once more, and that every repetition is recorded.

import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { HttpClient } from './http-client.ts'
import type { HttpRequest } from './http-request.ts'

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'
/** As uvicorn answers an exception: complete, and nothing about the connection, which it then closes. */
const FAILED = 'HTTP/1.1 500 Internal Server Error\r\nContent-Length: 6\r\n\r\nfailed'

const client = new HttpClient()
let server: Server | undefined
afterEach(() => {
  client.close()
  server?.close()
})

interface Seen {
  url: string
  /** The request lines in the order of arrival, each with the number of its connection. */
  requests: string[]
}

/** `answer` says what comes back to the nth request of a connection; undefined ends the connection instead. */
async function serve(answer: (nth: number, connection: number, line: string) => string | undefined): Promise<Seen> {
  const requests: string[] = []
  let connections = 0
  server = createServer((socket: Socket) => {
    const connection = ++connections
    let nth = 0
    socket.on('error', () => {})
    socket.on('data', (bytes) => {
      const [line = ''] = bytes.toString('latin1').split(' HTTP/1.1', 1)
      requests.push(`${connection}: ${line}`)
      const reply = answer(++nth, connection, line)
      if (reply === undefined) socket.destroy()
      else if (reply.endsWith('\r\n\r\nok') || reply.endsWith('failed')) socket.write(reply)
      else socket.end(reply)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return { url: `http://127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}`, requests }
}

async function ask(request: HttpRequest) {
  const response = await client.request(request)
  return { text: await response.text(), exchange: response.exchange }
}

const firstOnly = (reply: string) => (nth: number) => (nth === 1 ? reply : undefined)

test.each([500, 502, 503])('a connection that brought a %i is not used again', async (status) => {
  const { url, requests } = await serve(firstOnly(FAILED.replace('500', String(status))))
  await ask({ method: 'POST', url, body: 'a' })
  await ask({ method: 'POST', url, body: 'b' })
  expect(requests).toEqual(['1: POST /', '2: POST /'])
})

test('a connection that brought a 404 is', async () => {
  const { url, requests } = await serve(() => OK.replace('200', '404'))
  await ask({ url })
  await ask({ url })
  expect(requests).toEqual(['1: GET /', '1: GET /'])
})

test.each<[string, '' | undefined]>([
  ['resets', undefined],
  ['closes', ''],
])('a read is repeated once when the server %s a used connection without a byte', async (_, ending) => {
  const { url, requests } = await serve((nth) => (nth === 1 ? OK : ending))
  const first = await ask({ url })
  const { text, exchange } = await ask({ method: 'POST', url, body: 'read', repeatable: true })
  expect(text).toBe('ok')
  expect(requests).toEqual(['1: GET /', '1: POST /', '2: POST /'])
  expect(first.exchange.repeated).toBeUndefined()
  expect(exchange.repeated).toContain('without a byte of an answer')
  expect(exchange.failure).toBeUndefined()
})

test('the repetition does not take another used connection', async () => {
  const { url, requests } = await serve((nth, connection) => (nth === 1 || connection > 2 ? OK : undefined))
  // Two at a time, so that two connections are free afterwards.
  await Promise.all([ask({ url }), ask({ url })])
  expect((await ask({ url })).text).toBe('ok')
  expect(requests.at(-1)).toBe('3: GET /')
})

test('a write is not repeated', async () => {
  const { url, requests } = await serve(firstOnly(OK))
  await ask({ url })
  await expect(ask({ method: 'POST', url, body: 'create' })).rejects.toMatchObject({ code: 'reset' })
  expect(requests).toEqual(['1: GET /', '1: POST /'])
})

test('a write that asks for it goes out on a connection of its own', async () => {
  const { url, requests } = await serve(firstOnly(OK))
  await ask({ url })
  const { text, exchange } = await ask({ method: 'POST', url, body: 'create', freshConnection: true })
  expect(text).toBe('ok')
  expect(exchange.repeated).toBeUndefined()
  expect(requests).toEqual(['1: GET /', '2: POST /'])
})

test('an answer that began is not asked for again', async () => {
  const { url, requests } = await serve((nth) => (nth === 1 ? OK : 'HTTP/1.1 2'))
  await ask({ url })
  await expect(ask({ url })).rejects.toMatchObject({ code: 'reset' })
  expect(requests).toEqual(['1: GET /', '1: GET /'])
})

test('a fresh connection that ends without an answer is an answer', async () => {
  const { url, requests } = await serve(() => undefined)
  await expect(ask({ url })).rejects.toMatchObject({ code: 'reset' })
  expect(requests).toEqual(['1: GET /'])
})
