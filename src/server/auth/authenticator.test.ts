// AUTH-1, AUTH-4 and AUTH-5: static secrets, refusals that tell nothing, and the brake on guessing.

import { describe, expect, test } from 'vitest'
import type { PeerCertificate } from '../../net/serve/request.ts'
import { Authenticator, type AuthOutcome } from './authenticator.ts'
import type { AuthRequest } from './credentials.ts'
import { parseAuthSpec } from './parse-auth-spec.ts'
import { isSameDigest, secretDigest } from './secret-digest.ts'

const GUARD = { guard: { allowPrivateNetworks: true } }

function authenticator(specs: readonly string[], now?: () => number): Authenticator {
  return new Authenticator(specs.map(parseAuthSpec), { ...GUARD, ...(now === undefined ? {} : { now }) })
}

function request(headers: AuthRequest['headers'], url = '/', remoteAddress = '127.0.0.1'): AuthRequest {
  return { headers, url, peer: { address: remoteAddress } }
}

function refusalOf(outcome: AuthOutcome): { kind: string; message: string; challenge: string | undefined } | undefined {
  if (outcome.ok) return undefined
  return { kind: outcome.error.kind, message: outcome.error.message, challenge: outcome.error.options.challenge }
}

describe('AUTH-1 static secrets', () => {
  const both = authenticator([
    'bearer:alpha=alice',
    'bearer:beta==bob',
    'api-key:header=X-API-Key,key=k1,subject=carol',
    'api-key:query=key,key=k2=,subject=dave',
    'api-key:cookie=session,key=k3,subject=erin',
  ])

  test.each<[string, AuthRequest, string]>([
    ['bearer', request({ authorization: 'Bearer alpha' }), 'alice'],
    ['bearer in another case', request({ authorization: 'bEARER alpha' }), 'alice'],
    ['bearer with padding', request({ authorization: 'Bearer beta=' }), 'bob'],
    ['API key in a header', request({ 'x-api-key': 'k1' }), 'carol'],
    ['API key in the query', request({}, '/spec?a=b&key=k2%3D'), 'dave'],
    ['API key in a cookie', request({ cookie: 'a=b; session=k3' }), 'erin'],
  ])('%s is accepted', async (_row, given, subject) => {
    expect(await both.authenticate(given)).toMatchObject({ ok: true, caller: { subject } })
  })

  test('an absent credential is asked for with every way in', async () => {
    expect(refusalOf(await both.authenticate(request({})))).toEqual({
      kind: 'Unauthenticated',
      message: 'Authentication is required.',
      challenge:
        'Bearer realm="parley", ApiKey realm="parley", in="header", name="X-API-Key", ' +
        'ApiKey realm="parley", in="query", name="key", ApiKey realm="parley", in="cookie", name="session"',
    })
  })

  test('malformed, wrong, revoked and other-scheme credentials get one and the same refusal', async () => {
    const wrong: AuthRequest['headers'][] = [
      { authorization: 'Bearer' },
      { authorization: 'Bearer ' },
      { authorization: 'Bearer alpha beta' },
      { authorization: 'Bearer alph' },
      { authorization: 'Bearer alphaa' },
      { authorization: 'Basic YWxpY2U6YWxwaGE=' },
      { authorization: 'alpha' },
      { 'x-api-key': '' },
      { 'x-api-key': 'k2=' },
    ]
    const refusals = await Promise.all(
      wrong.map(async (headers, n) => refusalOf(await both.authenticate(request(headers, '/', `127.0.1.${n}`)))),
    )
    expect(new Set(refusals.map((each) => JSON.stringify(each)))).toHaveLength(1)
    expect(refusals[0]).toMatchObject({ kind: 'Unauthenticated', message: 'The credentials were not accepted.' })
    expect(refusals[0]?.challenge).toContain('error="invalid_token"')
  })

  test('a key good in one place is not good in another', async () => {
    expect((await both.authenticate(request({ 'x-api-key': 'k3' }))).ok).toBe(false)
    expect((await both.authenticate(request({ authorization: 'Bearer k1' }))).ok).toBe(false)
  })

  test('a secret without a subject gets a stable one that does not tell the secret', () => {
    const config = parseAuthSpec('bearer:hunter2hunter2')
    expect(config).toEqual(parseAuthSpec('bearer:hunter2hunter2'))
    expect(config.kind === 'bearer' && config.subject).toMatch(/^bearer-[0-9a-f]{16}$/)
  })
})

