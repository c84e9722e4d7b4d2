// SSRF-*: URL, name, DNS, redirect, scheme and self rows, each against a listener that must not be reached.

import { execFile } from 'node:child_process'
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type GuardedRequest, guardedRequest } from './guarded-request.ts'
import type { GuardOptions, Resolver } from './guarded-url.ts'

const OPEN: GuardOptions = { allowPrivateNetworks: true }

/** Counts connections on every local address, so that "refused" means no packet was sent. */
let trap: Server
let trapPort = 0
let connections = 0

beforeAll(async () => {
  trap = createServer((_request, response) => response.end('reached'))
  trap.on('connection', () => {
    connections += 1
  })
  trapPort = await listen(trap, '::')
})

afterAll(() => close(trap))

function listen(server: Server, host: string): Promise<number> {
  return new Promise((resolve) => server.listen(0, host, () => resolve((server.address() as AddressInfo).port)))
}

function close(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(() => resolve()))
}

async function withServer<T>(answer: RequestListener, use: (origin: string) => Promise<T>): Promise<T> {
  const server = createServer(answer)
  const port = await listen(server, '127.0.0.1')
  try {
    return await use(`http://127.0.0.1:${port}`)
  } finally {
    await close(server)
  }
}

/** The strictest guard except that it would let the trap's port and plain http through. */
function guard(resolve?: Resolver): GuardOptions {
  return { allowHttp: true, allowedPorts: [trapPort, 443], ...(resolve === undefined ? {} : { resolve }) }
}

async function expectRefused(request: GuardedRequest, options: GuardOptions): Promise<void> {
  const before = connections
  const outcome = await guardedRequest(request, options)
  expect([request.url, outcome.ok, outcome.ok ? '' : outcome.reason]).toEqual([request.url, false, 'refused'])
  expect(connections).toBe(before)
}

describe('hosts', () => {
  test.each([
    ['127.0.0.1'],
    ['127.1'],
    ['0x7f.1'],
    ['2130706433'],
    ['0177.0.0.1'],
    ['127.0.0.1.'],
    ['127.8.9.10'],
    ['127。0。0。1'],
    ['①②⑦.0.0.1'],
    ['[::1]'],
    ['[::ffff:127.0.0.1]'],
    ['[::127.0.0.1]'],
    ['[64:ff9b::7f00:1]'],
    ['[2002:7f00:1::]'],
    ['0.0.0.0'],
    ['[::]'],
    ['10.0.0.1'],
    ['169.254.169.254'],
    ['localhost'],
    ['localhost.'],
    ['LOCALHOST'],
    ['app.localhost'],
    ['LOCALHOST..'],
    ['printer.local'],
    ['metadata.google.internal'],
    ['METADATA.google.internal.'],
    ['metadata.azure.com'],
  ])('SSRF-HOST %s is refused without a connection', async (host) => {
    await expectRefused({ url: `http://${host}:${trapPort}/hook` }, guard())
  })

  test('SSRF-HOST an IDN homoglyph is resolved and pinned under its ASCII name', async () => {
    const asked: string[] = []
    const resolve: Resolver = async (name) => {
      asked.push(name)
      return ['127.0.0.1']
    }
    await expectRefused({ url: `http://lоcalhost.example:${trapPort}/` }, guard(resolve))
    expect(asked).toEqual(['xn--lcalhost-nbh.example'])
  })
})

describe('schemes and form', () => {
  test.each([
    ['file:///etc/passwd'],
    ['gopher://example.com/'],
    ['ftp://example.com/'],
    ['data:text/plain,x'],
    ['blob:https://example.com/1'],
    ['javascript:alert(1)'],
    ['ws://example.com/'],
    ['unix:/run/x.sock'],
    ['FiLe:///etc/passwd'],
    [' https://example.com/'],
    ['https://example.com/\r\nx'],
    ['\u0000https://example.com/'],
    ['https://user:secret@example.com/'],
    ['https://example.com:22/'],
    [`https://example.com/${'a'.repeat(2048)}`],
    ['not a url'],
    [''],
  ])('SSRF-SCHEME %j is refused', async (url) => {
    await expectRefused({ url }, guard())
  })

  test('SSRF-SCHEME plain http is refused unless allowed', async () => {
    await expectRefused({ url: 'http://example.com/' }, { resolve: async () => ['8.8.8.8'] })
  })
})

