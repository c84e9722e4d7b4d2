// SSRF-PEER: whatever address an agent, its card or a redirect names, proxy and relay call only what their operator
// named or the guard lets through, and nobody hears what stands at an address that is no agent.

import { generateKeyPairSync } from 'node:crypto'
import { afterEach, describe, expect, test } from 'vitest'
import { referenceAgents } from '../../src/agents/reference.ts'
import { forwardWith } from '../../src/cli/forward.ts'
import { A2AClient } from '../../src/client/a2a-client.ts'
import { Wire } from '../../src/judge/probe/wire.ts'
import { findCard } from '../../src/judge/runner/find-card.ts'
import { reachOf } from '../../src/net/guard/reach.ts'
import { HttpClient } from '../../src/net/http-client.ts'
import { createProxy, type ProxyOptions } from '../../src/proxy/proxy.ts'
import type { AuthConfig } from '../../src/server/auth/auth-config.ts'
import type { CardInput } from '../../src/server/mount-options.ts'
import { createServer } from '../../src/server/server.ts'
import { type ScriptedServer, sendJson, startScriptedServer } from '../peers/scripted-server.ts'

const stops: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

const CANARY = 'canary-of-the-inner-service'

/** Something that is no agent, at an address nobody named. */
async function innerService(): Promise<ScriptedServer> {
  const server = await startScriptedServer((_request, res) =>
    res.writeHead(200, { 'Content-Type': 'text/html' }).end(`<h1>${CANARY}</h1>`),
  )
  stops.push(() => server.close())
  return server
}

function cardOf(name: string): CardInput {
  return {
    ...{ name, description: 'An agent.', version: '1', capabilities: {} },
    ...{ defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'] },
    skills: [{ id: 's', name: 'S', description: 'Does it.', tags: ['t'] }],
  }
}

function cardNaming(url: string, more: object = {}): object {
  return {
    ...cardOf('Upstream'),
    supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
    ...more,
  }
}

/** An agent whose card names the given URL, its own when none is given, and which answers calls with a reply. */
async function upstream(
  options: { names?: string; redirectsTo?: string; card?: object } = {},
): Promise<ScriptedServer> {
  const server: ScriptedServer = await startScriptedServer((request, res) => {
    if (request.method === 'GET' && options.redirectsTo !== undefined)
      return void res.writeHead(307, { Location: options.redirectsTo }).end()
    if (request.method === 'GET') return sendJson(res, 200, cardNaming(options.names ?? server.url, options.card))
    const { id } = JSON.parse(request.body) as { id: number }
    const message = { messageId: 'r', role: 'ROLE_AGENT', parts: [{ text: 'an answer' }] }
    sendJson(res, 200, { jsonrpc: '2.0', id, result: { message } })
  })
  stops.push(() => server.close())
  return server
}

async function proxyTo(url: string, options: Partial<ProxyOptions> = {}): Promise<string> {
  const proxy = createProxy({ agents: [{ name: 'app', url }], ...options })
  const listening = await proxy.listen()
  stops.push(() => proxy.close({ graceMs: 0 }))
  return listening.url
}

async function post(url: string, text = 'secret words'): Promise<{ status: number; text: string; headers: Headers }> {
  const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text }] }
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'A2A-Version': '1.0' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } }),
  })
  return { status: answer.status, text: await answer.text(), headers: answer.headers }
}

