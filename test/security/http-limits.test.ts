// Malformed, ambiguous and oversized HTTP against a real listener, byte by byte over raw sockets. Illegal forms get 400
// and a closed connection; legal but odd ones mean what the RFCs say; nothing ends the process.

import { readdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseJson } from '../../src/net/json.ts'
import { checkLimits } from '../../src/net/limits.ts'
import { parseMediaType } from '../../src/net/media-type.ts'
import { HttpFault } from '../../src/net/serve/http-fault.ts'
import { createListener } from '../../src/net/serve/http-listener.ts'
import { NodeRequest } from '../../src/net/serve/node-request.ts'
import { readBody } from '../../src/net/serve/read-body.ts'
import { sendRaw, statusOf } from '../support/raw-socket.ts'

const limits = checkLimits({
  headersTimeoutMs: 300,
  requestTimeoutMs: 600,
  connectionsCheckingIntervalMs: 50,
  bodyBytes: 100_000,
})
const listener = createListener(
  async (req, res) => {
    try {
      const body = await readBody(new NodeRequest(req, res), limits.bodyBytes)
      if (req.url === '/json') {
        const isJson = /[/+]json$/.test(parseMediaType(req.headers['content-type'])?.essence ?? '')
        const parsed = isJson ? parseJson(body, limits) : undefined
        const status = parsed === undefined ? 415 : parsed.ok ? 200 : 400
        res.writeHead(status).end(parsed?.ok === false ? parsed.problem : '')
        return
      }
      const seen = {
        method: req.method,
        url: req.url,
        body: body.toString(),
        headers: req.headers,
        trailers: req.trailers,
      }
      res.end(JSON.stringify(seen))
    } catch (error) {
      if (!(error instanceof HttpFault)) throw error
      res.writeHead(error.status).end(error.message)
    }
  },
  { limits },
)
let port = 0

beforeAll(async () => {
  ;({ port } = await listener.listen({ port: 0 }))
})
afterAll(() => listener.close({ graceMs: 0 }))

function send(bytes: string | Uint8Array) {
  return sendRaw({ host: '127.0.0.1', port, bytes, deadlineMs: 5_000 })
}

async function seen(bytes: string) {
  const reply = await send(bytes)
  expect(statusOf(reply.bytes)).toBe(200)
  const text = reply.bytes.toString('latin1')
  return JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4)) as {
    method: string
    url: string
    body: string
    headers: Record<string, string>
    trailers: Record<string, string>
  }
}

const POST = 'POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n'
const CHUNKED = `${POST}Transfer-Encoding: chunked\r\n\r\n`
const NO_CHUNKS = '0\r\n\r\n'
const get = (target: string, headers = 'Host: x\r\n') => `GET ${target} HTTP/1.1\r\n${headers}Connection: close\r\n\r\n`