/** What an adapter says of a connection; real handshakes are in test/security/mutual-tls.test.ts. */
describe('AUTH-1 client certificates', () => {
  const YEAR_MS = 365 * 86_400_000
  const shown: PeerCertificate = { subject: 'CN=robot\nO=Works', validTo: new Date(YEAR_MS), isVerified: true }

  function show(certificate: PeerCertificate | undefined, now = 0): Promise<AuthOutcome> {
    return authenticator(['mtls'], () => now).authenticate({ headers: {}, peer: { certificate } })
  }

  test('a verified one is a caller until it expires', async () => {
    const caller = { subject: 'certificate CN=robot, O=Works', expiresAtMs: YEAR_MS }
    expect(await show(shown)).toMatchObject({ ok: true, caller })
    expect((await show(shown, YEAR_MS)).ok).toBe(false)
  })

  test.each<[string, PeerCertificate | undefined, string]>([
    ['none', undefined, 'Authentication is required.'],
    ['an unverified one', { ...shown, isVerified: false }, 'The credentials were not accepted.'],
    ['one without any name', { validTo: shown.validTo, isVerified: true }, 'The credentials were not accepted.'],
  ])('%s is refused', async (_row, certificate, message) => {
    expect(refusalOf(await show(certificate))).toEqual({
      kind: 'Unauthenticated',
      message,
      challenge: 'Mutual realm="parley"',
    })
  })

  test('a long subject is told apart by its digest', async () => {
    const named = (subject: string) => ({ ...shown, subject })
    const [one, other] = await Promise.all(['a', 'b'].map((end) => show(named(`CN=${'x'.repeat(300)}${end}`))))
    const subjectOf = (outcome: AuthOutcome | undefined) => (outcome?.ok ? outcome.caller.subject : '')
    expect(subjectOf(one)).toMatch(/^certificate sha256 [0-9a-f]{64}$/)
    expect(subjectOf(one)).not.toBe(subjectOf(other))
  })
})

test('AUTH-4 digests of any lengths compare', () => {
  expect(isSameDigest(secretDigest('a'), secretDigest('a'))).toBe(true)
  expect(isSameDigest(secretDigest('a'), secretDigest('a'.repeat(10_000)))).toBe(false)
})

describe('AUTH-5 brute force', () => {
  async function fail(auth: Authenticator, n: number, address: string): Promise<AuthOutcome> {
    return auth.authenticate(request({ authorization: `Bearer guess-${n}` }, '/', address))
  }

  test('the eleventh failure of an address within a minute is 429, and the minute passes', async () => {
    let now = 0
    const auth = authenticator(['bearer:alpha=alice'], () => now)
    for (let n = 0; n < 10; n++) expect(refusalOf(await fail(auth, n, '127.0.0.1'))?.kind).toBe('Unauthenticated')
    now = 15_000
    const blocked = await fail(auth, 11, '127.0.0.1')
    expect(blocked).toMatchObject({
      error: { kind: 'ResourceExhausted', options: { retryAfterSeconds: 45, httpStatus: 429 } },
    })
    expect((await auth.authenticate(request({ authorization: 'Bearer alpha' }))).ok).toBe(false)
    expect(refusalOf(await fail(auth, 12, '127.0.0.2'))?.kind).toBe('Unauthenticated')
    now = 60_000
    expect((await auth.authenticate(request({ authorization: 'Bearer alpha' }))).ok).toBe(true)
  })

  test('the addresses of one IPv6 network count as one', async () => {
    const auth = authenticator(['bearer:alpha=alice'], () => 0)
    for (let n = 0; n < 10; n++) await fail(auth, n, `2001:db8:0:1::${n + 1}`)
    expect(refusalOf(await fail(auth, 99, '2001:db8:0:1:ffff::99'))?.kind).toBe('ResourceExhausted')
    expect(refusalOf(await fail(auth, 99, '2001:db8:0:2::1'))?.kind).toBe('Unauthenticated')
  })

  test('one wrong credential from many addresses is 429 as well', async () => {
    const auth = authenticator(['bearer:alpha=alice'], () => 0)
    for (let n = 0; n < 10; n++) await fail(auth, 1, `127.0.0.${n}`)
    expect(refusalOf(await fail(auth, 1, '127.0.0.99'))?.kind).toBe('ResourceExhausted')
    expect(refusalOf(await fail(auth, 2, '127.0.0.99'))?.kind).toBe('Unauthenticated')
  })

  test('a neighbour whose credential was good before still passes, and requests without one are not failures', async () => {
    const auth = authenticator(['bearer:alpha=alice'], () => 0)
    const alice = request({ authorization: 'Bearer alpha' })
    expect((await auth.authenticate(alice)).ok).toBe(true)
    for (let n = 0; n < 20; n++) await fail(auth, n, '127.0.0.1')
    expect((await auth.authenticate(alice)).ok).toBe(true)
    for (let n = 0; n < 20; n++) await auth.authenticate(request({}, '/', '127.0.0.3'))
    expect(refusalOf(await fail(auth, 99, '127.0.0.3'))?.kind).toBe('Unauthenticated')
  })
})
