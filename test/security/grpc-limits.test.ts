// What the open internet does to a gRPC port: TLS and certificates, credentials, too many streams, resets, metadata and readers
// that do not read, deadlines, and a server that stops. Every call gets a status or the answer of HTTP/2, others are served
// meanwhile, and nothing of it is logged as a bug.

import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { type ClientHttp2Session, constants } from 'node:http2'
import { connect as connectSocket } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createGrpcListener } from '../../src/bindings/grpc/listener.ts'
import { A2AClient } from '../../src/client/index.ts'
import { DEFAULT_LIMITS } from '../../src/net/limits.ts'
import { type A2AServer, createServer, type ServerOptions, textOf as wordsOf } from '../../src/server/index.ts'
import type { MountOptions } from '../../src/server/mount-options.ts'
import { makeAuthority, serverCertificate } from '../support/certificates.ts'
import { callGrpc, openSession, requestOf, textOf } from './grpc-call.ts'

const SEND = '/lf.a2a.v1.A2AService/SendMessage'
const STREAM = '/lf.a2a.v1.A2AService/SendStreamingMessage'
const GET = '/lf.a2a.v1.A2AService/GetTask'
const LIST = '/lf.a2a.v1.A2AService/ListTasks'
const HEALTH = '/grpc.health.v1.Health/Check'
const OK = 0
const DEADLINE_EXCEEDED = 4
const NOT_FOUND = 5
const RESOURCE_EXHAUSTED = 8
const UNAVAILABLE = 14
const UNAUTHENTICATED = 16