describe('illegal requests get 400 and a closed connection', () => {
  test.each([
    [
      'Content-Length and Transfer-Encoding',
      `${POST}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n${NO_CHUNKS}`,
    ],
    [
      'Transfer-Encoding and Content-Length',
      `${POST}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n${NO_CHUNKS}`,
    ],
    ['two different lengths', `${POST}Content-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef`],
    ['two equal lengths', `${POST}Content-Length: 5\r\nContent-Length: 5\r\n\r\nabcde`],
    ['a list of lengths', `${POST}Content-Length: 5, 5\r\n\r\nabcde`],
    ['a signed length', `${POST}Content-Length: +5\r\n\r\nabcde`],
    ['a negative length', `${POST}Content-Length: -5\r\n\r\nabcde`],
    ['a hexadecimal length', `${POST}Content-Length: 0x5\r\n\r\nabcde`],
    ['a length with a blank inside', `${POST}Content-Length: 5 5\r\n\r\nabcde`],
    ['an empty length', `${POST}Content-Length: \r\n\r\n`],
    ['a length beyond integers', `${POST}Content-Length: 99999999999999999999999\r\n\r\n`],
    ['a blank before the colon', `${POST}Content-Length : 5\r\n\r\nabcde`],
    ['chunked not last', `${POST}Transfer-Encoding: chunked, identity\r\n\r\n${NO_CHUNKS}`],
    ['identity', `${POST}Transfer-Encoding: identity\r\n\r\n${NO_CHUNKS}`],
    ['chunked twice', `${POST}Transfer-Encoding: chunked, chunked\r\n\r\n${NO_CHUNKS}`],
    ['a coding we do not undo', `${POST}Transfer-Encoding: gzip, chunked\r\n\r\n${NO_CHUNKS}`],
    ['an unknown coding', `${POST}Transfer-Encoding: xchunked\r\n\r\n${NO_CHUNKS}`],
    ['a vertical tab before the coding', `${POST}Transfer-Encoding: \x0bchunked\r\n\r\n${NO_CHUNKS}`],
    ['a tab before the name', `${POST}\tTransfer-Encoding: chunked\r\n\r\n${NO_CHUNKS}`],
    ['a folded coding', `${POST}Transfer-Encoding:\r\n chunked\r\n\r\n${NO_CHUNKS}`],
    ['a folded field', `${POST}X-A: a\r\n b\r\n\r\n`],
    ['chunks in HTTP/1.0', `POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n${NO_CHUNKS}`],
    ['bare LF everywhere', 'POST / HTTP/1.1\nHost: x\nContent-Length: 0\n\n'],
    ['bare LF after a field', `${POST}X: a\nContent-Length: 0\r\n\r\n`],
    ['bare CR in a value', `${POST}X: a\rY: b\r\n\r\n`],
    ['NUL in a value', `${POST}X: a\0b\r\n\r\n`],
    ['NUL in a name', `${POST}X\0: ab\r\n\r\n`],
    ['a blank in a name', `${POST}A B: c\r\n\r\n`],
    ['a field without name', `${POST}: c\r\n\r\n`],
    ['a field without colon', `${POST}abc\r\n\r\n`],
    ['bare LF after a chunk size', `${CHUNKED}5\nabcde\r\n${NO_CHUNKS}`],
    ['a chunk longer than it says', `${CHUNKED}5\r\nabcdeXX${NO_CHUNKS}`],
    ['a prefixed chunk size', `${CHUNKED}0x5\r\nabcde\r\n${NO_CHUNKS}`],
    ['a negative chunk size', `${CHUNKED}-5\r\nabcde\r\n${NO_CHUNKS}`],
    ['a blank after a chunk size', `${CHUNKED}5 \r\nabcde\r\n${NO_CHUNKS}`],
    ['a length among the trailers', `${CHUNKED}0\r\nContent-Length: 9\r\n\r\n`],
    ['no Host', 'GET / HTTP/1.1\r\n\r\n'],
    ['two Hosts', get('/', 'Host: x\r\nhost: y\r\n')],
    ['a Host with user information', get('/', 'Host: a@b\r\n')],
    ['a Host with a path', get('/', 'Host: a/b\r\n')],
    ['two Content-Types', get('/', 'Host: x\r\nContent-Type: a/b\r\ncontent-type: application/json\r\n')],
    ['two Authorizations', get('/', 'Host: x\r\nAuthorization: a\r\nAuthorization: b\r\n')],
    ['a target of two slashes', get('//evil/path')],
    ['an absolute target of two slashes', get('http://x//evil/path')],
    ['an absolute target with user information', get('http://a:b@x/')],
    ['a target of another scheme', get('ftp://x/')],
    ['a target without slash', get('path')],
    ['an asterisk for GET', get('*')],
    ['a control character in the target', get('/a\x01b')],
    ['a byte beyond ASCII in the target', get('/\xff')],
    ['an unknown method', 'FOO / HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a method in lower case', 'get / HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['HTTP/0.9', 'GET /\r\n\r\n'],
    ['HTTP/2.0 in clear', 'GET / HTTP/2.0\r\nHost: x\r\n\r\n'],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a TLS greeting', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ])('%s', async (_, bytes) => {
    const reply = await send(bytes)
    expect(statusOf(reply.bytes)).toBe(400)
    expect(reply.bytes.toString('latin1').match(/HTTP\/1\.1 /g)).toHaveLength(1)
    expect(reply.ended).toBe('closed')
  })

  test('a second request hidden behind a short length is not served', async () => {
    const hidden = 'GET /hidden HTTP/1.1\r\nHost: x\r\n\r\n'
    const reply = await send(`${POST}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`)
    expect(reply.bytes.toString()).not.toContain('/hidden')
  })
})

describe('legal but odd requests mean what they say', () => {
  test('an absolute target is its path', async () => {
    expect((await seen(get('http://other:99/a?b=c'))).url).toBe('/a?b=c')
    expect((await seen(get('http://other'))).url).toBe('/')
    expect((await seen(get('HTTP://other?q'))).url).toBe('/?q')
  })

  test('chunk extensions are ignored', async () => {
    expect((await seen(`${CHUNKED}5;a=b\r\nabcde\r\n${NO_CHUNKS}`)).body).toBe('abcde')
  })

  test('trailers do not become headers', async () => {
    const { headers, trailers } = await seen(`${CHUNKED}0\r\nX-Late: 1\r\nAuthorization: Bearer t\r\n\r\n`)
    expect(headers).not.toHaveProperty('x-late')
    expect(headers).not.toHaveProperty('authorization')
    expect(trailers).toMatchObject({ 'x-late': '1' })
  })

  test.each(['Content-Length:  5', 'Content-Length: 5 ', 'Content-Length:\t5'])('%j is five', async (field) => {
    expect((await seen(`${POST}${field}\r\n\r\nabcde`)).body).toBe('abcde')
  })

  test('the method is the one of the request line', async () => {
    const overrides = 'X-HTTP-Method-Override: DELETE\r\nX-HTTP-Method: DELETE\r\nX-Method-Override: DELETE\r\n'
    expect((await seen(get('/', `Host: x\r\n${overrides}`))).method).toBe('GET')
  })

  test('naming a field in Connection does not remove it', async () => {
    const bytes = 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close, authorization\r\nAuthorization: Bearer t\r\n\r\n'
    expect((await seen(bytes)).headers.authorization).toBe('Bearer t')
  })

  test('a body is asked for when it fits, and only then', async () => {
    const expecting = (length: number) =>
      `${POST}Expect: 100-continue\r\nContent-Length: ${length}\r\n\r\n${length === 5 ? 'abcde' : ''}`
    expect((await send(expecting(5))).bytes.toString()).toMatch(/^HTTP\/1\.1 100 [\s\S]*HTTP\/1\.1 200 /)
    expect(statusOf((await send(expecting(limits.bodyBytes + 1))).bytes)).toBe(413)
  })
})

describe('sizes', () => {
  const fields = (count: number) => Array.from({ length: count }, (_, index) => `X${index}: a\r\n`).join('')

  test.each([
    ['16 KiB of header fields', get('/', `Host: x\r\nX: ${'a'.repeat(17_000)}\r\n`), 431],
    ['101 fields', get('/', `Host: x\r\n${fields(99)}`), 431],
    ['100 fields', get('/', `Host: x\r\n${fields(98)}`), 200],
    ['a target over 8 KiB', get(`/${'a'.repeat(8_192)}`), 414],
    ['a target of 8 KiB', get(`/${'a'.repeat(8_191)}`), 200],
    ['chunk extensions without end', `${CHUNKED}5;${'a'.repeat(20_000)}\r\nabcde\r\n${NO_CHUNKS}`, 413],
    ['a declared body over the limit', `${POST}Content-Length: ${limits.bodyBytes + 1}\r\n\r\n`, 413],
    ['a chunked body over the limit', `${CHUNKED}186a1\r\n${'a'.repeat(100_001)}\r\n${NO_CHUNKS}`, 413],
    ['a body of the limit', `${POST}Content-Length: ${limits.bodyBytes}\r\n\r\n${'a'.repeat(limits.bodyBytes)}`, 200],
  ])('%s', async (_, bytes, status) => {
    expect(statusOf((await send(bytes)).bytes)).toBe(status)
  })
})

describe('time', () => {
  test('many half-open requests neither stay nor disturb the others', async () => {
    const sockets = Array.from({ length: 200 }, () => connect(port, '127.0.0.1'))
    const gone = sockets.map((socket) => {
      socket.on('error', () => {})
      socket.write('GET / HTTP/1.1\r\nX: ')
      socket.resume()
      return new Promise<void>((resolve) => void socket.on('close', () => resolve()))
    })
    expect((await seen(get('/'))).method).toBe('GET')
    await Promise.all(gone)
  })

  test('a body of one byte at a time gets 408', async () => {
    const drips: NodeJS.Timeout[] = []
    const reply = await sendRaw({
      host: '127.0.0.1',
      port,
      bytes: `${POST}Content-Length: 1000\r\n\r\n`,
      onConnect: (socket) => drips.push(setInterval(() => socket.write('x'), 20)),
    })
    for (const drip of drips) clearInterval(drip)
    expect(statusOf(reply.bytes)).toBe(408)
  })
})

describe('JSON and its content type', () => {
  const json = (body: string | Uint8Array, type = 'Content-Type: application/json\r\n') => {
    const bytes = Buffer.from(body)
    const head = `POST /json HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${type}Content-Length: ${bytes.length}\r\n\r\n`
    return send(Buffer.concat([Buffer.from(head, 'latin1'), bytes]))
  }

  test.each([
    ['application/json', 200],
    ['Application/JSON; Charset=UTF-8', 200],
    ['\tapplication/json', 200],
    ['application/json\t; a="b;c"', 200],
    ['application/a2a+json', 200],
    ['text/plain; a="application/json"', 415],
    ['text/plain, application/json', 415],
    ['application/jsonp', 415],
    ['application/json\x0b', 400],
  ])('%j is answered %d', async (type, status) => {
    expect(statusOf((await json('{}', `Content-Type: ${type}\r\n`)).bytes)).toBe(status)
  })

  test('a missing content type is none', async () => {
    expect(statusOf((await json('{}', '')).bytes)).toBe(415)
  })

  test.each([
    ['__proto__', '{"metadata":{"__proto__":{"isAdmin":true}}}', 'forbidden-key'],
    ['constructor.prototype', '{"parts":[{"data":{"constructor":{"prototype":{}}}}]}', 'forbidden-key'],
    ['a repeated method', '{"method":"GetTask","method":"CancelTask"}', 'duplicate-key'],
    ['a byte order mark', '\ufeff{}', 'encoding'],
    ['NaN', '{"a":NaN}', 'syntax'],
    ['depth 101', '['.repeat(101) + ']'.repeat(101), 'too-deep'],
    ['a number of 101 digits', '1'.repeat(101), 'number-too-long'],
  ])('%s is refused', async (_, body, problem) => {
    const reply = await json(body)
    expect(statusOf(reply.bytes)).toBe(400)
    expect(reply.bytes.toString()).toContain(problem)
  })

  test.each<[string, Buffer]>([
    ['invalid UTF-8', Buffer.from([0x22, 0xff, 0x22])],
    ['UTF-16', Buffer.from('{}', 'utf16le')],
  ])('%s is refused, not repaired', async (_, bytes) => {
    expect((await json(bytes)).bytes.toString()).toContain('encoding')
  })

  test('nothing reached a prototype', () => {
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined()
  })
})

test('the lenient parser is nowhere enabled', () => {
  const name = ['insecure', 'HTTP', 'Parser'].join('')
  const root = join(import.meta.dirname, '../../src')
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
  expect(files.length).toBeGreaterThan(10)
  expect(files.filter((file) => readFileSync(join(root, file), 'utf8').includes(name))).toEqual([])
})
