import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sendRaw } from '../../../test/support/raw-socket.ts'
import { HttpClient } from '../http-client.ts'
import { HttpFault } from './http-fault.ts'
import { createListener } from './http-listener.ts'
import { NodeRequest } from './node-request.ts'
import { readBody } from './read-body.ts'

const MAX = 1024 * 1024
const outcomes: (string | number)[] = []
const waiting: (() => void)[] = []
const client = new HttpClient()
const listener = createListener(async (req, res) => {
  try {
    const body = await readBody(new NodeRequest(req, res), MAX)
    outcomes.push(body.length)
    res.end(body)
  } catch (error) {
    if (!(error instanceof HttpFault)) throw error
    outcomes.push(error.reason)
    res.writeHead(error.status).end(error.message)
  }
  waiting.shift()?.()
})
let url = ''
let port = 0

beforeAll(async () => {
  ;({ url, port } = await listener.listen({ port: 0 }))
})
afterAll(async () => {
  client.close()
  await listener.close({ graceMs: 0 })
})

function post(body: string | Uint8Array, headers: Record<string, string> = {}) {
  return client.request({ method: 'POST', url, body, headers, maxBodyBytes: 2 * MAX })
}

describe('readBody', () => {
  test.each([0, 1, 100_000, MAX])('reads %d bytes', async (size) => {
    const sent = Buffer.alloc(size, 'ab')
    const response = await post(sent)
    expect(response.status).toBe(200)
    expect((await response.bytes()).equals(sent)).toBe(true)
  })

  test('refuses a Content-Length over the limit without reading', async () => {
    const reply = await sendRaw({
      host: '127.0.0.1',
      port,
      bytes: `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${MAX + 1}\r\n\r\n`,
      isEnough: (received) => received.includes('\r\n\r\n'),
    })
    expect(reply.bytes.toString()).toMatch(/^HTTP\/1\.1 413 /)
  })

  test('counts chunks', async () => {
    const response = await post(Buffer.alloc(MAX + 1), { 'Transfer-Encoding': 'chunked' })
    expect(response.status).toBe(413)
    await response.bytes()
  })

  test.each([
    ['gzip', gzipSync],
    ['GZIP', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('undoes %s', async (encoding, compress) => {
    const response = await post(compress(Buffer.from('hello')), { 'Content-Encoding': encoding })
    expect(await response.text()).toBe('hello')
  })

  test.each([
    ['more than the limit', gzipSync(Buffer.alloc(MAX + 1, 'the quick brown fox'))],
    ['more than 100 to 1', gzipSync(Buffer.alloc(MAX - 1))],
  ])('refuses a body that decompresses to %s', async (_, bomb) => {
    const response = await post(bomb, { 'Content-Encoding': 'gzip' })
    expect(response.status).toBe(413)
    await response.bytes()
  })

  test.each([
    ['an unknown encoding', 'compress', Buffer.from('x'), 415],
    ['two encodings', 'gzip, br', Buffer.from('x'), 415],
    ['a body that is not what it says', 'gzip', Buffer.from('hello'), 400],
    ['a truncated body', 'gzip', gzipSync('hello world').subarray(0, 12), 400],
  ])('refuses %s', async (_, encoding, body, status) => {
    const response = await post(body, { 'Content-Encoding': encoding })
    expect(response.status).toBe(status)
    await response.bytes()
  })

  test('says so when the peer leaves in the middle', async () => {
    const settled = new Promise<void>((resolve) => waiting.push(resolve))
    await sendRaw({
      host: '127.0.0.1',
      port,
      bytes: 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc',
      onConnect: (socket) => void setImmediate(() => socket.destroySoon()),
    })
    await settled
    expect(outcomes.at(-1)).toBe('aborted')
  })
})
