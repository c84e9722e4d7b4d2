// Who may use the inspector, tried with requests as a hostile page, a rebound name or a stranger would send them.

import { request as send } from 'node:http'
import { hostname, networkInterfaces } from 'node:os'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Inspector } from '../../src/inspector/inspector.ts'

interface Answer {
  status: number
  headers: NodeJS.Dict<string | string[]>
  body: string
}

describe('the guard of the inspector', () => {
  const inspector = new Inspector()
  let port = 0
  let session = ''
  beforeAll(async () => {
    port = (await inspector.start()).port
    session = await opened(inspector.link())
  })
  afterAll(() => inspector.close())

  function ask(method: string, path: string, headers: Record<string, string> = {}, body?: string): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const request = send(
        { host: '127.0.0.1', port, method, path, headers, setHost: !('Host' in headers) },
        (response) => {
          let text = ''
          response.setEncoding('utf8').on('data', (more: string) => {
            text += more
          })
          response.once('end', () =>
            resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
          )
        },
      )
      request.once('error', reject)
      request.end(body)
    })
  }

  const exchange = (token: string) =>
    ask('POST', '/api/session', { 'Content-Type': 'application/json' }, JSON.stringify({ token }))

  async function opened(link: string): Promise<string> {
    const { body } = await exchange(new URLSearchParams(new URL(link).hash.slice(1)).get('token') ?? '')
    return (JSON.parse(body) as { session: string }).session
  }

  const own = () => ({ 'X-Parley-Session': session })

  test('lets in who holds the session', async () => {
    expect((await ask('GET', '/api/state', own())).status).toBe(200)
  })

  test.each([
    ['no token', {}],
    ['a wrong one', { 'X-Parley-Session': 'x'.repeat(43) }],
    ['a token in a cookie', { Cookie: 'parley-session=1' }],
  ])('refuses %s', async (_, headers) => {
    const { status, body } = await ask('GET', '/api/state', headers as Record<string, string>)
    expect(status).toBe(401)
    expect(body).toContain('open the link that parley ui printed')
  })

  test('takes the token of a link once, and tells who comes too late', async () => {
    const link = inspector.link()
    const token = new URLSearchParams(new URL(link).hash.slice(1)).get('token') ?? ''
    expect((await exchange(token)).status).toBe(200)
    const late = await exchange(token)
    expect(late.status).toBe(403)
    expect(late.body).toContain('This link was used already')
    expect((await exchange('guess')).body).toContain('This link is not valid')
    // The session that was there before goes on.
    expect((await ask('GET', '/api/state', own())).status).toBe(200)
  })

  test('a new link voids the one before it', async () => {
    const before = new URLSearchParams(new URL(inspector.link()).hash.slice(1)).get('token') ?? ''
    inspector.link()
    expect((await exchange(before)).status).toBe(403)
  })

  test.each(['evil.example', 'evil.example:80', '127.0.0.1', '127.0.0.1:1', '0.0.0.0', ''])(
    'answers nothing to the Host %j, as DNS rebinding sends it',
    async (host) => {
      for (const path of ['/', '/inspector.js', '/api/state', '/oauth/callback?state=x&code=y'])
        expect([400, 403]).toContain((await ask('GET', path, { ...own(), Host: host })).status)
    },
  )

  test.each(['http://evil.example', 'https://127.0.0.1', 'null', 'http://127.0.0.1:1', 'http://localhost:3000'])(
    'refuses the Origin %s, whatever token it brings',
    async (Origin) => {
      const { status, headers } = await ask(
        'POST',
        '/api/connect',
        { ...own(), Origin, 'Content-Type': 'application/json' },
        '{}',
      )
      expect(status).toBe(403)
      expect(headers['access-control-allow-origin']).toBeUndefined()
    },
  )

  test.each(['cross-site', 'same-site', 'none'])('refuses API requests of Sec-Fetch-Site %s', async (site) => {
    expect((await ask('GET', '/api/state', { ...own(), 'Sec-Fetch-Site': site })).status).toBe(403)
  })

  test('lets a person follow the link from anywhere, and nobody embed the page', async () => {
    const navigation = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' }
    const page = await ask('GET', '/', navigation)
    expect(page.status).toBe(200)
    expect(page.headers['content-security-policy']).toContain("frame-ancestors 'none'")
    expect(page.headers['x-frame-options']).toBe('DENY')
    expect((await ask('GET', '/', { ...navigation, 'Sec-Fetch-Dest': 'iframe' })).status).toBe(403)
    const script = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors', 'Sec-Fetch-Dest': 'script' }
    expect((await ask('GET', '/inspector.js', script)).status).toBe(403)
  })

  test('allows nothing across origins', async () => {
    const preflight = { Origin: 'http://evil.example', 'Access-Control-Request-Method': 'POST' }
    const answers = [
      await ask('OPTIONS', '/api/connect', preflight),
      await ask('OPTIONS', '/api/connect', { ...own() }),
      await ask('GET', '/api/state', own()),
      await ask('GET', '/'),
    ]
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 200, 200])
    for (const { headers } of answers)
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([])
  })

  test('takes no form for a request', async () => {
    const types = ['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data; boundary=x']
    for (const type of [...types, 'application/octet-stream'])
      expect((await ask('POST', '/api/connect', { ...own(), 'Content-Type': type }, '{"target":"x"}')).status).toBe(415)
  })

  test('does nothing on GET', async () => {
    for (const path of ['/api/connect?target=http://127.0.0.1:1', '/api/send', '/api/session?token=x', '/api/resend'])
      expect((await ask('GET', path, own())).status).toBe(404)
    expect(JSON.parse((await ask('GET', '/api/state', own())).body).agents).toEqual([])
  })

  test('a login answer nobody waits for changes nothing', async () => {
    const { status, body } = await ask('GET', '/oauth/callback?state=guess&code=stolen')
    expect(status).toBe(400)
    expect(body).toContain('No login waits for this answer')
    expect(body).not.toContain('stolen')
  })

  test('bad bodies are told in one sentence', async () => {
    const json = { ...own(), 'Content-Type': 'application/json' }
    expect((await ask('POST', '/api/connect', json, '[1]')).body).toContain('The body is not a JSON object.')
    expect((await ask('POST', '/api/connect', json, '{}')).body).toContain("The request lacks 'target'.")
    expect((await ask('POST', '/api/send', json, '{"agent":"a99","parts":[]}')).body).toContain('no longer open')
    expect((await ask('POST', '/api/nothing', json, '{}')).status).toBe(404)
  })

  test('at every address of the machine, answers to its addresses and to no name', async () => {
    const others = new Inspector({ host: '0.0.0.0' })
    const { port: own } = await others.start()
    const status = (host: string) =>
      new Promise((resolve, reject) => {
        const headers = { Host: `${host}:${own}` }
        send({ host: '127.0.0.1', port: own, headers, setHost: false }, (response) => {
          response.resume()
          resolve(response.statusCode)
        })
          .once('error', reject)
          .end()
      })
    const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
    for (const { address, family } of addresses)
      expect(await status(family === 'IPv6' ? `[${address}]` : address)).toBe(200)
    for (const name of ['rebound.example', hostname(), '203.0.113.7']) expect(await status(name)).toBe(403)
    await others.close()
  })
})