const CARD: MountOptions['card'] = {
  ...{ name: 'Limits', description: 'Is tried hard.', version: '1.0.0', capabilities: { streaming: true } },
  ...{ defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'] },
  skills: [{ id: 'x', name: 'X', description: 'X', tags: ['test'] }],
}

let server: A2AServer
let session: ClientHttp2Session
let url = ''
let port = 0
let logged: string[] = []

async function open(options: Partial<ServerOptions> & Partial<MountOptions> = {}): Promise<void> {
  server = createServer({
    card: CARD,
    grpc: true,
    log: (_level, event) => logged.push(event),
    async agent(message, context) {
      const [word = '', count = '0'] = wordsOf(message).split(' ')
      await context.status('TASK_STATE_WORKING')
      if (word === 'hang') await new Promise((_, reject) => context.signal.addEventListener('abort', reject))
      if (word === 'wait') await context.sleep(Number(count))
      const parts = [{ text: 'x'.repeat(64 * 1024) }]
      for (let at = 0; word === 'flood' && at < Number(count); at++) await context.artifact({ parts })
    },
    ...options,
  })
  ;({ url } = await server.listen())
  port = server.grpc[0]?.port ?? 0
  session = openSession(port)
}

beforeEach(() => {
  logged = []
})
afterEach(async () => {
  session.destroy()
  await server.close({ graceMs: 0 })
  expect(logged).toEqual([])
})

function said(text: string) {
  return { message: { messageId: crypto.randomUUID(), role: 'ROLE_USER' as const, parts: [{ text }] } }
}

function isWell(): Promise<{ code: number | undefined }> {
  const other = openSession(port)
  return callGrpc(other, HEALTH, requestOf(HEALTH, {})).finally(() => other.destroy())
}

describe('TLS', () => {
  const authority = makeAuthority('Parley Test')
  const own = serverCertificate(authority)
  const alice = authority.issue({ subject: { CN: 'alice' }, use: 'client' })
  const connectWith = (tls: object) =>
    A2AClient.connect(url, { transports: ['grpc'], tls: { ca: authority.cert, ...tls }, fallback: false })

  test('is spoken to those who trust the authority, and plaintext to nobody', async () => {
    await open({ tls: own })
    using client = await connectWith({})
    expect(await client.sendMessage(said('hello'))).toMatchObject({ task: {} })
    const { status } = await callGrpc(session, HEALTH, requestOf(HEALTH, {}))
    expect(status).toBe(0)
    const stranger = { ca: makeAuthority('Somebody else').cert }
    await expect(connectWith(stranger).then((other) => other.sendMessage(said('hello')))).rejects.toMatchObject({
      code: 'tls-failed',
    })
  })

  test('a client certificate says who is calling', async () => {
    await open({ tls: { ...own, ca: authority.cert }, auth: [{ kind: 'mtls' }] })
    using known = await connectWith(alice)
    expect(await known.sendMessage(said('hello'))).toMatchObject({ task: {} })
    using nobody = await connectWith({})
    await expect(nobody.sendMessage(said('hello'))).rejects.toMatchObject({ kind: 'Unauthenticated' })
  })
})

describe('credentials', () => {
  const auth = [{ kind: 'bearer', token: 'open-sesame', subject: 'carol' }] as const

  test('are asked for, with the challenge in the trailers', async () => {
    await open({ auth })
    const answer = await callGrpc(session, LIST, requestOf(LIST, {}))
    expect(answer).toMatchObject({ status: 200, code: UNAUTHENTICATED })
    expect(answer.headers.join('\n')).toMatch(/www-authenticate: Bearer/)
    const headers = { authorization: 'Bearer open-sesame' }
    expect(await callGrpc(session, LIST, requestOf(LIST, {}), { headers })).toMatchObject({ code: OK })
  })

  test('go to the port of gRPC of the same host, and to no other host', async () => {
    await open({ auth })
    using client = await A2AClient.connect(url, { transports: ['grpc'], bearer: 'open-sesame' })
    expect(await client.sendMessage(said('hello'))).toMatchObject({ task: {} })
    const elsewhere = { ...CARD, supportedInterfaces: [{ url: 'grpc.example.com:443', protocolBinding: 'GRPC' }] }
    const card = JSON.parse(JSON.stringify(elsewhere).replace('"GRPC"', '"GRPC","protocolVersion":"1.0"')) as object
    using foreign = A2AClient.fromCard(card as never, { origin: url, bearer: 'open-sesame' })
    await expect(foreign.sendMessage(said('hello'))).rejects.toMatchObject({ code: 'foreign-origin' })
  })
})

describe('too much', () => {
  test('ten thousand calls at once all end, in order or refused', async () => {
    await open()
    const body = requestOf(GET, { id: 'nobody' })
    const answers = await Promise.all(Array.from({ length: 10_000 }, () => callGrpc(session, GET, body)))
    const { NGHTTP2_REFUSED_STREAM: refused, NGHTTP2_CANCEL: canceled } = constants
    // A server that is too busy says so.
    const isUsual = (code: number | undefined) => code === NOT_FOUND || code === UNAVAILABLE
    const strange = answers.filter(({ code, reset }) => !isUsual(code) && reset !== refused && reset !== canceled)
    expect(strange).toEqual([])
    expect(answers.some(({ code }) => code === NOT_FOUND)).toBe(true)
    expect(await isWell()).toMatchObject({ code: OK })
  })

  test('streams beyond the limit wait or are refused; others are served', async () => {
    await open()
    const hanging = Array.from({ length: 300 }, () => callGrpc(session, STREAM, requestOf(STREAM, said('hang'))))
    expect(await isWell()).toMatchObject({ code: OK })
    session.destroy()
    await Promise.all(hanging)
  })

  test('a flood of resets ends the connection, not the server', async () => {
    await open()
    const ended = once(session, 'goaway') as Promise<[number]>
    const flood = (): void => {
      for (let at = 0; at < 200 && !session.destroyed && !session.closed; at++) {
        const stream = session.request({ ':method': 'POST', ':path': GET, 'content-type': 'application/grpc' })
        stream.on('error', () => {})
        stream.close(constants.NGHTTP2_CANCEL)
      }
      if (!session.destroyed && !session.closed) setImmediate(flood)
    }
    flood()
    const [code] = await ended
    expect([constants.NGHTTP2_ENHANCE_YOUR_CALM, constants.NGHTTP2_INTERNAL_ERROR]).toContain(code)
    expect(await isWell()).toMatchObject({ code: OK })
  })

  test('metadata over the limit is refused', async () => {
    await open()
    const headers = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`x-${at}`, 'x'.repeat(1_000)]))
    const { code } = await callGrpc(session, GET, requestOf(GET, { id: 'x' }), { headers })
    expect(code).toBe(RESOURCE_EXHAUSTED)
    expect(await isWell()).toMatchObject({ code: OK })
  })

  test('a message that never ends is given up', async () => {
    await open({ limits: { requestTimeoutMs: 200 } })
    const stream = session.request({ ':method': 'POST', ':path': GET, 'content-type': 'application/grpc' })
    stream.on('error', () => {})
    stream.write(requestOf(GET, { id: 'nobody' }).subarray(0, 7))
    await once(stream, 'close')
    expect(stream.rstCode).not.toBe(0)
    expect(await isWell()).toMatchObject({ code: OK })
  })
})

