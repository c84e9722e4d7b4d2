// JWT-1 and JWT-2: hostile tokens and unreliable issuers, with key sets served over real HTTP on loopback.

import { createHmac, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { base64url, CompactEncrypt, exportJWK, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../model/json.ts'
import { TokenVerifier, type TokenVerifierOptions } from './token-verifier.ts'

const NOW_MS = Date.parse('2026-01-01T00:00:00Z')
const NOW = NOW_MS / 1000
const ISSUER = 'https://issuer.example'
const AUDIENCE = 'parley'

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const other = generateKeyPairSync('rsa', { modulusLength: 2048 })
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })

/** An issuer whose key set and behaviour a test may change. */
class Issuer {
  keys: JsonObject[] = []
  status = 200
  body: string | undefined
  discovery: JsonObject | undefined
  fetches = 0
  #server: Server | undefined
  origin = ''

  async start(): Promise<this> {
    const server = createServer((request, response) => {
      if (request.url === '/.well-known/openid-configuration') {
        response.end(JSON.stringify(this.discovery ?? { issuer: this.origin, jwks_uri: `${this.origin}/keys` }))
        return
      }
      this.fetches += 1
      response.writeHead(this.status).end(this.body ?? JSON.stringify({ keys: this.keys }))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    this.#server = server
    this.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    return this
  }

  stop(): void {
    this.#server?.close()
  }
}

async function jwk(key: KeyObject, members: JsonObject): Promise<JsonObject> {
  return { ...(await exportJWK(key)), ...members }
}

const options = (now: () => number = () => NOW_MS): TokenVerifierOptions => ({
  guard: { allowPrivateNetworks: true },
  now,
})

function verifierFor(issuer: Issuer, overrides: JsonObject = {}, now?: () => number): TokenVerifier {
  return new TokenVerifier(
    {
      kind: 'jwt',
      issuer: ISSUER,
      audience: AUDIENCE,
      jwksUrl: `${issuer.origin}/keys`,
      algorithms: ['RS256', 'ES256'],
      scopes: [],
      ...overrides,
    },
    options(now),
  )
}

const CLAIMS: JWTPayload = { iss: ISSUER, aud: AUDIENCE, sub: 'alice', exp: NOW + 60, scope: 'read write', org: 'acme' }

function sign(claims: JsonObject = {}, header: JsonObject = {}, key: KeyObject = rsa.privateKey): Promise<string> {
  const stated = Object.fromEntries(Object.entries({ ...CLAIMS, ...claims }).filter(([, value]) => value !== undefined))
  return new SignJWT(stated).setProtectedHeader({ alg: 'RS256', kid: 'r1', ...header }).sign(key)
}

/** A token put together by hand, for what a proper library refuses to make. */
function forge(header: JsonObject, signature: (input: string) => string, payload: JsonObject = {}): string {
  const encode = (value: unknown): string => base64url.encode(JSON.stringify(value))
  const input = `${encode(header)}.${encode({ ...CLAIMS, ...payload })}`
  return `${input}.${signature(input)}`
}

const issuer = new Issuer()

beforeAll(async () => {
  await issuer.start()
  issuer.keys = [
    await jwk(rsa.publicKey, { kid: 'r1', alg: 'RS256', use: 'sig' }),
    await jwk(ec.publicKey, { kid: 'e1', alg: 'ES256' }),
  ]
})

afterAll(() => issuer.stop())

test('a good token names its caller, scopes, tenant and end', async () => {
  const verifier = verifierFor(issuer, { tenantClaim: 'org', scopes: ['read'] })
  expect(await verifier.verify(await sign())).toEqual({
    ok: true,
    caller: {
      subject: `${ISSUER} alice`,
      tenant: 'acme',
      scopes: ['read', 'write'],
      expiresAtMs: (NOW + 60) * 1000,
    },
  })
  expect(await verifier.verify(await sign({}, { alg: 'ES256', kid: 'e1' }, ec.privateKey))).toMatchObject({ ok: true })
  expect(await verifier.verify(await sign({ scope: undefined, scp: ['read'] }, { typ: 'at+jwt' }))).toMatchObject({
    ok: true,
  })
})

test('AUTH-1 a token without a required scope is known but not allowed', async () => {
  const verifier = verifierFor(issuer, { scopes: ['admin'] })
  expect(await verifier.verify(await sign())).toEqual({ ok: false, reason: 'insufficient-scope' })
})

describe('JWT-1', () => {
  const pem = rsa.publicKey.export({ type: 'spki', format: 'pem' })
  const hmac = (input: string): string => createHmac('sha256', pem).update(input).digest('base64url')
  const none = (): string => ''
  const rows: [string, () => Promise<string> | string][] = [
    ['alg none', () => new UnsecuredJWT(CLAIMS).encode()],
    ['alg None', () => forge({ alg: 'None' }, none)],
    ['alg NONE', () => forge({ alg: 'NONE', kid: 'r1' }, none)],
    ['alg missing', () => forge({ kid: 'r1' }, none)],
    ['HS256 signed with the RSA public key', () => forge({ alg: 'HS256', kid: 'r1' }, hmac)],
    ['RS384 of the same key', () => sign({}, { alg: 'RS384' })],
    ['PS256 of the same key', () => sign({}, { alg: 'PS256' })],
    ['header alg changed after signing', async () => forge({ alg: 'ES256', kid: 'r1' }, () => 'AAAA')],
    ['unknown crit', async () => forge({ alg: 'RS256', kid: 'r1', crit: ['x'], x: 1 }, () => 'AAAA')],
    ['embedded jwk', async () => sign({}, { kid: undefined, jwk: await jwk(other.publicKey, {}) }, other.privateKey)],
    ['embedded jwk under a valid signature', async () => sign({}, { jwk: await jwk(rsa.publicKey, {}) })],
    ['jku to an attacker', () => sign({}, { jku: 'https://evil.example/keys' })],
    ['x5u to an attacker', () => sign({}, { x5u: 'https://evil.example/cert' })],
    ['kid with a path', () => sign({}, { kid: '../../../etc/passwd' })],
    ['kid with SQL', () => sign({}, { kid: "r1' OR '1'='1" })],
    ['signature of another key', () => sign({}, {}, other.privateKey)],
    ['typ of another kind of token', () => sign({}, { typ: 'logout+jwt' })],
    ['typ of an ID-token-like object', () => sign({}, { typ: 'secevent+jwt' })],
    ['two parts', async () => (await sign()).split('.').slice(0, 2).join('.')],
    ['five parts', async () => `${await sign()}.a.b`],
    ['not a token', () => 'a.b.c'],
    ['exp as a string', () => sign({ exp: String(NOW + 60) })],
    ['exp missing', () => sign({ exp: undefined })],
    ['expired', () => sign({ exp: NOW - 60 })],
    ['nbf in the future', () => sign({ nbf: NOW + 60 })],
    ['aud missing', () => sign({ aud: undefined })],
    ['another audience', () => sign({ aud: 'somebody-else' })],
    ['iss missing', () => sign({ iss: undefined })],
    ['another issuer', () => sign({ iss: 'https://other.example' })],
    ['sub missing', () => sign({ sub: undefined })],
    ['sub with a separator', () => sign({ sub: 'alice\u0000acme' })],
    ['100 KB', () => sign({ padding: 'x'.repeat(100_000) })],
    [
      'PBES2 with ten million rounds',
      () =>
        `${base64url.encode('{"alg":"PBES2-HS256+A128KW","enc":"A128GCM","p2c":10000000,"p2s":"AAAA"}')}.AA.AA.AA.AA`,
    ],
    [
      'an encrypted token around a plain one',
      () =>
        new CompactEncrypt(Buffer.from(new UnsecuredJWT(CLAIMS).encode()))
          .setProtectedHeader({ alg: 'RSA-OAEP', enc: 'A128GCM', cty: 'JWT' })
          .encrypt(rsa.publicKey),
    ],
  ]

  test.each(rows)('refuses %s', async (_row, make) => {
    const verifier = verifierFor(issuer)
    expect(await verifier.verify(await make())).toEqual({ ok: false, reason: 'invalid' })
  })

  test('refuses a token without kid when several keys fit', async () => {
    const several = await new Issuer().start()
    several.keys = [await jwk(rsa.publicKey, { kid: 'a' }), await jwk(other.publicKey, { kid: 'b' })]
    expect(await verifierFor(several).verify(await sign({}, { kid: undefined }))).toEqual({
      ok: false,
      reason: 'invalid',
    })
    several.stop()
  })

  test('refuses a token without the configured tenant claim', async () => {
    const verifier = verifierFor(issuer, { tenantClaim: 'org' })
    expect(await verifier.verify(await sign({ org: undefined }))).toEqual({ ok: false, reason: 'invalid' })
  })
})

describe('JWT-2', () => {
  async function rotating(): Promise<{ issuer: Issuer; verifier: TokenVerifier; clock: { ms: number } }> {
    const clock = { ms: NOW_MS }
    const fresh = await new Issuer().start()
    fresh.keys = [await jwk(rsa.publicKey, { kid: 'r1' })]
    const verifier = verifierFor(fresh, {}, () => clock.ms)
    await verifier.ready()
    return { issuer: fresh, verifier, clock }
  }

  const longLived = (header: JsonObject = {}, key?: KeyObject): Promise<string> =>
    sign({ exp: NOW + 86_400 }, header, key)

  test('10,000 unknown key ids cost one fetch per 30 s', async () => {
    const { issuer: own, verifier, clock } = await rotating()
    const parts = (await longLived()).split('.')
    for (let n = 0; n < 10_000; n++) {
      parts[0] = base64url.encode(JSON.stringify({ alg: 'RS256', kid: `unknown-${n}` }))
      await verifier.verify(parts.join('.'))
    }
    expect(own.fetches).toBe(1)
    clock.ms += 30_000
    await Promise.all(Array.from({ length: 100 }, () => verifier.verify(parts.join('.'))))
    expect(own.fetches).toBe(2)
    own.stop()
  })

  test('a rotated key is found by its id, and the old one ends with the next fetch', async () => {
    const { issuer: own, verifier, clock } = await rotating()
    own.keys = [await jwk(other.publicKey, { kid: 'r2' })]
    const rotated = await longLived({ kid: 'r2' }, other.privateKey)
    expect((await verifier.verify(rotated)).ok).toBe(false)
    clock.ms += 30_000
    expect((await verifier.verify(rotated)).ok).toBe(true)
    expect((await verifier.verify(await longLived())).ok).toBe(false)
    own.stop()
  })

  test('strangers with key ids of their own delay a rotation by five seconds at most', async () => {
    const { issuer: own, verifier, clock } = await rotating()
    const junk = async (seconds: number) => {
      for (let at = 0; at < seconds * 10; at++) {
        clock.ms += 100
        await verifier.verify(await longLived({ kid: `junk-${at}` }))
      }
    }
    await junk(60)
    expect(own.fetches).toBeLessThanOrEqual(1 + 60 / 5 + 2)
    own.keys = [await jwk(other.publicKey, { kid: 'r2' })]
    await junk(5)
    expect((await verifier.verify(await longLived({ kid: 'r2' }, other.privateKey))).ok).toBe(true)
    own.stop()
  })

  test('the first token of a new key is good at once when nobody asked in the last second', async () => {
    const { issuer: own, verifier, clock } = await rotating()
    own.keys = [await jwk(other.publicKey, { kid: 'r2' })]
    clock.ms += 1_000
    expect((await verifier.verify(await longLived({ kid: 'r2' }, other.privateKey))).ok).toBe(true)
    own.stop()
  })

  test('known keys outlive an outage by an hour and no longer', async () => {
    const { issuer: own, verifier, clock } = await rotating()
    const token = await longLived()
    own.status = 503
    clock.ms += 59 * 60_000
    expect((await verifier.verify(token)).ok).toBe(true)
    clock.ms += 2 * 60_000
    expect(await verifier.verify(token)).toEqual({ ok: false, reason: 'unavailable' })
    own.status = 200
    clock.ms += 30_000
    expect((await verifier.verify(token)).ok).toBe(true)
    own.stop()
  })

  test.each([
    ['not JSON', 'oops'],
    ['no keys', '{"keys":[]}'],
    ['a symmetric key', '{"keys":[{"kty":"oct","kid":"r1","k":"c2VjcmV0"}]}'],
    ['an endless document', `{"keys":["${'x'.repeat(70_000)}"]}`],
  ])('a poisoned key set (%s) changes nothing', async (_row, body) => {
    const { issuer: own, verifier, clock } = await rotating()
    own.body = body
    clock.ms += 20 * 60_000
    expect((await verifier.verify(await longLived())).ok).toBe(true)
    expect(own.fetches).toBe(2)
    own.stop()
  })

  test('keys that cannot be read at start are reported with their URL', async () => {
    const silent = await new Issuer().start()
    silent.status = 404
    await expect(verifierFor(silent).ready()).rejects.toMatchObject({
      code: 'keys-unreachable',
      message: `No signing keys could be read from ${silent.origin}/keys.`,
    })
    silent.stop()
  })

  test('a private key-set address needs the operator to open private networks', async () => {
    const strict = new TokenVerifier(
      {
        kind: 'jwt',
        issuer: ISSUER,
        audience: 'a',
        jwksUrl: `${issuer.origin}/keys`,
        algorithms: ['RS256'],
        scopes: [],
      },
      { guard: {}, now: () => NOW_MS },
    )
    const before = issuer.fetches
    await expect(strict.ready()).rejects.toMatchObject({ code: 'keys-unreachable' })
    expect(issuer.fetches).toBe(before)
  })
})

describe('OpenID Connect', () => {
  function oidc(own: Issuer, publicUrl?: string): TokenVerifier {
    return new TokenVerifier(
      { kind: 'oidc', issuer: own.origin, algorithms: ['RS256'], scopes: [] },
      { ...options(), ...(publicUrl === undefined ? {} : { publicUrl }) },
    )
  }

  test('keys are found through the discovery document; the audience is the public URL', async () => {
    const own = await new Issuer().start()
    own.keys = [await jwk(rsa.publicKey, { kid: 'r1' })]
    const verifier = oidc(own, 'https://agents.example')
    await verifier.ready()
    expect(await verifier.verify(await sign({ iss: own.origin, aud: 'https://agents.example' }))).toMatchObject({
      ok: true,
    })
    expect(await verifier.verify(await sign({ iss: own.origin }))).toMatchObject({ ok: false })
    own.stop()
  })

  test('a discovery document of another issuer is refused', async () => {
    const own = await new Issuer().start()
    own.keys = [await jwk(rsa.publicKey, { kid: 'r1' })]
    own.discovery = { issuer: 'https://evil.example', jwks_uri: `${own.origin}/keys` }
    await expect(oidc(own, 'https://agents.example').ready()).rejects.toMatchObject({ code: 'keys-unreachable' })
    expect(own.fetches).toBe(0)
    own.stop()
  })

  test('no audience at all is a start-up error', () => {
    expect(() => oidc(issuer)).toThrow('add audience=')
  })
})
