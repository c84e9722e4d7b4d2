// Bodies that arrive slowly, in crumbs, or never whole.

import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { createListener, type Listener } from './http-listener.ts'
import { NodeRequest } from './node-request.ts'
import { readBody } from './read-body.ts'
import { receivingBodies } from './receiving-bodies.ts'

const KIB = 1024
const clients: Socket[] = []
let listener: Listener | undefined
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy()
  await listener?.close({ graceMs: 0 })
})

/** A listener that reads bodies; what it has read, and the requests it is reading. */
async function start(inAll: number) {
  const requests: IncomingMessage[] = []
  const read: string[] = []
  listener = createListener(async (req, res) => {
    requests.push(req)
    const reading = Promise.resolve(readBody(new NodeRequest(req, res), 1024 * KIB, inAll))
    const body = await reading.catch((error: Error) => error.message)
    read.push(body.toString())
    if (!res.destroyed) res.end(String(body.length))
  })
  const { port } = await listener.listen({ port: 0 })
  return { port, requests, read }
}

async function open(port: number, headers: string): Promise<Socket> {
  const client = connect(port, '127.0.0.1')
  clients.push(client)
  client.on('error', () => {})
  await once(client, 'connect')
  client.write(`POST / HTTP/1.1\r\nHost: x\r\n${headers}\r\n\r\n`)
  return client
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await turn()
}

describe('bodies that stay incomplete', () => {
  test('take a bounded amount of memory together; who has been silent for the longest is cut', async () => {
    const { port, requests } = await start(300 * KIB)
    const sent = async (n: number) => {
      const client = await open(port, `Content-Length: ${200 * KIB}`)
      client.write(Buffer.alloc(100 * KIB))
      await until(() => requests.length === n && receivingBodies.total >= Math.min(n, 3) * 100 * KIB)
      return client
    }
    const first = await sent(1)
    await sent(2)
    await sent(3)
    // The first goes on, so the second has been silent for the longest.
    const before = receivingBodies.total
    first.write(Buffer.alloc(KIB))
    await until(() => requests[1]?.destroyed === true)
    expect(requests.map(({ destroyed }) => destroyed)).toEqual([false, true, false])
    expect(before).toBe(300 * KIB)
    expect(receivingBodies.total).toBe(201 * KIB)
  })

  test('give their room back when their client leaves, and when they are complete', async () => {
    const { port, requests, read } = await start(1024 * KIB)
    const leaving = await open(port, `Content-Length: ${20 * KIB}`)
    leaving.write(Buffer.alloc(10 * KIB))
    const going = await open(port, `Content-Length: ${20 * KIB}`)
    going.write(Buffer.alloc(10 * KIB))
    await until(() => requests.length === 2 && receivingBodies.total === 20 * KIB)
    leaving.destroy()
    going.write(Buffer.alloc(10 * KIB))
    await until(() => read.length === 2)
    expect(receivingBodies.total).toBe(0)
  })
})

describe('bodies in small pieces', () => {
  const crumbs = (text: string, size: number) =>
    text.match(new RegExp(`.{1,${size}}`, 'g'))?.map((crumb) => `${crumb.length.toString(16)}\r\n${crumb}\r\n`) ?? []

  test('arrive whole', async () => {
    const { port, read } = await start(1024 * KIB)
    const text = Array.from({ length: 9_000 }, (_, n) => `${n},`).join('')
    const client = await open(port, 'Transfer-Encoding: chunked')
    const first = text.slice(0, 10)
    const rest = [100, 5_000, 20, 3].flatMap((size) => crumbs(text, size).slice(0, 500))
    client.write(`a\r\n${first}\r\n${rest.join('')}0\r\n\r\n`)
    await until(() => read.length === 1)
    const sizes = [100, 5_000, 20, 3]
    expect(read[0]).toBe(first + sizes.map((size) => text.slice(0, 500 * size)).join(''))
  })

  test('too many and too small, are refused by cutting the connection', async () => {
    const { port, requests, read } = await start(1024 * KIB)
    const client = await open(port, 'Transfer-Encoding: chunked')
    client.write(crumbs('x'.repeat(2_000), 1).join(''))
    await until(() => read.length === 1)
    expect(read[0]).toContain('too many small chunks')
    expect(requests[0]?.socket.destroyed).toBe(true)
  })
})
