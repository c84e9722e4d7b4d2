// gRPC at the port of HTTP: with TLS the two are told apart by what the client asks for in the handshake (ALPN), for a
// single agent, because gRPC has no paths.

import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:http2'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client, credentials, Metadata } from '@grpc/grpc-js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ECHO_CARD, SPEC_CARD } from '../../src/agents/cards.ts'
import { decodeMessage } from '../../src/bindings/grpc/proto/decode.ts'
import { encodeMessage } from '../../src/bindings/grpc/proto/encode.ts'
import { schema } from '../../src/bindings/grpc/proto/schema.ts'
import { A2AClient } from '../../src/client/a2a-client.ts'
import type { JsonObject } from '../../src/model/json.ts'
import { type A2AServer, createServer, textOf } from '../../src/server/index.ts'
import { makeAuthority, serverCertificate } from '../support/certificates.ts'
import { runParley, startParley } from '../support/parley-process.ts'

const run = promisify(execFile)
const authority = makeAuthority('Parley Test')
const { cert, key } = serverCertificate(authority)
const SEND = '/lf.a2a.v1.A2AService/SendMessage'
const GRPCURL = process.env.GRPCURL ?? 'grpcurl'
const hasGrpcurl = spawnSync(GRPCURL, ['--version']).error === undefined
if (!hasGrpcurl) console.warn('grpcurl is not installed: what it does at the port of HTTP is not shown.')

let folder = ''
let server: A2AServer
let url = ''
let port = 0
const agent = { card: ECHO_CARD, agent: async () => {} }

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'parley-alpn-'))
  for (const [name, text] of Object.entries({ 'ca.pem': authority.cert, 'server.pem': cert, 'server.key': key }))
    writeFileSync(join(folder, name), text)
  server = createServer({
    ...{ card: ECHO_CARD, tls: { cert, key }, grpc: { port: 'same' } },
    async agent(message, context) {
      await context.status('TASK_STATE_WORKING')
      await context.complete({ parts: [{ text: textOf(message) }] })
    },
  })
  ;({ url, port } = await server.listen())
})
afterAll(async () => {
  await server.close({ graceMs: 0 })
  rmSync(folder, { recursive: true, force: true })
})

function curl(...args: string[]) {
  return run('curl', ['-sS', '--cacert', join(folder, 'ca.pem'), ...args])
}

test('its card names the port once more', async () => {
  expect(server.grpc).toEqual([{ path: '', port }])
  const card = JSON.parse((await curl(`${url}/.well-known/agent-card.json`)).stdout) as JsonObject
  expect(card.supportedInterfaces).toContainEqual({
    ...{ url: `127.0.0.1:${port}`, protocolBinding: 'GRPC', protocolVersion: '1.0' },
  })
})

test.each(['grpc', 'jsonrpc', 'rest'] as const)('our client talks to it over %s', async (transport) => {
  using client = await A2AClient.connect(url, { transports: [transport], tls: { ca: authority.cert } })
  const said = { messageId: 'm', role: 'ROLE_USER' as const, parts: [{ text: 'hi' }] }
  expect(await client.sendMessage({ message: said })).toMatchObject({
    task: { status: { state: 'TASK_STATE_COMPLETED' } },
  })
})

test("somebody else's client of gRPC talks to it", async () => {
  const rpc = schema().rpc(SEND)
  if (rpc === undefined) throw new Error(SEND)
  const client = new Client(`localhost:${port}`, credentials.createSsl(Buffer.from(authority.cert)))
  const answer = await new Promise((resolve, reject) =>
    client.makeUnaryRequest(
      SEND,
      (value: JsonObject) => encodeMessage(rpc.request, value),
      (bytes) => decodeMessage(rpc.response, bytes),
      { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }] } },
      new Metadata(),
      (error, json) => (error === null ? resolve(json) : reject(error)),
    ),
  )
  client.close()
  expect(answer).toMatchObject({ task: { status: { state: 'TASK_STATE_COMPLETED' } } })
})

test('whoever speaks both is answered in HTTP/1.1, and whoever speaks HTTP/2 only learns what it is for', async () => {
  const { stdout } = await curl('--http2', '-o', '/dev/null', '-w', '%{http_version} %{http_code}', `${url}/healthz`)
  expect(stdout).toBe('1.1 200')
  const session = connect(url, { ca: authority.cert })
  const stream = session.request({ ':path': '/healthz' })
  let text = ''
  for await (const chunk of stream) text += String(chunk)
  session.close()
  expect(text).toBe('Over HTTP/2 this port speaks gRPC only; calls are POST.\n')
})

