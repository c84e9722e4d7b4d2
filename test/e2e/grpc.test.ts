// gRPC as it is served: our client and somebody else's talk to it, load balancers and grpcurl find what they look for, and
// whoever breaks a rule is told which.

import { type ClientHttp2Session, connect } from 'node:http2'
import { connect as connectSocket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { Client, credentials, Metadata } from '@grpc/grpc-js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { decodeMessage } from '../../src/bindings/grpc/proto/decode.ts'
import { encodeMessage } from '../../src/bindings/grpc/proto/encode.ts'
import { schema } from '../../src/bindings/grpc/proto/schema.ts'
import { A2AClient } from '../../src/client/a2a-client.ts'
import type { JsonObject, JsonValue } from '../../src/model/json.ts'
import { type A2AServer, createServer, textOf } from '../../src/server/index.ts'

const CARD = {
  name: 'Echo',
  description: 'Says it again.',
  version: '1.0.0',
  capabilities: { streaming: true },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [{ id: 'echo', name: 'Echo', description: 'Says it again.', tags: ['test'] }],
}

let server: A2AServer
let url = ''
let port = 0

beforeAll(async () => {
  server = createServer({
    card: CARD,
    grpc: true,
    limits: { bodyBytes: 100_000 },
    async agent(message, context) {
      await context.status('TASK_STATE_WORKING')
      if (textOf(message) === 'hang') await new Promise((resolve) => setTimeout(resolve, 60_000).unref())
      for (const word of textOf(message).split(' ')) await context.artifact({ name: word, parts: [{ text: word }] })
    },
  })
  ;({ url } = await server.listen())
  port = server.grpc[0]?.port ?? 0
})

afterAll(() => server.close({ graceMs: 0 }))

function said(text: string) {
  return { message: { messageId: crypto.randomUUID(), role: 'ROLE_USER' as const, parts: [{ text }] } }
}

describe('our client', () => {
  test('finds it in the card, after the JSON bindings', async () => {
    const card = (await (await fetch(`${url}/.well-known/agent-card.json`)).json()) as JsonObject
    expect(card.supportedInterfaces).toEqual([
      expect.objectContaining({ protocolBinding: 'JSONRPC' }),
      expect.objectContaining({ protocolBinding: 'HTTP+JSON' }),
      { url: `127.0.0.1:${port}`, protocolBinding: 'GRPC', protocolVersion: '1.0' },
    ])
  })

  test.each(['1.0', '0.3'] as const)('sends, streams, reads and cancels in %s', async (version) => {
    using client = await A2AClient.connect(url, { transports: ['grpc'], versions: [version] })
    const sent = await client.sendMessage(said('one two'))
    if (!('task' in sent)) throw new Error('expected a task')
    expect(sent.task).toMatchObject({
      status: { state: 'TASK_STATE_COMPLETED' },
      artifacts: [{ name: 'one' }, { name: 'two' }],
    })
    const again = await client.getTask({ id: sent.task.id })
    expect(again.artifacts).toEqual(sent.task.artifacts)
    const kinds: string[] = []
    for await (const { event } of client.streamMessage(said('a b c'))) kinds.push(Object.keys(event)[0] ?? '')
    expect(kinds.filter((kind) => kind === 'artifactUpdate')).toHaveLength(3)
    await expect(client.cancelTask({ id: sent.task.id })).rejects.toMatchObject({ kind: 'TaskNotCancelable' })
    await expect(client.getTask({ id: 'nobody' })).rejects.toMatchObject({ kind: 'TaskNotFound' })
  })

  test('lists tasks, page by page', async () => {
    using client = await A2AClient.connect(url, { transports: ['grpc'] })
    const page = await client.listTasks({ pageSize: 1 })
    expect(page.tasks).toHaveLength(1)
    expect(page.totalSize).toBeGreaterThan(1)
  })
})

type Answer = { json?: JsonValue; code: number; details: string; metadata: Metadata }

/** A call by another library. */
function call(path: string, request: JsonObject, metadata: Record<string, string> = {}, deadlineMs = 5_000) {
  const rpc = schema().rpc(path)
  if (rpc === undefined) throw new Error(path)
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure())
  const meta = new Metadata()
  for (const [name, value] of Object.entries(metadata)) meta.set(name, value)
  return new Promise<Answer>((resolve) => {
    client.makeUnaryRequest(
      path,
      (value: JsonObject) => encodeMessage(rpc.request, value),
      (bytes) => decodeMessage(rpc.response, bytes),
      request,
      meta,
      { deadline: Date.now() + deadlineMs },
      (error, json) => {
        client.close()
        resolve({
          code: error?.code ?? 0,
          details: error?.details ?? '',
          metadata: error?.metadata ?? meta,
          ...(json === undefined ? {} : { json }),
        })
      },
    )
  })
}

