// Which bytes a signature covers, by vectors whose signed text is written out: right by §8.4.1, right by other readings
// found in the field, and wrong.

import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AgentCard, generateAgentCardSignature } from '@a2a-js/sdk'
import { exportJWK, generateKeyPair, type JWK } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SIGNED_CARD } from '../../src/agents/cards.ts'
import { certify, readCardKeys, resultsOf } from '../../src/judge/index.ts'
import { readSignatures } from '../../src/judge/signatures/read-signatures.ts'
import { verifySignature } from '../../src/judge/signatures/verify-signature.ts'
import type { JsonObject } from '../../src/model/json.ts'
import { newSigningKey } from '../../src/server/card-signing.ts'
import { createServer } from '../../src/server/server.ts'

interface Vector {
  name: string
  signedText: string
  /** Null where nothing may verify. */
  departures: string[] | null
  key: JWK
  card: JsonObject
}

const VECTORS = JSON.parse(readFileSync(new URL('./card-signature-vectors.json', import.meta.url), 'utf8')) as Vector[]

describe('a signature', () => {
  test.each(VECTORS)('$name', async ({ card, key, departures }) => {
    const [signature] = readSignatures(card)
    if (signature === undefined) throw new Error('the vector has no signature')
    const outcome = await verifySignature(card, signature, key)
    expect(outcome).toMatchObject(departures === null ? { verified: false } : { verified: true, departures })
  })

  test('made by the JavaScript SDK today verifies', async () => {
    const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
    const sign = generateAgentCardSignature(privateKey, { alg: 'ES256', kid: 'k', typ: 'JOSE' })
    const card = AgentCard.toJSON(await sign(AgentCard.fromJSON(SIGNED_CARD))) as JsonObject
    const [signature] = readSignatures(card)
    if (signature === undefined) throw new Error('the SDK did not sign')
    expect((await verifySignature(card, signature, await exportJWK(publicKey))).verified).toBe(true)
  })

  test('whose unprotected header repeats the algorithm does not verify', async () => {
    const [vector] = VECTORS
    const [signature] = readSignatures(vector?.card ?? {})
    if (vector === undefined || signature === undefined) throw new Error('there is no vector')
    const raw = { ...(signature.raw as JsonObject), header: { alg: 'none' } }
    expect((await verifySignature(vector.card, { ...signature, raw }, vector.key)).verified).toBe(false)
  })
})

describe('the key of a signature', () => {
  const key = newSigningKey()
  const server = createServer({
    agents: [
      { path: '/own', card: SIGNED_CARD, agent: () => 'ok', signing: { key } },
      { path: '/far', card: SIGNED_CARD, agent: () => 'ok', signing: { key, jku: 'https://keys.example/jwks.json' } },
    ],
  })
  let url = ''

  beforeAll(async () => {
    url = (await server.listen()).url
  })
  afterAll(() => server.close({ graceMs: 0 }))

  const verdict = async (path: string, cardKeys: JWK[] = []) => {
    const report = await certify(`${url}${path}`, { only: ['card-signature-verifies'], cardKeys, timeoutMs: 5_000 })
    return resultsOf(report).map((result) => result.verdict)
  }

  test('is fetched from the origin of the card', async () => {
    expect(await verdict('/own')).toEqual(['pass'])
  })

  test('is not fetched from another origin', async () => {
    expect(await verdict('/far')).toEqual(['not-measured'])
  })

  test('may be given', async () => {
    const { d: _, ...shown } = key
    expect(await verdict('/far', [shown])).toEqual(['pass'])
    const { d: __, ...other } = newSigningKey()
    expect(await verdict('/far', [other])).toEqual(['fail'])
  })

  test('is read from a file or a URL, as JWK, set or PEM', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'card-keys-'))
    const file = join(folder, 'key')
    try {
      const { d: _, ...shown } = key
      await writeFile(file, JSON.stringify(shown))
      expect(await readCardKeys(file)).toEqual([shown])
      await writeFile(file, PEM)
      expect(await readCardKeys(file)).toMatchObject([{ kty: 'OKP', crv: 'Ed25519' }])
      expect(await readCardKeys(`${url}/own/.well-known/jwks.json`)).toMatchObject([{ kty: 'EC', use: 'sig' }])
      await writeFile(file, '{}')
      await expect(readCardKeys(file)).rejects.toMatchObject({ code: 'card-key-unreadable' })
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})

const PEM = `-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=
-----END PUBLIC KEY-----
`