describe('the proxy', () => {
  test('does not call another origin of this machine that the card names', async () => {
    const inner = await innerService()
    const url = await proxyTo((await upstream({ names: `${inner.url}/admin` })).url)
    const { text } = await post(url)
    expect(text).toContain('must not be called')
    expect(text).not.toContain(CANARY)
    expect(inner.received).toEqual([])
  })

  test('does not follow a redirect of the card to another origin of this machine', async () => {
    const inner = await upstream()
    const url = await proxyTo((await upstream({ redirectsTo: `${inner.url}/.well-known/agent-card.json` })).url)
    expect((await post(url)).text).toContain('must not be called')
    expect(await (await fetch(`${url}/readyz`)).text()).toContain('must not be called')
    expect(inner.received).toEqual([])
  })

  test('follows a redirect within the origin its operator named', async () => {
    const { url: inside } = await (async () => {
      const server: ScriptedServer = await startScriptedServer((request, res) => {
        if (request.path === '/card') return sendJson(res, 200, cardNaming(server.url))
        if (request.method === 'GET') return void res.writeHead(307, { Location: '/card' }).end()
        const { id } = JSON.parse(request.body) as { id: number }
        const message = { messageId: 'r', role: 'ROLE_AGENT', parts: [{ text: 'an answer' }] }
        sendJson(res, 200, { jsonrpc: '2.0', id, result: { message } })
      })
      stops.push(() => server.close())
      return server
    })()
    expect((await post(await proxyTo(inside))).text).toContain('an answer')
  })

  test('calls the same place under another of its names', async () => {
    const agent: ScriptedServer = await upstream()
    const { port } = new URL(agent.url)
    for (const typed of [`http://localhost:${port}`, `http://127.0.0.1:${port}`])
      expect((await post(await proxyTo(typed))).text).toContain('an answer')
    const wildcard = await upstream()
    const named = await upstream({ names: `http://0.0.0.0:${new URL(wildcard.url).port}` })
    expect((await post(await proxyTo(named.url))).text).toContain('must not be called')
  })

  test.each([
    ['allowPrivateUpstreams', { allowPrivateUpstreams: true }],
    ['its endpoint', {}],
    ['an allowed origin', {}],
  ])('calls it when the operator says so by %s', async (by, options) => {
    const other = await upstream()
    const { url: typed } = await upstream({ names: other.url })
    const agent = {
      ...{ name: 'app', url: typed },
      ...(by === 'its endpoint' ? { endpoint: other.url } : {}),
      ...(by === 'an allowed origin' ? { allowOrigins: [other.url] } : {}),
    }
    expect((await post(await proxyTo(typed, { ...options, agents: [agent] }))).text).toContain('an answer')
  })

  test('opening webhooks does not open upstreams', async () => {
    const inner = await innerService()
    const { url } = await upstream({ names: inner.url })
    await post(await proxyTo(url, { allowPrivateNetworks: true, allowPrivateWebhooks: true }))
    expect(inner.received).toEqual([])
  })

  test('shows nothing of what an upstream that is no agent answers', async () => {
    const answers = [
      `<h1>${CANARY}</h1>`,
      `"${CANARY}"`,
      `{"jsonrpc":"2.0","id":"${CANARY}","result":{}}`,
      `{"${CANARY}":1}`,
    ]
    for (const body of answers) {
      const agent: ScriptedServer = await startScriptedServer((request, res) => {
        if (request.method === 'GET') sendJson(res, 200, cardNaming(agent.url))
        else res.writeHead(200, { 'Content-Type': 'application/json' }).end(body)
      })
      stops.push(() => agent.close())
      const logged: string[] = []
      const log = (_level: string, event: string, fields?: object) =>
        void logged.push(`${event} ${JSON.stringify(fields)}`)
      const { text } = await post(await proxyTo(agent.url, { log }))
      expect(text).toContain('did not answer in valid A2A')
      expect(logged).toEqual([expect.stringMatching(/^proxy-trouble .*answered|not valid/)])
      expect(logged[0]).not.toContain(CANARY)
      expect(text).not.toContain(CANARY)
      expect(text).not.toContain(new URL(agent.url).port)
    }
  })

  test('shows nothing of what stands in the place of a card', async () => {
    for (const body of [`{"${CANARY}":1}`, `"${CANARY}"`, `{"name":"${CANARY}","supportedInterfaces":"${CANARY}"}`]) {
      const agent = await startScriptedServer((_request, res) => res.writeHead(200).end(body))
      stops.push(() => agent.close())
      const url = await proxyTo(agent.url)
      expect((await post(url)).text).not.toContain(CANARY)
      expect(await (await fetch(`${url}/readyz`)).text()).not.toContain(CANARY)
    }
  })

  test('an agent without skills is served, not answered with 500', async () => {
    const url = await proxyTo((await upstream({ card: { skills: [] } })).url)
    expect(await post(url)).toMatchObject({ status: 200, text: expect.stringContaining('an answer') })
    expect(await (await fetch(`${url}/.well-known/agent-card.json`)).json()).toMatchObject({ name: 'Upstream' })
  })

  test('lets no web page of another origin in, unless named or asked for credentials', async () => {
    const { url: agent } = await upstream()
    const ask = (url: string, origin: string) =>
      fetch(url, { method: 'OPTIONS', headers: { Origin: origin, 'Access-Control-Request-Method': 'POST' } })
    const closed = await proxyTo(agent)
    expect((await ask(closed, 'https://evil.example')).status).toBe(403)
    expect((await ask(closed, 'null')).status).toBe(403)
    expect((await post(closed)).headers.get('access-control-allow-origin')).toBeNull()
    const named = await proxyTo(agent, { webOrigins: ['https://ui.example'] })
    expect((await ask(named, 'https://ui.example')).status).toBe(204)
    expect((await ask(named, 'https://ui.example.evil')).status).toBe(403)
    const asking = await proxyTo(agent, { auth: [{ kind: 'bearer', token: 'long-enough', subject: 'alice' }] })
    expect((await ask(asking, 'https://ui.example')).status).toBe(204)
  })
})

