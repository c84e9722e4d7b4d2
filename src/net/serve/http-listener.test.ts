import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { sendRaw, statusOf } from '../../../test/support/raw-socket.ts'
import { HttpClient } from '../http-client.ts'
import { createListener, type Listener, type ListenerOptions, type OnRequest } from './http-listener.ts'

const started: Listener[] = []
const client = new HttpClient()

afterEach(async () => {
  client.close()
  await Promise.all(started.splice(0).map((listener) => listener.close({ graceMs: 0 })))
})

async function start(onRequest: OnRequest, options?: ListenerOptions) {
  const listener = createListener(onRequest, options)
  started.push(listener)
  return { listener, ...(await listener.listen({ port: 0 })) }
}

const hello: OnRequest = (_req, res) => void res.end('hello')
const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'

describe('createListener', () => {
  test('serves, on a free port, and says where', async () => {
    const { url, port, host } = await start(hello)
    expect(url).toBe(`http://${host}:${port}`)
    expect(await (await client.request({ url })).text()).toBe('hello')
  })

  test('says which port is in use and what to do', async () => {
    const { port } = await start(hello)
    await expect(createListener(hello).listen({ port })).rejects.toMatchObject({
      code: 'port-in-use',
      exitCode: 1,
      message: expect.stringContaining(`127.0.0.1:${port}`),
    })
  })

  test('says so when the address is not of this machine', async () => {
    await expect(createListener(hello).listen({ port: 0, host: '192.0.2.1' })).rejects.toMatchObject({
      code: 'cannot-listen',
    })
  })

  test.each<[string, OnRequest]>([
    [
      'a throw',
      () => {
        throw new Error('secret detail')
      },
    ],
    ['a rejection', () => Promise.reject(new Error('secret detail'))],
  ])('answers %s with 500, without its text, and lives on', async (_, onRequest) => {
    const errors: unknown[] = []
    const { url } = await start(onRequest, { onError: (error) => errors.push(error) })
    for (let round = 1; round <= 2; round++) {
      const response = await client.request({ url })
      expect(response.status).toBe(500)
      expect(await response.text()).not.toContain('secret')
      expect(errors).toHaveLength(round)
    }
  })

  test('cuts the connection when a throw comes after the head was sent', async () => {
    const { url } = await start((_req, res) => {
      res.write('part')
      throw new Error('late')
    })
    const whole = client.request({ url }).then((response) => response.bytes())
    await expect(whole).rejects.toMatchObject({ code: 'reset' })
  })

  test('outlives writing to a response that has ended', async () => {
    const { url } = await start((_req, res) => {
      res.end('x')
      res.write('y')
    })
    expect(await (await client.request({ url })).text()).toBe('x')
    expect(await (await client.request({ url })).text()).toBe('x')
  })

  test('serves a server made elsewhere', async () => {
    const listener = createListener(hello)
    started.push(listener)
    const server = createServer()
    listener.attach(server)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    const port = address !== null && typeof address === 'object' ? address.port : 0
    expect(await (await client.request({ url: `http://127.0.0.1:${port}` })).text()).toBe('hello')
  })
})

