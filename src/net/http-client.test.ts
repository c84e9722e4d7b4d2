import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTcpServer } from 'node:net'
import { brotliCompressSync, createGzip, deflateSync, gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Exchange } from '../trace/exchange.ts'
import { HttpClient } from './http-client.ts'
import { NetError } from './net-error.ts'

type OnRequest = (req: IncomingMessage, res: ServerResponse) => void

const servers: { close(): void; closeAllConnections?: () => void }[] = []
let exchanges: Exchange[] = []
let client = new HttpClient()

beforeEach(() => {
  exchanges = []
  client = new HttpClient({ onExchange: (exchange) => exchanges.push(exchange) })
})
afterEach(() => {
  client.close()
  for (const server of servers.splice(0)) {
    server.closeAllConnections?.()
    server.close()
  }
})

async function portOf(server: Server | ReturnType<typeof createTcpServer>): Promise<number> {
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return address !== null && typeof address === 'object' ? address.port : 0
}

async function serve(onRequest: OnRequest): Promise<string> {
  return `http://127.0.0.1:${await portOf(createServer(onRequest))}`
}

async function serveBytes(bytes: string): Promise<string> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => socket.end(bytes, 'latin1'))
  })
  return `http://127.0.0.1:${await portOf(server)}`
}

async function failureOf(action: Promise<unknown>): Promise<NetError> {
  try {
    await action
  } catch (error) {
    if (error instanceof NetError) return error
    throw error
  }
  throw new Error('it did not fail')
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

describe('asking', () => {
  test('sends names, order and body as given, and records both sides', async () => {
    let raw: string[] = []
    const url = await serve((req, res) => {
      raw = req.rawHeaders
      req.pipe(
        res.writeHead(
          201,
          [
            ['X-One', '1'],
            ['x-one', '2'],
          ].flat(),
        ),
      )
    })
    const response = await client.request({
      method: 'POST',
      url: `${url}/a?b=c`,
      headers: [
        ['X-Zed', 'z'],
        ['a2a-version', '1.0'],
        ['X-Zed', 'y'],
      ],
      body: 'grüße',
    })
    expect(response.status).toBe(201)
    expect(await response.text()).toBe('grüße')
    expect(response.header('X-ONE')).toBe('1')
    const [exchange] = exchanges
    expect(exchange).toBe(response.exchange)
    expect(exchange?.request.headers.flat()).toEqual(raw)
    expect(raw.slice(2, 8)).toEqual(['X-Zed', 'z', 'a2a-version', '1.0', 'X-Zed', 'y'])
    expect(exchange?.request).toMatchObject({ method: 'POST', url: `${url}/a?b=c` })
    expect(Buffer.from(exchange?.response?.body ?? []).toString()).toBe('grüße')
    expect(exchange?.response?.headers.slice(0, 2)).toEqual([
      ['X-One', '1'],
      ['x-one', '2'],
    ])
    expect(exchange?.failure).toBeUndefined()
  })

  test('reuses a connection that was read to its end', async () => {
    const ports = new Set<number | undefined>()
    const url = await serve((req, res) => {
      ports.add(req.socket.remotePort)
      res.end('x')
    })
    for (let round = 0; round < 3; round++) await (await client.request({ url })).bytes()
    expect(ports.size).toBe(1)
  })

  test('shares no connection when the host is resolved specially', async () => {
    const ports = new Set<number | undefined>()
    const url = await serve((req, res) => {
      ports.add(req.socket.remotePort)
      res.end(req.headers.host)
    })
    const named = url.replace('127.0.0.1', 'agent.test')
    for (let round = 0; round < 2; round++) {
      const response = await client.request({
        url: named,
        lookup: (_host, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]),
      })
      expect(await response.text()).toBe(new URL(named).host)
    }
    expect(ports.size).toBe(2)
  })

  test('does not follow redirects', async () => {
    const url = await serve((_req, res) => void res.writeHead(302, { Location: 'http://127.0.0.1:1/' }).end())
    const response = await client.request({ url })
    expect(response.status).toBe(302)
    await response.bytes()
  })

  test.each(['a\r\nX-Injected: 1', 'a\nb', 'a\0b', 'snow\u2603'])(
    'refuses the header value %j unseen',
    async (value) => {
      const failure = await failureOf(client.request({ url: 'http://127.0.0.1:1/', headers: { Authorization: value } }))
      expect(failure.code).toBe('protocol')
      expect(failure.message).toContain('Authorization')
      expect(failure.message).not.toContain(value)
    },
  )

  test.each(['ftp://127.0.0.1/', 'nonsense', 'http://user:pw@127.0.0.1/'])('refuses the address %s', async (url) => {
    expect((await failureOf(client.request({ url }))).code).toBe('protocol')
  })
})

