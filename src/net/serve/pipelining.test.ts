// Requests sent without waiting for their answers, and answers nobody reads.

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import type { Limits } from '../limits.ts'
import { createListener, type Listener, type OnRequest } from './http-listener.ts'
import { StreamWriter } from './stream-writer.ts'

const MIB = 1024 * 1024
/** More than the operating system takes over for a peer that does not read. */
const LARGE = 16 * MIB
/** What bodies are made of, and nothing else: headers have any letter, as that of `max` in Keep-Alive. */
const FILLER = 0

const started: Listener[] = []
const sockets: Socket[] = []

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await Promise.all(started.splice(0).map((listener) => listener.close({ graceMs: 0 })))
})

async function start(onRequest: OnRequest, limits: Partial<Limits> = {}) {
  const listener = createListener(onRequest, { limits })
  started.push(listener)
  return listener.listen({ port: 0 })
}

/** A client that reads nothing until it is resumed. */
async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  sockets.push(socket)
  socket.on('error', () => {})
  socket.pause()
  await once(socket, 'connect')
  return socket
}

function request(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`
}

/** An answer of this size, and what the server knows about its requests. */
function counting(sizeOf: (path: string) => number) {
  const begun: { path: string; socket: Socket }[] = []
  const first = Promise.withResolvers<void>()
  const onRequest: OnRequest = (req, res) => {
    begun.push({ path: req.url ?? '', socket: req.socket })
    res.on('prefinish', () => first.resolve())
    res.end(Buffer.alloc(sizeOf(req.url ?? ''), FILLER))
  }
  return { begun, onRequest, firstAnswered: first.promise }
}

/** Long enough for anything that is not waiting for somebody else. */
async function someTurns(): Promise<void> {
  for (let n = 0; n < 20; n++) await turn()
}

async function closed(socket: Socket | undefined): Promise<void> {
  if (socket !== undefined && !socket.closed) await new Promise((resolve) => socket.once('close', resolve))
}

describe('pipelined requests', () => {
  test('are not begun while the answer before them waits for its reader', async () => {
    const { begun, onRequest, firstAnswered } = counting((path) => (path === '/0' ? LARGE : 10))
    const { port } = await start(onRequest)
    const client = await open(port)
    client.write(Array.from({ length: 500 }, (_, n) => request(`/${n}`)).join(''))
    await firstAnswered
    await someTurns()
    expect(begun.map(({ path }) => path)).toEqual(['/0'])
    expect(begun[0]?.socket.writableLength).toBeLessThanOrEqual(LARGE + 1_000)

    client.resume()
    const size = LARGE + 499 * 10
    let bodies = 0
    for await (const chunk of client) {
      for (const byte of chunk as Buffer) if (byte === FILLER) bodies++
      if (bodies === size) break
    }
    expect(begun.map(({ path }) => path)).toEqual(Array.from({ length: 500 }, (_, n) => `/${n}`))
  })

  test('are not read on while some of them wait', async () => {
    const { begun, onRequest, firstAnswered } = counting(() => LARGE)
    const { port } = await start(onRequest)
    const client = await open(port)
    // What is sent at once is read at once; whatever comes later is not.
    client.write(request('/').repeat(100))
    await firstAnswered
    await someTurns()
    const read = begun[0]?.socket.bytesRead
    client.write(request('/').repeat(100))
    await someTurns()
    expect(begun).toHaveLength(1)
    expect(begun[0]?.socket.bytesRead).toBe(read)
  })

  test('wait for the end of a stream', async () => {
    const begun: string[] = []
    const streaming = Promise.withResolvers<() => void>()
    const { port } = await start((req, res) => {
      begun.push(req.url ?? '')
      if (req.url !== '/stream') return void res.end('after')
      res.writeHead(200).flushHeaders()
      streaming.resolve(() => void res.end())
    })
    const client = await open(port)
    client.write(request('/stream') + request('/after'))
    const end = await streaming.promise
    await someTurns()
    expect(begun).toEqual(['/stream'])
    end()
    client.resume()
    let text = ''
    for await (const chunk of client) {
      text += String(chunk)
      if (text.endsWith('after')) break
    }
    expect(begun).toEqual(['/stream', '/after'])
  })

  test('with bodies are answered in their order, each with its own', async () => {
    const { port } = await start(async (req, res) => {
      const chunks: Buffer[] = []
      for await (const chunk of req) chunks.push(chunk as Buffer)
      res.end(`<${Buffer.concat(chunks).toString()}>`)
    })
    const client = await open(port)
    const bodies = Array.from({ length: 20 }, (_, n) => `body ${n} ${'x'.repeat(10_000 * (n % 3))}`)
    for (const body of bodies)
      client.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
    client.resume()
    let text = ''
    for await (const chunk of client) {
      text += String(chunk)
      if (text.split('>').length > bodies.length) break
    }
    expect([...text.matchAll(/<(.*?)>/g)].map(([, body]) => body)).toEqual(bodies)
  })

  test('of a client that left are never begun', async () => {
    const { begun, onRequest, firstAnswered } = counting(() => LARGE)
    const { port } = await start(onRequest)
    const client = await open(port)
    client.write(request('/').repeat(100))
    await firstAnswered
    client.destroy()
    await closed(begun[0]?.socket)
    await someTurns()
    expect(begun).toHaveLength(1)
  })

  test('beyond the last one of a connection do not take the answers of those before them', async () => {
    const { begun, onRequest } = counting(() => 10)
    const { port } = await start(onRequest, { requestsPerSocket: 5 })
    const client = await open(port)
    client.write(request('/').repeat(8))
    client.resume()
    let text = ''
    for await (const chunk of client) text += String(chunk)
    expect(text.split('HTTP/1.1 200 OK')).toHaveLength(6)
    expect(begun).toHaveLength(5)
  })
})

describe('answers nobody reads', () => {
  /** Opens so many connections, one after the other, that ask for a large answer and do not read it. */
  async function unread(count: number, limits: Partial<Limits>, answer?: OnRequest) {
    const { begun, onRequest } = counting(() => LARGE)
    const { port } = await start(answer === undefined ? onRequest : answer, limits)
    for (let n = 0; n < count; n++) {
      const client = await open(port)
      client.write(request(`/${n}`))
    }
    while (begun.length < count && answer === undefined) await turn()
    await someTurns()
    return begun
  }

  test('take a bounded amount of memory over all connections, and the oldest goes first', async () => {
    const begun = await unread(6, { unreadBytes: 24 * MIB })
    const alive = begun.filter(({ socket }) => !socket.destroyed)
    expect(alive).toEqual(begun.slice(-alive.length))
    expect(alive.reduce((sum, { socket }) => sum + socket.writableLength, 0)).toBeLessThanOrEqual(24 * MIB)
  })

  test('take a bounded amount of memory on one connection', async () => {
    const [one] = await unread(1, { unreadBytesPerSocket: 4 * MIB })
    expect(one?.socket.destroyed).toBe(true)
  })

  test('are cut off when nothing of them was read for too long', async () => {
    const { begun, onRequest, firstAnswered } = counting(() => LARGE)
    const { port } = await start(onRequest, { unreadTimeoutMs: 40 })
    const client = await open(port)
    client.write(request('/'))
    await firstAnswered
    await closed(begun[0]?.socket)
    expect(begun[0]?.socket.destroyed).toBe(true)
  })

  test('a stream counts too', async () => {
    const served: Socket[] = []
    await unread(6, { unreadBytes: 24 * MIB }, (req, res) => {
      served.push(req.socket)
      res.writeHead(200).flushHeaders()
      new StreamWriter(res, 60_000).write('x'.repeat(LARGE))
    })
    while (served.length < 6) await turn()
    await someTurns()
    const alive = served.filter(({ destroyed }) => !destroyed)
    expect(alive).toEqual(served.slice(-alive.length))
    expect(alive.reduce((sum, { writableLength }) => sum + writableLength, 0)).toBeLessThanOrEqual(24 * MIB)
  })
})