describe('DNS', () => {
  const url = (): string => `http://hook.example:${trapPort}/`

  test.each<[string, string[]]>([
    ['a loopback address', ['127.0.0.1']],
    ['one public and one private', ['8.8.8.8', '10.0.0.1']],
    ['AAAA private with A public', ['8.8.8.8', 'fd00::1']],
    ['a mapped loopback address', ['::ffff:127.0.0.1']],
    ['more than 64 records', Array.from({ length: 65 }, (_, at) => `8.8.8.${at}`)],
    ['something that is not an address', ['127.1']],
  ])('SSRF-DNS a name with %s is refused', async (_row, addresses) => {
    await expectRefused(
      { url: url() },
      guard(async () => addresses),
    )
  })

  test('SSRF-DNS 169.254.169.254.nip.io and a CNAME to a private host are refused by their address', async () => {
    const zone = new Map([
      ['169.254.169.254.nip.io', '169.254.169.254'],
      ['cname-to-private.example', '192.168.1.1'],
    ])
    for (const name of zone.keys()) {
      await expectRefused(
        { url: `http://${name}:${trapPort}/` },
        guard(async (host) => [zone.get(host) ?? '']),
      )
    }
  })

  test('SSRF-DNS rebinding gains nothing: one question, and the connection uses that answer', async () => {
    const answers = [['127.0.0.1'], ['127.0.0.2']]
    let asked = 0
    const resolve: Resolver = async () => answers[asked++] ?? []
    await withServer(
      (request, response) => response.end(request.headers.host),
      async (origin) => {
        const port = new URL(origin).port
        const outcome = await guardedRequest({ url: `http://rebind.example:${port}/` }, { ...OPEN, resolve })
        expect(outcome.ok && outcome.body.toString()).toBe(`rebind.example:${port}`)
        expect(asked).toBe(1)
      },
    )
  })

  test('SSRF-DNS the second delivery is checked anew', async () => {
    let answer = ['8.8.8.8']
    const options = guard(async () => answer)
    const first = await guardedRequest({ url: url(), signal: AbortSignal.abort() }, options)
    expect(first).toMatchObject({ ok: false, reason: 'unreachable' })
    answer = ['127.0.0.1']
    await expectRefused({ url: url() }, options)
  })

  test('SSRF-DNS silence ends at the deadline', async () => {
    const silent: Resolver = () => new Promise(() => {})
    const outcome = await guardedRequest({ url: url() }, { ...guard(silent), dnsTimeoutMs: 10 })
    expect(outcome).toMatchObject({ ok: false, reason: 'unresolved' })
  })
})

describe('redirects', () => {
  test.each([301, 302, 303, 307, 308])('SSRF-REDIR %d is an answer, never followed', async (status) => {
    const seen: IncomingMessage[] = []
    for (const location of [`http://127.0.0.1:${trapPort}/`, 'file:///etc/passwd', 'https://other.example/']) {
      const before = connections
      const outcome = await withServer(
        (request, response) => {
          seen.push(request)
          response.writeHead(status, { location }).end()
        },
        (origin) =>
          guardedRequest({ url: origin, method: 'POST', headers: { authorization: 'Bearer s' }, body: '{}' }, OPEN),
      )
      expect(outcome).toMatchObject({ ok: true, status })
      expect(connections).toBe(before)
    }
    expect(seen).toHaveLength(3)
  })
})