describe('reading', () => {
  test.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('undoes %s', async (encoding, compress) => {
    const url = await serve((_req, res) => {
      res.writeHead(200, { 'Content-Encoding': encoding }).end(compress(Buffer.from('hello')))
    })
    expect(await (await client.request({ url })).text()).toBe('hello')
  })

  test('stops a body at the limit, compressed or not, and keeps what it had', async () => {
    const url = await serve((req, res) => {
      if (req.url === '/bomb')
        res.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync(Buffer.alloc(20_000_000)))
      else res.end(Buffer.alloc(2_000))
    })
    for (const path of ['/bomb', '/plain']) {
      const response = await client.request({ url: url + path, maxBodyBytes: 1_000 })
      expect((await failureOf(response.bytes())).code).toBe('too-large')
      expect(response.exchange.response?.body).toHaveLength(1_000)
      expect(response.exchange.response?.incomplete).toBeDefined()
    }
    expect(exchanges).toHaveLength(2)
  })

  test('reads events as they arrive, with their times', async () => {
    const url = await serve((_req, res) => {
      res.writeHead(200, { 'Content-Type': 'text/event-stream' })
      res.end('id: 1\ndata: a\n\n: note\n\nevent: e\ndata: b\n\n')
    })
    const response = await client.request({ url })
    expect(response.contentType?.essence).toBe('text/event-stream')
    const frames = await collect(response.frames())
    expect(frames).toMatchObject([
      { id: '1', event: undefined, data: 'a' },
      { id: undefined, event: 'e', data: 'b' },
    ])
    expect(response.exchange.response?.frames).toEqual(frames)
    expect(Buffer.from(response.exchange.response?.body ?? []).toString()).toContain(': note')
    expect(exchanges).toHaveLength(1)
  })

  test('sees each event of a compressed stream before the next is sent', async () => {
    const next: (() => void)[] = []
    const url = await serve((_req, res) => {
      res.writeHead(200, { 'Content-Encoding': 'gzip' })
      const gzip = createGzip()
      gzip.pipe(res)
      const send = (data: string) => {
        gzip.write(`data: ${data}\n\n`)
        gzip.flush()
      }
      next.push(
        () => send('second'),
        () => void gzip.end(),
      )
      send('first')
    })
    const seen: string[] = []
    for await (const frame of (await client.request({ url })).frames()) {
      seen.push(frame.data)
      next.shift()?.()
    }
    expect(seen).toEqual(['first', 'second'])
  })

  test('keeps the connection of a stream that ends with its last event, and gives up one that does not', async () => {
    const ends: Promise<unknown>[] = []
    const sockets = new Set<object>()
    const url = await serve((req, res) => {
      sockets.add(req.socket)
      ends.push(once(res, 'close'))
      res.writeHead(200, { 'Content-Type': 'text/event-stream' })
      res.write('data: last\n\n')
      // Not with the event, but after the client has left the loop.
      if (req.url === '/ends') setImmediate(() => res.end())
    })
    const readOne = async (path: string) => {
      const response = await client.request({ url: url + path })
      for await (const _ of response.frames()) {
        response.saidAll()
        break
      }
      response.close()
      await ends.at(-1)
      // What the server wrote is at hand; reading it takes a turn of the event loop.
      for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
    }
    await readOne('/ends')
    await readOne('/ends')
    expect(sockets.size).toBe(1)
    await readOne('/hangs')
    await readOne('/ends')
    expect(sockets.size).toBe(2)
  })

  test('leaving the loop closes the connection', async () => {
    const closed = Promise.withResolvers<void>()
    const url = await serve((_req, res) => {
      res.write('data: a\n\n')
      res.on('close', () => closed.resolve())
    })
    for await (const _ of (await client.request({ url })).frames()) break
    await closed.promise
    expect(exchanges[0]?.failure).toBeUndefined()
    expect(exchanges[0]?.response?.incomplete).toBeDefined()
  })

  test('a second reading of a stream is refused', async () => {
    const url = await serve((_req, res) => void res.end('data: a\n\n'))
    const response = await client.request({ url })
    await collect(response.frames())
    expect((await failureOf(response.bytes())).code).toBe('protocol')
  })
})