describe('the relay', () => {
  async function relay(options: { target?: string; allowsChosenTargets?: boolean; allowsPrivate?: boolean }) {
    const { target, allowsChosenTargets = false, allowsPrivate = false } = options
    const agents = referenceAgents({ relay: { target, allowsChosenTargets, forward: forwardWith({ allowsPrivate }) } })
    const server = createServer({ agents, allowPrivateNetworks: true })
    const { url } = await server.listen()
    stops.push(() => server.close({ graceMs: 0 }))
    return `${url}/relay`
  }

  test('reaches the target of its operator, and nothing else its card names', async () => {
    const inner = await innerService()
    const { url: target } = await upstream()
    expect((await post(await relay({ target }))).text).toContain('an answer')
    const { text } = await post(await relay({ target: (await upstream({ names: inner.url })).url }))
    expect(text).toContain('must not be called')
    expect(inner.received).toEqual([])
  })

  test('a target that a message chooses has to be public, whatever is open for webhooks', async () => {
    const inner = await innerService()
    const url = await relay({ allowsChosenTargets: true })
    const { text } = await post(url, `relay ${inner.url} hello`)
    expect(text).not.toContain(CANARY)
    expect(text).toContain('must not be called')
    expect(inner.received).toEqual([])
    expect((await post(await relay({}), `relay ${inner.url} hello`)).text).toContain('--allow-relay-targets')
  })

  test('may be opened for this machine by itself', async () => {
    const { url: agent } = await upstream()
    const url = await relay({ allowsChosenTargets: true, allowsPrivate: true })
    expect((await post(url, `relay ${agent} hello`)).text).toContain('an answer')
    const inner = await innerService()
    expect((await post(url, `relay ${inner.url} hello`)).text).not.toContain(CANARY)
  })

  test('answers no web page of another origin, nor lets one read', async () => {
    const url = await relay({ allowsChosenTargets: true, allowsPrivate: true })
    for (const origin of [
      'https://evil.example',
      'null',
      'http://evil.example:80',
      `${new URL(url).origin}.evil.example`,
    ]) {
      const preflight = await fetch(url, { method: 'OPTIONS', headers: { Origin: origin } })
      expect([origin, preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([
        origin,
        403,
        null,
      ])
    }
    const answer = await post(url, 'hello')
    expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
    const card = await fetch(`${url}/.well-known/agent-card.json`)
    expect(card.headers.get('access-control-allow-origin')).toBe('*')
  })
})

describe('web pages and webhooks', () => {
  async function register(options: object, page?: string, hook = 'https://127.0.0.1:8443/hook'): Promise<string> {
    const forward = () => Promise.reject(new Error('unused'))
    const agents = referenceAgents({ relay: { target: undefined, allowsChosenTargets: false, forward } })
    const server = createServer({ agents, ...options })
    const { url } = await server.listen()
    stops.push(() => server.close({ graceMs: 0 }))
    const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'task' }] }
    const configuration = { taskPushNotificationConfig: { url: hook } }
    const answer = await fetch(`${url}/push`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'A2A-Version': '1.0', ...(page && { Origin: page }) },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message, configuration } }),
    })
    return answer.text()
  }

  test.each(['allowPrivateWebhooks', 'allowPrivateNetworks'])(
    '%s opens webhooks, but not to pages from elsewhere',
    async (name) => {
      expect(await register({ [name]: true })).toContain('"result"')
      expect(await register({ [name]: true }, 'http://localhost:5173')).toContain('"result"')
      expect(await register({ [name]: true }, 'https://evil.example')).toContain('Web pages of other origins')
    },
  )

  test('without it private webhooks are refused for everybody', async () => {
    expect(await register({})).toContain('is not a public address')
  })

  test('a host without an address is told as that, whatever is allowed', async () => {
    for (const allowPrivateWebhooks of [false, true]) {
      const push = { resolve: async () => [] }
      const told = await register({ allowPrivateWebhooks, push }, undefined, 'https://nobody.example/hook')
      expect(told).toContain('The webhook URL is refused: its host cannot be resolved.')
    }
  })
})

