// One sentence about why an agent cannot be judged, and the one thing to do about it.

import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { type CertifyOptions, certify } from '../../src/judge/index.ts'
import type { ListeningPeer } from '../peers/listen.ts'
import { makeAuthority, serverCertificate } from '../support/certificates.ts'
import { startTinyAgent, type TinyAgent } from './tiny-agent.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

async function start(agent: TinyAgent): Promise<ListeningPeer> {
  const peer = await startTinyAgent(agent)
  closing.push(() => peer.close())
  return peer
}

const diagnose = async (url: string, options: CertifyOptions = {}) =>
  (await certify(url, { timeoutMs: 3_000, ...options })).diagnosis

/** The port of a server that speaks TLS. */
async function tlsPort(): Promise<number> {
  const server = createServer(serverCertificate(makeAuthority('test')), (_, response) => response.end('{}'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(() => server.close())
  return (server.address() as AddressInfo).port
}

describe('http and https', () => {
  test('a plain address of a port that speaks TLS', async () => {
    const port = await tlsPort()
    expect(await diagnose(`http://127.0.0.1:${port}`)).toMatchObject({
      message: `127.0.0.1:${port} speaks TLS.`,
      fix: `Write https:// before its address: https://127.0.0.1:${port}`,
      exitCode: 3,
    })
  })

  test('a secure address of a port that does not', async () => {
    const { port } = await start({})
    expect(await diagnose(`https://127.0.0.1:${port}`)).toMatchObject({
      fix: `Write http:// before its address: http://127.0.0.1:${port}`,
      exitCode: 3,
    })
  })

  test('a card that names the wrong one of the two', async () => {
    const port = await tlsPort()
    const plain = await start({
      card: (card) => ({
        ...card,
        supportedInterfaces: [{ url: `http://127.0.0.1:${port}/`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
      }),
    })
    expect((await diagnose(plain.url))?.fix).toBe('Write https:// instead of http:// in the URL of the interface.')
  })
})

describe('a generation forced by flag', () => {
  test('that the card does not claim is not held against the agent', async () => {
    const { url } = await start({})
    expect(await diagnose(url, { versions: ['0.3'] })).toMatchObject({
      fix: 'The card says 1.0: drop --a2a-version.',
      exitCode: 10,
    })
  })

  test('that the card claims is', async () => {
    const { url } = await start({
      intercept: (request, response) => {
        if (request.method === 'GET') return false
        response.writeHead(404).end()
        return true
      },
    })
    expect(await diagnose(url, { versions: ['1.0'] })).toMatchObject({ exitCode: 1 })
  })
})

describe('credentials', () => {
  const asked = async (members: Record<string, unknown>, headers: Record<string, string> = {}) => {
    const { url } = await start({
      card: (card) => ({ ...card, ...members }),
      intercept: (request, response) => {
        if (request.method === 'GET') return false
        response.writeHead(401, headers).end()
        return true
      },
    })
    const { message, fix } = (await diagnose(url)) ?? {}
    return { message, fix }
  }

  test.each<[string, Record<string, unknown>, string, string]>([
    [
      'a bearer token',
      { httpAuthSecurityScheme: { scheme: 'Bearer' } },
      'a bearer token (scheme "s")',
      '--bearer TOKEN',
    ],
    [
      'another HTTP scheme',
      { httpAuthSecurityScheme: { scheme: 'Basic' } },
      'HTTP Basic credentials (scheme "s")',
      '-H "Authorization: Basic …"',
    ],
    [
      'an API key in a header',
      { apiKeySecurityScheme: { location: 'header', name: 'X-Key' } },
      'an API key in the header "X-Key" (scheme "s")',
      '--api-key KEY',
    ],
    [
      'an API key in a cookie',
      { apiKeySecurityScheme: { location: 'cookie', name: 'key' } },
      'an API key in the cookie "key" (scheme "s")',
      '-H "Cookie: key=KEY"',
    ],
    [
      'a certificate',
      { mtlsSecurityScheme: {} },
      'a client certificate (scheme "s")',
      '--client-cert FILE with --client-key FILE',
    ],
    [
      'OAuth',
      { oauth2SecurityScheme: { flows: { clientCredentials: { tokenUrl: 'https://id.invalid/token' } } } },
      'an access token (OAuth 2.0, scheme "s", from https://id.invalid/token)',
      '--client-id ID to log in, --client-id ID with --client-secret SECRET, or --bearer TOKEN with an access token',
    ],
    ['a bearer token of 0.3', { type: 'http', scheme: 'bearer' }, 'a bearer token (scheme "s")', '--bearer TOKEN'],
  ])('%s', async (_, scheme, what, how) => {
    const { message, fix } = await asked({
      securitySchemes: { s: scheme },
      securityRequirements: [{ schemes: { s: { list: [] } } }],
    })
    expect(message).toContain(`The card asks for ${what}.`)
    expect(fix).toBe(`Give ${how}.`)
  })

  test('alternatives, and what is needed together', async () => {
    const { message } = await asked({
      securitySchemes: {
        token: { httpAuthSecurityScheme: { scheme: 'bearer' } },
        key: { apiKeySecurityScheme: { location: 'header', name: 'X-Key' } },
        cert: { mtlsSecurityScheme: {} },
      },
      securityRequirements: [{ schemes: { token: {} } }, { schemes: { key: {}, cert: {} } }],
    })
    expect(message).toContain(
      'a bearer token (scheme "token"), or an API key in the header "X-Key" (scheme "key") together with a client certificate (scheme "cert").',
    )
  })

  test('a card that does not say what it wants', async () => {
    const { message, fix } = await asked({}, { 'WWW-Authenticate': 'Bearer realm="agents"' })
    expect(message).toContain('The card does not say which credentials it wants. It answers "WWW-Authenticate: Bearer')
    expect(fix).toMatch(/^Declare securitySchemes/)
  })

  test('an API key goes into the header the card names, from the first question on', async () => {
    const keys: unknown[] = []
    const { url } = await start({
      card: (card) => ({
        ...card,
        securitySchemes: { key: { apiKeySecurityScheme: { location: 'header', name: 'X-Mine' } } },
        securityRequirements: [{ schemes: { key: { list: [] } } }],
      }),
      intercept: (request) => {
        if (request.method === 'POST') keys.push(request.headers['x-mine'])
        return false
      },
    })
    await certify(url, { timeoutMs: 3_000, apiKey: 'secret-key-of-mine', only: ['get-task-unknown'] })
    expect(keys.length).toBeGreaterThan(0)
    expect(new Set(keys)).toEqual(new Set(['secret-key-of-mine']))
  })
})

test('a typing mistake is told before anything is sent', async () => {
  const asked: string[] = []
  const { url } = await start({
    intercept: (request) => {
      asked.push(request.url ?? '')
      return false
    },
  })
  await expect(certify(url, { only: ['get-task-unknwon'] })).rejects.toMatchObject({ code: 'unknown-check' })
  expect(asked).toEqual([])
})

test('a card that sends clients where nobody is, found under a host without a scheme', async () => {
  const { port } = await start({
    card: (card) => ({
      ...card,
      supportedInterfaces: [{ url: 'http://127.0.0.1:1/', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
    }),
  })
  const { message = '', fix } = (await diagnose(`127.0.0.1:${port}`)) ?? {}
  expect(message).toMatch(/[^.]\.$/)
  expect(fix).toBe(
    `The card was found at 127.0.0.1:${port} but names 127.0.0.1:1; put the address clients can reach into the card.`,
  )
})