test('a reader that does not read is held back, and cut off', async () => {
  await open({ stallTimeoutMs: 300 })
  const stream = session.request({ ':method': 'POST', ':path': STREAM, 'content-type': 'application/grpc' })
  stream.on('error', () => {})
  stream.end(requestOf(STREAM, said('flood 200')))
  await once(stream, 'response')
  const received: number[] = []
  stream.on('data', (chunk: Buffer) => {
    received.push(chunk.length)
    stream.pause()
  })
  await expect.poll(() => stream.closed || stream.destroyed, { timeout: 10_000 }).toBe(true)
  // 12.5 MB were ready; no more than the windows of HTTP/2 and one piece were sent.
  expect(received.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(2_000_000)
  expect(await isWell()).toMatchObject({ code: OK })
})

describe('deadlines', () => {
  test('end a stream, and never its task', async () => {
    await open()
    const headers = { 'grpc-timeout': '200m' }
    const answer = await callGrpc(session, STREAM, requestOf(STREAM, said('hang')), { headers })
    expect(answer).toMatchObject({ status: 200, code: DEADLINE_EXCEEDED })
    expect(textOf(STREAM, answer.body)).toContain('"task"')
    const listed = await callGrpc(session, LIST, requestOf(LIST, {}))
    expect(textOf(LIST, listed.body)).toMatch(/TASK_STATE_(SUBMITTED|WORKING)/)
  })
})

describe('a server that stops', () => {
  test('says GOAWAY, and lets what is under way end', async () => {
    await open()
    const goaway = once(session, 'goaway')
    const waiting = callGrpc(session, SEND, requestOf(SEND, said('wait 300')))
    await expect.poll(async () => textOf(LIST, (await callGrpc(session, LIST, requestOf(LIST, {}))).body)).not.toBe('')
    const closed = server.close({ graceMs: 5_000 })
    await goaway
    const { status } = await waiting
    expect(status).toBe(200)
    await closed
  })

  test('answers pings until then', async () => {
    await open()
    await once(session, 'connect')
    await new Promise<void>((resolve, reject) => session.ping((error) => (error === null ? resolve() : reject(error))))
  })
})

describe('pings', () => {
  const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
  const EMPTY_SETTINGS = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0])

  test('a peer that answers none is let go', async () => {
    await open()
    const listener = await createGrpcListener(() => ({ ending: 'silence' }), {
      ...{ limits: DEFAULT_LIMITS, pathPrefix: '', stallTimeoutMs: 1_000, pingEveryMs: 50 },
      ...{ services: () => [], isServing: () => true, onError: () => logged.push('bug') },
    })
    const where = await listener.listen({ port: 0, host: '127.0.0.1' })
    const socket = connectSocket(where.port, '127.0.0.1')
    socket.on('error', () => {})
    socket.write(Buffer.concat([PREFACE, EMPTY_SETTINGS]))
    // Read, and never answered.
    socket.resume()
    await once(socket, 'close')
    await listener.close({ graceMs: 0 })
  })
})

test('nothing of gRPC is loaded before somebody offers it', async () => {
  await open()
  const index = join(import.meta.dirname, '..', '..', 'src', 'server', 'index.ts')
  const program = `
    import { createServer } from ${JSON.stringify(index)}
    const card = ${JSON.stringify(CARD)}
    const server = createServer({ card, agent: async () => {}, grpc: process.argv[1] === 'grpc' })
    await server.listen()
    const loaded = process.moduleLoadList.some((name) => name.includes('internal/http2/core'))
    console.log(loaded)
    process.exit(0)`
  const run = (...args: string[]) =>
    execFileSync(process.execPath, ['--input-type=module', '-e', program, ...args], { encoding: 'utf8' }).trim()
  expect(run()).toBe('false')
  expect(run('grpc')).toBe('true')
})