test('a stop ends calls that are under way, and renewed certificates hold for both', async () => {
  const other = createServer({
    ...{ card: SPEC_CARD, tls: { cert, key }, grpc: { port: 'same' as const } },
    async agent(_message, context) {
      await context.status('TASK_STATE_WORKING')
      await context.sleep(60_000)
    },
  })
  const at = await other.listen()
  other.setTls(serverCertificate(makeAuthority('Another')))
  await expect(A2AClient.connect(at.url, { tls: { ca: authority.cert } })).rejects.toThrow('certificate')
  other.setTls({ cert, key })
  using client = await A2AClient.connect(at.url, { transports: ['grpc'], tls: { ca: authority.cert } })
  const message = { messageId: 'm', role: 'ROLE_USER' as const, parts: [{ text: 'hi' }] }
  let seen = 0
  for await (const _ of client.streamMessage({ message })) if (++seen === 2) break
  await other.close({ graceMs: 0 })
  await expect(client.listTasks({})).rejects.toThrow()
})

describe('is refused', () => {
  test('without TLS', async () => {
    const plain = createServer({ ...agent, grpc: { port: 'same' } })
    await expect(plain.listen()).rejects.toThrow('only with TLS')
  })

  test('for several agents', async () => {
    const many = createServer({
      ...{ agents: [agent, { ...agent, path: '/two' }], tls: { cert, key }, grpc: { port: 'same' as const } },
    })
    await expect(many.listen()).rejects.toThrow('for a single agent, and here are 2')
  })
})

describe('from the command line', () => {
  const tls = () => ['--tls-cert', join(folder, 'server.pem'), '--tls-key', join(folder, 'server.key')]

  test('serve and proxy do it with --grpc-port same', async () => {
    writeFileSync(join(folder, 'agent.ts'), `export default async () => 'hello'\n`)
    const served = await startParley(['serve', join(folder, 'agent.ts'), '--grpc-port', 'same', ...tls()])
    const proxied = await startParley(['proxy', url, '--grpc-port', 'same', ...tls()], {
      env: { ...process.env, NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem') },
    })
    for (const place of [served, proxied]) {
      const flags = ['--transport', 'grpc', '--ca-cert', join(folder, 'ca.pem'), '-o', 'json']
      const { code, stdout, stderr } = await runParley(['send', place.url, 'hi', ...flags])
      expect(code, stderr).toBe(0)
      expect(stderr).toContain('over grpc at 127.0.0.1')
      expect(stdout).toContain(place === served ? 'hello' : 'TASK_STATE_COMPLETED')
      await place.stop()
    }
  })

  test.each([
    [['serve', '--grpc-port', 'same'], 1, 'only with TLS'],
    [['serve', '--port', '9', '--grpc-port', '9'], 1, 'only with TLS'],
    [['serve', '--grpc-port', 'some'], 2, '--grpc-port takes a whole number from 0 to 65535, or same, not "some".'],
    [['serve', '--grpc-port', '70000'], 2, '--grpc-port takes a whole number from 0 to 65535, not "70000".'],
    [['mock', '--grpc-port', 'x'], 2, '--grpc-port takes a whole number from 0 to 65535, not "x".'],
  ])('%j ends with %i', async (args, code, part) => {
    const ended = await runParley(args)
    expect(ended.code).toBe(code)
    expect(ended.stderr).toContain(part)
  })

  test('the reference agents are too many', async () => {
    const { code, stderr } = await runParley(['serve', '--port', '0', '--grpc-port', 'same', ...tls()])
    expect(code).toBe(1)
    expect(stderr).toMatch(/for a single agent, and here are \d+; give gRPC ports of its own\./)
  })

  test.skipIf(!hasGrpcurl)('grpcurl and curl find their own', async () => {
    const flags = ['-cacert', join(folder, 'ca.pem'), `localhost:${port}`]
    expect((await run(GRPCURL, [...flags, 'list'])).stdout).toContain('lf.a2a.v1.A2AService')
    expect((await curl(`https://localhost:${port}/readyz`)).stdout).toContain('ready')
  })
})