describe('limits of a listener', () => {
  test('a request that does not arrive in time gets 408', async () => {
    const limits = { headersTimeoutMs: 50, requestTimeoutMs: 100, connectionsCheckingIntervalMs: 20 }
    const { port } = await start(hello, { limits })
    const head = await sendRaw({ host: '127.0.0.1', port, bytes: 'GET / HTTP/1.1\r\nHo' })
    expect(statusOf(head.bytes)).toBe(408)
    expect(head.ended).toBe('closed')
  })

  test('a body that drips gets 408, although its request is already being served', async () => {
    const limits = { headersTimeoutMs: 50, requestTimeoutMs: 100, connectionsCheckingIntervalMs: 20 }
    const { port } = await start((req) => void req.resume(), { limits })
    const drips: NodeJS.Timeout[] = []
    const reply = await sendRaw({
      host: '127.0.0.1',
      port,
      bytes: 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n',
      onConnect: (socket) => drips.push(setInterval(() => socket.write('x'), 10)),
    })
    clearInterval(drips[0])
    expect(statusOf(reply.bytes)).toBe(408)
  })

  test('a stream under way is not disturbed by either timeout', async () => {
    const limits = { headersTimeoutMs: 20, requestTimeoutMs: 40, connectionsCheckingIntervalMs: 10, keepAliveMs: 10 }
    const { url } = await start(
      (_req, res) => {
        res.write('begin ')
        setTimeout(() => res.end('end'), 200)
      },
      { limits },
    )
    expect(await (await client.request({ url })).text()).toBe('begin end')
  })

  test('connections per address', async () => {
    const { port } = await start(hello, { limits: { connectionsPerAddress: 2 }, isUncapped: () => false })
    const held = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')]
    await Promise.all(held.map((socket) => once(socket, 'connect')))
    const refused = await sendRaw({ host: '127.0.0.1', port, bytes: GET })
    expect(refused.bytes).toHaveLength(0)
    for (const socket of held) socket.destroy()
    await Promise.all(held.map((socket) => once(socket, 'close')))
    // The server learns of the two closings in its own time; each attempt asks again.
    let status: number | undefined
    while (status === undefined) {
      const isEnough = (received: Buffer) => received.includes('hello')
      status = statusOf((await sendRaw({ host: '127.0.0.1', port, bytes: GET, isEnough })).bytes)
    }
    expect(status).toBe(200)
  })

  test('connections in total', async () => {
    const { port } = await start(hello, { limits: { connections: 1 } })
    const held = connect(port, '127.0.0.1')
    await once(held, 'connect')
    const refused = await sendRaw({ host: '127.0.0.1', port, bytes: GET })
    expect(refused.bytes).toHaveLength(0)
    held.destroy()
  })

  test('requests on one socket', async () => {
    const { port } = await start(hello, { limits: { requestsPerSocket: 2 } })
    const reply = await sendRaw({ host: '127.0.0.1', port, bytes: [GET, GET, GET] })
    expect(reply.ended).toBe('closed')
    expect(reply.bytes.toString().match(/HTTP\/1\.1 200/g)).toHaveLength(2)
  })
})

describe('closing a listener', () => {
  test('lets a request under way finish, and accepts no other', async () => {
    const arrived = Promise.withResolvers<void>()
    const go = Promise.withResolvers<void>()
    const { listener, url } = await start(async (_req, res) => {
      arrived.resolve()
      await go.promise
      res.end('finished')
    })
    const answer = client.request({ url })
    await arrived.promise
    const closed = listener.close({ graceMs: 10_000 })
    await expect(client.request({ url })).rejects.toMatchObject({ code: 'unreachable' })
    go.resolve()
    const response = await answer
    expect(response.header('connection')).toBe('close')
    expect(await response.text()).toBe('finished')
    await closed
  })

  test('does not wait for idle keep-alive connections', async () => {
    const { listener, port } = await start(hello)
    const idle = connect(port, '127.0.0.1')
    idle.write(GET)
    await once(idle, 'data')
    const ended = once(idle, 'close')
    idle.resume()
    await listener.close({ graceMs: 10_000 })
    await ended
  })

  test('does not wait for the keep-alive of a stream that ends during the grace', async () => {
    const streaming = Promise.withResolvers<() => void>()
    const { listener, port } = await start((_req, res) => {
      res.write('begin')
      streaming.resolve(() => void res.end())
    })
    const socket = connect(port, '127.0.0.1')
    socket.write(GET)
    const end = await streaming.promise
    const closed = listener.close({ graceMs: 10_000 })
    end()
    socket.resume()
    await closed
  })

  test('destroys what is left after the grace, and lets it know before it resolves', async () => {
    const arrived = Promise.withResolvers<void>()
    let isClosed = false
    const { listener, url } = await start((_req, res) => {
      arrived.resolve()
      res.on('close', () => {
        isClosed = true
      })
    })
    const answer = client.request({ url })
    const failed = expect(answer).rejects.toMatchObject({ code: 'reset' })
    await arrived.promise
    await listener.close({ graceMs: 20 })
    expect(isClosed).toBe(true)
    await failed
  })
})