const A2A = '/lf.a2a.v1.A2AService'

describe('another client', () => {
  test('sends and gets its task', async () => {
    const { json } = await call(`${A2A}/SendMessage`, said('hello'))
    expect(json).toMatchObject({ task: { status: { state: 'TASK_STATE_COMPLETED' } } })
  })

  test('is told the reason of an error in the details of its status', async () => {
    const { code, metadata } = await call(`${A2A}/GetTask`, { id: 'nobody' }, { 'a2a-version': '1.0' })
    expect(code).toBe(5)
    const [packed] = metadata.get('grpc-status-details-bin')
    expect(decodeMessage(schema().message('google.rpc.Status'), packed as Buffer)).toMatchObject({
      code: 5,
      details: [{ reason: 'TASK_NOT_FOUND', domain: 'a2a-protocol.org' }],
    })
  })

  test('has its version checked', async () => {
    expect(await call(`${A2A}/GetTask`, { id: 'x' }, { 'a2a-version': '9.9' })).toMatchObject({ code: 9 })
    expect(await call(`${A2A}/GetTask`, { id: 'x' }, { 'a2a-version': '0.3' })).toMatchObject({ code: 9 })
  })

  test('is let go at its deadline, and the task goes on', async () => {
    expect(await call(`${A2A}/SendMessage`, said('hang'), {}, 300)).toMatchObject({ code: 4 })
    const { json } = await call(`${A2A}/ListTasks`, { status: 'TASK_STATE_WORKING' })
    expect(json).toMatchObject({ tasks: [{}] })
  })
})

describe('operators', () => {
  test('are told that it is well', async () => {
    expect(await call('/grpc.health.v1.Health/Check', {})).toMatchObject({ json: { status: 'SERVING' } })
    expect(await call('/grpc.health.v1.Health/Check', { service: 'lf.a2a.v1.A2AService' })).toMatchObject({ code: 0 })
    expect(await call('/grpc.health.v1.Health/Check', { service: 'nobody' })).toMatchObject({ code: 5 })
  })

  test.each(['v1', 'v1alpha'])('find the services and their files by reflection of %s', async (version) => {
    const path = `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`
    const rpc = schema().rpc(path)
    if (rpc === undefined) throw new Error(path)
    const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure())
    const stream = client.makeBidiStreamRequest(
      path,
      (value: JsonObject) => encodeMessage(rpc.request, value),
      (bytes) => decodeMessage(rpc.response, bytes) as JsonObject,
    )
    const answers: JsonObject[] = []
    stream.on('data', (answer: JsonObject) => answers.push(answer))
    stream.write({ listServices: '' })
    stream.write({ fileContainingSymbol: 'lf.a2a.v1.A2AService' })
    stream.write({ fileContainingSymbol: 'nobody.Knows' })
    stream.end()
    await new Promise((resolve) => stream.once('end', resolve))
    client.close()
    expect(JSON.stringify(answers[0])).toContain('lf.a2a.v1.A2AService')
    expect(answers[1]).toMatchObject({ fileDescriptorResponse: { fileDescriptorProto: expect.any(Array) as unknown } })
    expect(answers[2]).toMatchObject({ errorResponse: { errorCode: 5 } })
  })
})