describe('self', () => {
  const own = (origin: string): GuardOptions => ({ ...OPEN, selfOrigins: () => [origin] })

  test('SSRF-SELF our listening address is refused even when private networks are open', async () => {
    await expectRefused({ url: `http://127.0.0.1:${trapPort}/` }, own(`http://127.0.0.1:${trapPort}`))
  })

  test('SSRF-SELF a wildcard listener is refused under every local address and by name', async () => {
    for (const host of ['127.0.0.1', '127.0.0.9', '[::1]', 'localhost']) {
      await expectRefused({ url: `http://${host}:${trapPort}/` }, own(`http://[::]:${trapPort}`))
    }
    const resolve: Resolver = async () => ['127.0.0.1']
    await expectRefused({ url: `http://me.example:${trapPort}/` }, { ...own(`http://0.0.0.0:${trapPort}`), resolve })
  })

  test('SSRF-SELF our public URL is refused', async () => {
    await expectRefused({ url: 'https://agents.example/spec' }, own('https://Agents.Example.'))
  })

  test('SSRF-SELF another port of the same address is somebody else', async () => {
    const outcome = await guardedRequest({ url: `http://127.0.0.1:${trapPort}/` }, own('http://127.0.0.1:1'))
    expect(outcome).toMatchObject({ ok: true, status: 200 })
  })
})

describe('the exchange', () => {
  test('metadata hosts stay refused when private networks are open', async () => {
    await expectRefused({ url: 'http://169.254.169.254/latest/meta-data' }, OPEN)
    await expectRefused({ url: 'http://metadata.google.internal/' }, OPEN)
  })

  test('sends method, headers and body and returns status and headers', async () => {
    const outcome = await withServer(
      (request, response) => {
        request.setEncoding('utf8').on('data', (body: string) => {
          response.setHeader('retry-after', '7').writeHead(429)
          response.end(`${request.method} ${String(request.headers['x-token'])} ${body}`)
        })
      },
      (url) => guardedRequest({ url, method: 'POST', headers: { 'x-token': 't' }, body: 'hé' }, OPEN),
    )
    expect(outcome).toMatchObject({ ok: true, status: 429, isTruncated: false })
    expect(outcome.ok && outcome.headers.get('retry-after')).toBe('7')
    expect(outcome.ok && outcome.body.toString()).toBe('POST t hé')
  })

  test('reads at most 64 KiB of an endless answer', async () => {
    const outcome = await withServer(
      (_request, response) => {
        const more = (): void => {
          while (!response.destroyed && response.write(Buffer.alloc(16_384)));
          response.once('drain', more)
        }
        more()
      },
      (url) => guardedRequest({ url }, OPEN),
    )
    expect(outcome).toMatchObject({ ok: true, isTruncated: true })
    expect(outcome.ok && outcome.body.length).toBe(65_536)
  })

  test('a closed port, a reset and silence are all "unreachable"', async () => {
    const port = await withServer(
      () => {},
      async (origin) => new URL(origin).port,
    )
    const closed = await guardedRequest({ url: `http://127.0.0.1:${port}/` }, OPEN)
    const reset = await withServer(
      (request) => request.socket.destroy(),
      (url) => guardedRequest({ url }, OPEN),
    )
    const silent = await withServer(
      () => {},
      (url) => guardedRequest({ url, timeoutMs: 30 }, OPEN),
    )
    for (const outcome of [closed, reset, silent]) expect(outcome).toMatchObject({ ok: false, reason: 'unreachable' })
  })

  test('a header that cannot be sent fails without showing its value', async () => {
    const outcome = await guardedRequest(
      { url: `http://127.0.0.1:${trapPort}/`, headers: { authorization: 'Bearer canary\r\nx: y' } },
      OPEN,
    )
    expect(outcome).toMatchObject({ ok: false, reason: 'unreachable' })
    expect(JSON.stringify(outcome)).not.toContain('canary')
  })

  test('proxies of the environment are not used', async () => {
    const before = connections
    const script = `
      const { guardedRequest } = await import(${JSON.stringify(new URL('./guarded-request.ts', import.meta.url).href)})
      const outcome = await guardedRequest({ url: process.env.TARGET }, { allowPrivateNetworks: true })
      console.log(outcome.ok && outcome.body.toString())`
    const output = await withServer(
      (_request, response) => response.end('direct'),
      async (origin) => {
        const proxy = `http://127.0.0.1:${trapPort}`
        const env = { ...process.env, TARGET: origin, NODE_USE_ENV_PROXY: '1', HTTP_PROXY: proxy, http_proxy: proxy }
        return promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
          env: { ...env, NO_PROXY: '', no_proxy: '' },
        })
      },
    )
    expect(output.stdout.trim()).toBe('direct')
    expect(connections).toBe(before)
  })
})