describe('the keys of an issuer', () => {
  async function start(auth: AuthConfig, options: object = {}): Promise<void> {
    const card: CardInput = cardOf('Keys')
    const server = createServer({ card, agent: () => 'hi', auth: [auth], ...options })
    stops.push(() => server.close({ graceMs: 0 }))
    await server.ready()
  }

  const rules = { audience: 'a', algorithms: ['RS256'], scopes: [] }

  test('may be wherever the operator wrote, and where the issuer leads only if that is public or allowed', async () => {
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const keys = await startScriptedServer((_request, res) =>
      sendJson(res, 200, { keys: [publicKey.export({ format: 'jwk' })] }),
    )
    stops.push(() => keys.close())
    await start({ kind: 'jwt', issuer: 'https://issuer.example', jwksUrl: `${keys.url}/keys`, ...rules })
    expect(keys.received).toHaveLength(1)
    const issuer: ScriptedServer = await startScriptedServer((_request, res) =>
      sendJson(res, 200, { issuer: issuer.url, jwks_uri: `${keys.url}/keys` }),
    )
    stops.push(() => issuer.close())
    const oidc: AuthConfig = { kind: 'oidc', issuer: issuer.url, ...rules }
    await expect(start(oidc)).rejects.toMatchObject({ code: 'keys-unreachable' })
    await expect(start(oidc, { allowPrivateNetworks: true })).rejects.toMatchObject({ code: 'keys-unreachable' })
    expect(keys.received).toHaveLength(1)
    await start(oidc, { allowPrivateIssuers: true })
    expect(keys.received).toHaveLength(2)
  })
})

describe('clients', () => {
  test('a card from the internet does not lead into this machine', async () => {
    const inner = await innerService()
    const reach = reachOf({
      named: ['https://agent.example'],
      allowsNeighbours: true,
      guard: { resolve: async () => ['8.8.8.8'] },
    })
    await expect(reach(new URL(inner.url))).rejects.toMatchObject({ code: 'refused' })
    expect(await reach(new URL('https://agent.example/x'))).toBeUndefined()
    const http = new HttpClient({ reach })
    await expect(http.request({ url: inner.url })).rejects.toMatchObject({ code: 'refused' })
    http.close()
    expect(inner.received).toEqual([])
  })

  test('a name is resolved once, checked, and called where it was checked', async () => {
    const inner = await innerService()
    const { port } = new URL(inner.url)
    const asked: string[] = []
    const resolve = async (name: string) => {
      asked.push(name)
      return name === 'agent.example' ? ['8.8.8.8'] : ['127.0.0.1']
    }
    const strict = new HttpClient({ reach: reachOf({ named: [], guard: { resolve } }) })
    await expect(strict.request({ url: `http://rebind.example:${port}/` })).rejects.toMatchObject({ code: 'refused' })
    strict.close()
    expect(inner.received).toEqual([])
    const open = new HttpClient({ reach: reachOf({ named: [], guard: { resolve, allowPrivateNetworks: true } }) })
    for (let at = 0; at < 3; at++) await (await open.request({ url: `http://rebind.example:${port}/` })).text()
    open.close()
    expect(inner.received).toHaveLength(3)
    // Once for the refusal, once for the connection the three requests shared.
    expect(asked).toEqual(['rebind.example', 'rebind.example'])
  })

  test('on one machine agents may name each other, as their author runs them', async () => {
    const other = await upstream()
    using client = await A2AClient.connect((await upstream({ names: other.url })).url)
    const message = { messageId: 'm', role: 'ROLE_USER' as const, parts: [{ text: 'hi' }] }
    expect(await client.sendMessage({ message })).toMatchObject({ message: { parts: [{ text: 'an answer' }] } })
  })

  test('the judge shows credentials to no origin that a redirect chose', async () => {
    const other = await startScriptedServer((_request, res) => void res.writeHead(401).end())
    stops.push(() => other.close())
    const first: ScriptedServer = await startScriptedServer((request, res) => {
      if (request.headers.authorization === undefined) res.writeHead(401).end()
      else res.writeHead(307, { Location: other.url }).end()
    })
    stops.push(() => first.close())
    const http = new HttpClient()
    const credentials = [['Authorization', 'Bearer canary']] as const
    await findCard(`${first.url}/card.json`, new Wire(http), {
      ...{ timeoutMs: 5_000, signal: new AbortController().signal, credentials },
    })
    http.close()
    expect(other.received.length).toBeGreaterThan(0)
    expect(other.received.filter(({ headers }) => headers.authorization !== undefined)).toEqual([])
  })
})