describe('whoever breaks a rule', () => {
  let session: ClientHttp2Session

  beforeAll(() => {
    session = connect(`http://127.0.0.1:${port}`)
  })

  afterAll(() => session.close())

  /** Raw HTTP/2: status, then grpc-status from the trailers or from the head. */
  function raw(headers: Record<string, string>, body: Buffer, path = `${A2A}/GetTask`) {
    return new Promise<{ status: number; grpc: string | undefined; text: string }>((resolve) => {
      const stream = session.request({
        ':method': 'POST',
        ':path': path,
        'content-type': 'application/grpc',
        te: 'trailers',
        ...headers,
      })
      let head: Record<string, string | number | undefined> = {}
      let trailers: Record<string, string | number | undefined> = {}
      let text = ''
      stream.on('error', () => {})
      stream.once('response', (found) => (head = found as typeof head))
      stream.once('trailers', (found) => (trailers = found as typeof trailers))
      stream.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')))
      stream.once('close', () =>
        resolve({
          status: Number(head[':status'] ?? 0),
          grpc: (trailers['grpc-status'] ?? head['grpc-status']) as string | undefined,
          text: text + decodeURIComponent(String(trailers['grpc-message'] ?? head['grpc-message'] ?? '')),
        }),
      )
      stream.end(body)
    })
  }

  function framed(message: Buffer, flag = 0): Buffer {
    const prefix = Buffer.alloc(5)
    prefix[0] = flag
    prefix.writeUInt32BE(message.length, 1)
    return Buffer.concat([prefix, message])
  }

  const message = encodeMessage(schema().message('lf.a2a.v1.GetTaskRequest'), { id: 'nobody' })

  test.each<[string, Record<string, string>, Buffer, string]>([
    ['gets an answer in gzip', { 'grpc-encoding': 'gzip' }, framed(gzipSync(message), 1), '5'],
    ['a message over the limit', {}, framed(Buffer.alloc(100_001)), '8'],
    [
      'a gzip message that unpacks beyond it',
      { 'grpc-encoding': 'gzip' },
      framed(gzipSync(Buffer.alloc(200_000)), 1),
      '8',
    ],
    ['a truncated message', {}, framed(message).subarray(0, 8), '13'],
    ['no message', {}, Buffer.alloc(0), '13'],
    ['two messages', {}, Buffer.concat([framed(message), framed(message)]), '13'],
    ['a compressed message without encoding', {}, framed(message, 1), '13'],
    ['an unknown encoding', { 'grpc-encoding': 'snappy' }, framed(message, 1), '12'],
    ['bytes that are no message', {}, framed(Buffer.from([0x0a, 0x7f])), '3'],
    ['binary metadata that is no base64', { 'x-trace-bin': '%%%' }, framed(message), '3'],
    ['a deadline in the past', { 'grpc-timeout': '0m' }, framed(message), '4'],
    ['a deadline that is none', { 'grpc-timeout': 'soon' }, framed(message), '3'],
  ])('%s', async (_, headers, body, status) => {
    expect(await raw(headers, body)).toMatchObject({ status: 200, grpc: status })
  })

  test('asks for an unknown method or service', async () => {
    const method = await raw({}, framed(message), `${A2A}/Nothing`)
    expect(method).toMatchObject({ status: 200, grpc: '12' })
    expect(method.text).toContain('has no such method')
    expect((await raw({}, framed(message), '/x.Y/Z')).text).toContain('there is no service x.Y here')
  })

  test('is told that this is gRPC', async () => {
    expect(await raw({ 'content-type': 'application/json' }, Buffer.from('{}'))).toMatchObject({ status: 415 })
    expect((await raw({ ':method': 'GET' }, Buffer.alloc(0))).status).toBe(405)
    const socket = connectSocket(port, '127.0.0.1')
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    let answer = ''
    for await (const chunk of socket) answer += String(chunk)
    expect(answer).toContain('This port speaks gRPC')
  })

  test('holds up nobody else', async () => {
    const many = Array.from({ length: 2_000 }, () => raw({}, framed(message)))
    const ends = await Promise.all(many)
    expect(ends.filter(({ grpc }) => grpc === '5').length).toBeGreaterThan(200)
    expect(await call('/grpc.health.v1.Health/Check', {})).toMatchObject({ code: 0 })
  })
})
