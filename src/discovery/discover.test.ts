import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { type Received, type ScriptedServer, sendJson, startScriptedServer } from '../../test/peers/scripted-server.ts'
import { EXIT, ParleyError } from '../model/errors.ts'
import { HttpClient } from '../net/http-client.ts'
import { type DiscoverOptions, discover } from './discover.ts'

const CARD = {
  name: 'A',
  description: 'a',
  version: '1',
  capabilities: {},
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [{ id: 's', name: 'S', description: 's', tags: ['t'] }],
  supportedInterfaces: [{ url: 'http://127.0.0.1:1/rpc', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
}
const http = new HttpClient()
const servers: ScriptedServer[] = []

async function serverOf(answer: (request: Received, res: ServerResponse) => void): Promise<ScriptedServer> {
  const server = await startScriptedServer(answer)
  servers.push(server)
  return server
}

async function failureOf(target: string, options: Partial<DiscoverOptions> = {}): Promise<ParleyError> {
  const error = await discover(target, { http, ...options }).catch((caught: unknown) => caught)
  if (error instanceof ParleyError) return error
  throw new Error(`expected a ParleyError, got ${String(error)}`)
}

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})

describe('discover', () => {
  test('asks for a 1.0 card at the well-known place', async () => {
    const server = await serverOf((_, res) => sendJson(res, 200, CARD))
    const found = await discover(server.url.replace('http://', ''), { http })
    expect(found.card?.name).toBe('A')
    expect(found.origin).toBe(server.url)
    expect(server.received.map(({ path, headers }) => [path, headers['a2a-version']])).toEqual([
      ['/.well-known/agent-card.json', '1.0'],
    ])
  })

  test('goes on to the older place and keeps every attempt', async () => {
    const server = await serverOf(({ path }, res) =>
      path === '/.well-known/agent.json'
        ? sendJson(res, 200, { name: 'Old', url: 'http://127.0.0.1:1', version: '1', capabilities: {}, skills: [] })
        : res.writeHead(404).end(),
    )
    const { attempts, readings } = await discover(server.url, { http })
    expect(readings[0]?.dialect).toBe('0.1')
    expect(attempts.map(({ outcome }) => outcome)).toEqual(['HTTP 404', 'HTTP 200'])
  })

  test("a card in the root is the agent's only when it names an interface where the user pointed", async () => {
    const server = await serverOf(({ path }, res) => {
      if (path !== '/.well-known/agent-card.json') return void res.writeHead(404).end()
      const url = `${server.url}/agents/blue/rpc`
      sendJson(res, 200, { ...CARD, supportedInterfaces: [{ ...CARD.supportedInterfaces[0], url }] })
    })
    expect((await discover(`${server.url}/agents/blue`, { http })).card?.name).toBe('A')
    expect((await failureOf(`${server.url}/agents/bl`)).message).toContain('the card of another agent')
    expect((await failureOf(`${server.url}/agents/red`)).message).toContain('the card of another agent')
  })

  test('reads a card that repeats a member, and says so', async () => {
    const text = `{"name":"first",${JSON.stringify(CARD).slice(1)}`
    const server = await serverOf((_, res) => res.writeHead(200, { 'Content-Type': 'application/json' }).end(text))
    const { card, textIssues } = await discover(server.url, { http })
    expect(card?.name).toBe('A')
    expect(textIssues).toHaveLength(1)
  })

  test('a nobody at the address is exit 3 with the URLs tried', async () => {
    const server = await serverOf(() => {})
    await server.close()
    const error = await failureOf(server.url)
    expect(error.exitCode).toBe(EXIT.unreachable)
    expect(`${error.message} ${error.hint}`).toContain(`${server.url}/.well-known/agent-card.json`)
  })

  test('a server without a card is exit 1 with the URLs tried and what it says', async () => {
    const server = await serverOf((_, res) =>
      sendJson(res, 404, { error: { message: 'There are\n/spec and \u001b[31m/echo.' } }),
    )
    const error = await failureOf(server.url)
    expect(error.exitCode).toBe(EXIT.failed)
    expect(error.message).toContain('/.well-known/agent.json (HTTP 404)')
    expect(error.hint).toContain('it says: There are /spec and [31m/echo.')
  })

  test('JSON that is no card is described', async () => {
    const server = await serverOf((_, res) => sendJson(res, 200, { status: 'ok', uptime: 3 }))
    const error = await failureOf(server.url)
    expect(error.message).toContain('a JSON object with status, uptime, which is not an agent card')
  })

  test('401 is exit 4 and names the flag', async () => {
    const server = await serverOf((_, res) => res.writeHead(401).end())
    const error = await failureOf(server.url)
    expect(error.exitCode).toBe(EXIT.unauthenticated)
    expect(error.hint).toContain('--bearer')
  })

  test('a server that never answers is exit 5', async () => {
    const server = await serverOf(() => {})
    const error = await failureOf(server.url, { timeoutMs: 30 })
    expect(error.exitCode).toBe(EXIT.timeout)
  })

  test('follows a redirect, but the credentials stay', async () => {
    const elsewhere = await serverOf((_, res) => sendJson(res, 200, CARD))
    const server = await serverOf((_, res) => res.writeHead(302, { Location: `${elsewhere.url}/card.json` }).end())
    const { source, origin } = await discover(server.url, { http, bearer: 'secret' })
    expect([source, origin]).toEqual([`${elsewhere.url}/card.json`, server.url])
    expect(server.received[0]?.headers.authorization).toBe('Bearer secret')
    expect(elsewhere.received[0]?.headers.authorization).toBeUndefined()
  })

  test('a redirect in a circle comes to an end', async () => {
    const server = await serverOf((_, res) => res.writeHead(302, { Location: '/again' }).end())
    expect((await failureOf(server.url)).message).toContain('more than 5 redirects')
  })
})

describe('discover in a file', () => {
  test('reads a card, and points at the line that is no JSON', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'parley-'))
    try {
      const path = join(folder, 'card.json')
      await writeFile(path, JSON.stringify(CARD))
      expect(await discover(path, { http })).toMatchObject({ source: path, origin: undefined })
      await writeFile(path, '{\n  "name": A\n}')
      const error = await failureOf(path)
      expect(error.exitCode).toBe(EXIT.usage)
      expect(error.message).toContain('line 2')
      await writeFile(path, '{"hello":"world"}')
      expect((await failureOf(path)).message).toContain('a JSON object with hello')
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})