describe('ending, whatever the peer does', () => {
  test('nobody listens', async () => {
    const failure = await failureOf(client.request({ url: 'http://127.0.0.1:1/?token=hunter2' }))
    expect(failure).toMatchObject({ code: 'unreachable', exchange: { failure: failure.message } })
    expect(failure.message).toContain('127.0.0.1:1')
    expect(failure.message).not.toContain('hunter2')
    expect(exchanges).toHaveLength(1)
  })

  test('silence before the head', async () => {
    const url = await serve(() => {})
    expect((await failureOf(client.request({ url, timeoutMs: 50 }))).code).toBe('timeout')
  })

  test.each([
    ['silence in the body', 0],
    ['a body that drips', 5],
  ])('%s', async (_, everyMs) => {
    const url = await serve((_req, res) => {
      res.write('x')
      if (everyMs === 0) return
      const drip = setInterval(() => res.write('x'), everyMs)
      res.on('close', () => clearInterval(drip))
    })
    const response = await client.request({ url, timeoutMs: 60 })
    const failure = await failureOf(response.bytes())
    expect(failure.code).toBe('timeout')
    expect(response.exchange).toMatchObject({ failure: failure.message, response: { incomplete: failure.message } })
  })

  test('a body nobody reads', async () => {
    const url = await serve((_req, res) => void res.write('x'))
    const over = Promise.withResolvers<Exchange>()
    await client.request({ url, timeoutMs: 50, onExchange: over.resolve })
    expect((await over.promise).failure).toMatch(/within 50 ms/)
  })

  test('a silent stream', async () => {
    const url = await serve((_req, res) => void res.write('data: a\n\n'))
    const response = await client.request({ url, idleTimeoutMs: 50 })
    expect((await failureOf(collect(response.frames()))).code).toBe('timeout')
  })

  test('a stream of comments only', async () => {
    const url = await serve((_req, res) => {
      const drip = setInterval(() => res.write(':\n\n'), 5)
      res.on('close', () => clearInterval(drip))
    })
    const response = await client.request({ url, idleTimeoutMs: 1_000, streamTimeoutMs: 80 })
    expect((await failureOf(collect(response.frames()))).code).toBe('timeout')
  })

  test('an endless event', async () => {
    const url = await serve((_req, res) => {
      const more = () => {
        while (!res.destroyed && res.write('data: xxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n'));
      }
      res.on('drain', more)
      more()
    })
    const response = await client.request({ url, maxEventBytes: 10_000 })
    expect((await failureOf(collect(response.frames()))).code).toBe('too-large')
  })

  test('a slow reader is not taken for a silent peer', async () => {
    const url = await serve((_req, res) => {
      res.write('data: a\n\n')
      setTimeout(() => res.end('data: b\n\n'), 5)
    })
    const seen: string[] = []
    for await (const frame of (await client.request({ url, idleTimeoutMs: 60 })).frames()) {
      seen.push(frame.data)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    expect(seen).toEqual(['a', 'b'])
  })

  test('a signal, before, during and after the head', async () => {
    const url = await serve((req, res) => {
      if (req.url === '/stream') res.write('data: a\n\n')
    })
    expect((await failureOf(client.request({ url, signal: AbortSignal.abort() }))).code).toBe('aborted')
    expect((await failureOf(client.request({ url, signal: AbortSignal.timeout(20) }))).code).toBe('aborted')
    const abort = new AbortController()
    const response = await client.request({ url: `${url}/stream`, signal: abort.signal })
    const reading = failureOf(
      (async () => {
        for await (const _ of response.frames()) abort.abort()
      })(),
    )
    expect((await reading).code).toBe('aborted')
  })

  test.each([
    ['a body shorter than announced', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc', 'reset'],
    ['an end in the middle of a chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nabc', 'reset'],
    ['no answer at all', '', 'reset'],
    ['no HTTP', 'SSH-2.0-OpenSSH\r\n\r\n', 'protocol'],
    ['head fields without end', `HTTP/1.1 200 OK\r\nX: ${'y'.repeat(40_000)}\r\n\r\n`, 'too-large'],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd', 'protocol'],
    ['a body that is not its encoding', 'HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\nabc', 'protocol'],
  ])('%s', async (_, bytes, code) => {
    const url = await serveBytes(bytes)
    const failure = await failureOf(client.request({ url }).then((response) => response.bytes()))
    expect(failure.code).toBe(code)
    expect(exchanges).toHaveLength(1)
    expect(exchanges[0]?.failure).toBe(failure.message)
  })

  test('a peer without TLS asked over https', async () => {
    const url = await serveBytes('HTTP/1.1 400 Bad Request\r\n\r\n')
    const failure = await failureOf(client.request({ url: url.replace('http:', 'https:') }))
    expect(failure.code).toBe('tls')
  })
})
