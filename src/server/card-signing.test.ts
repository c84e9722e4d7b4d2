// Signed cards over real sockets: verified by the JavaScript SDK, published key, and never a URL a request claims.

import { request } from 'node:http'
import { AgentCard, verifyAgentCardSignature } from '@a2a-js/sdk'
import { decodeProtectedHeader, exportJWK, type FlattenedJWS, generateKeyPair, type JWK } from 'jose'
import { afterEach, describe, expect, test } from 'vitest'
import type { JsonObject } from '../model/json.ts'
import { newSigningKey } from './card-signing.ts'
import type { CardInput } from './mount-options.ts'
import { type A2AServer, createServer } from './server.ts'

const CARD: CardInput = {
  name: 'Signed — ünïcode',
  description: 'Vouched for.',
  version: '1.0.0',
  capabilities: { streaming: false },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [{ id: 'echo', name: 'Echo', description: 'Repeats.', tags: ['test'] }],
}
const agent = () => 'ok'

let server: A2AServer | undefined

afterEach(() => server?.close({ graceMs: 0 }))

async function start(key: JWK, jku?: string): Promise<string> {
  const signing = jku === undefined ? { key } : { key, jku }
  server = createServer({ path: '/a', card: CARD, agent, signing })
  return (await server.listen()).url
}

const cardAt = async (url: string) => (await (await fetch(url)).json()) as JsonObject & { signatures: [FlattenedJWS] }
const keysAt = async (url: string) => (await (await fetch(url)).json()) as { keys: [JWK] }

describe('a signed card', () => {
  test.each(['ES256', 'ES384', 'RS256', 'EdDSA'])('of %s is verified by the JavaScript SDK', async (alg) => {
    const { privateKey } = await generateKeyPair(alg, { extractable: true })
    const url = await start({ ...(await exportJWK(privateKey)), kid: 'key-1' })
    const card = AgentCard.fromJSON(await cardAt(`${url}/a/.well-known/agent-card.json`))
    const asked: unknown[] = []
    await verifyAgentCardSignature(async (kid, jku = '') => {
      asked.push([kid, jku])
      return (await keysAt(jku)).keys[0]
    })(card)
    expect(asked).toEqual([['key-1', `${url}/a/.well-known/jwks.json`]])
  })

  test('publishes nothing of the private key', async () => {
    const key = newSigningKey()
    const url = await start(key)
    const { keys } = await keysAt(`${url}/a/.well-known/jwks.json`)
    expect(Object.keys(keys[0]).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'])
  })

  test('names the key set given instead of its own', async () => {
    const url = await start(newSigningKey(), 'https://keys.example/jwks.json')
    const { signatures } = await cardAt(`${url}/a/.well-known/agent-card.json`)
    expect(decodeProtectedHeader(signatures[0])).toMatchObject({ typ: 'JOSE', jku: 'https://keys.example/jwks.json' })
    expect((await fetch(`${url}/a/.well-known/jwks.json`)).status).toBe(404)
  })

  test('has the same URLs whatever host a request claims', async () => {
    const url = await start(newSigningKey())
    const honest = await cardAt(`${url}/a/.well-known/agent-card.json`)
    const claimed = await new Promise<string>((resolve, reject) => {
      const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' }
      request(`${url}/a/.well-known/agent-card.json`, { headers }, (response) => {
        response.setEncoding('utf8')
        let text = ''
        response.on('data', (chunk: string) => {
          text += chunk
        })
        response.on('end', () => resolve(text))
      })
        .on('error', reject)
        .end()
    })
    expect(JSON.parse(claimed)).toEqual(honest)
  })
})

describe('signing is refused', () => {
  test('without a public URL where the address is not known beforehand', async () => {
    server = createServer({ card: CARD, agent, signing: { key: newSigningKey() } })
    await expect(server.ready()).rejects.toMatchObject({ code: 'cannot-sign-card' })
    server = createServer({ card: CARD, agent, signing: { key: newSigningKey() } })
    await expect(server.listen({ host: '0.0.0.0' })).rejects.toMatchObject({ code: 'cannot-sign-card' })
  })

  test('with a public key', async () => {
    const { d: _, ...key } = newSigningKey()
    server = createServer({ card: CARD, agent, signing: { key } })
    await expect(server.listen()).rejects.toMatchObject({ code: 'cannot-sign-card' })
  })

  test('for a generation that does not define what is signed', async () => {
    server = createServer({ card: CARD, agent, dialects: ['0.3'], signing: { key: newSigningKey() } })
    await expect(server.listen()).rejects.toMatchObject({ code: 'cannot-sign-card' })
  })
})
