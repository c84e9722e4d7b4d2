// AUTH-5 for what cannot be guessed: however many wrong tokens come from an address, valid ones behind it get in, and the
// work that wrong ones cause is bounded. By count, with the clock standing still.

import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AuthConfig } from './auth-config.ts'
import { Authenticator, type AuthenticatorOptions, type AuthOutcome } from './authenticator.ts'
import { VerificationBudget } from './verification-budget.ts'

const NOW_MS = Date.parse('2026-01-01T00:00:00Z')
const good = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const wrong = generateKeyPairSync('ec', { namedCurve: 'P-256' })
let server: Server
let jwksUrl: string

beforeAll(async () => {
  const keys = [{ ...(await exportJWK(good.publicKey)), kid: 'k' }]
  server = createServer((_request, response) => response.end(JSON.stringify({ keys })))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  jwksUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`
})
afterAll(() => void server.close())

function sign(subject: string, { privateKey }: { privateKey: KeyObject }): Promise<string> {
  return new SignJWT({ iss: 'https://issuer.example', aud: 'a', sub: subject, exp: NOW_MS / 1000 + 60 })
    .setProtectedHeader({ alg: 'ES256', kid: 'k' })
    .sign(privateKey)
}

function authenticator(more: readonly AuthConfig[] = [], options: Partial<AuthenticatorOptions> = {}): Authenticator {
  const jwt: AuthConfig = {
    ...{ kind: 'jwt', issuer: 'https://issuer.example', audience: 'a', jwksUrl },
    ...{ algorithms: ['ES256'], scopes: [] },
  }
  return new Authenticator([jwt, ...more], { guard: { allowPrivateNetworks: true }, now: () => NOW_MS, ...options })
}

function show(auth: Authenticator, token: string, from = '127.0.0.1', forwarded?: string): Promise<AuthOutcome> {
  const headers = {
    authorization: `Bearer ${token}`,
    ...(forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }),
  }
  return auth.authenticate({ headers, peer: { address: from } })
}

/** How many of so many came through, and with which words the others were refused. */
async function tally(outcomes: Promise<AuthOutcome>[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const outcome of await Promise.all(outcomes)) {
    const word = outcome.ok ? 'ok' : outcome.error.kind
    counts[word] = (counts[word] ?? 0) + 1
  }
  return counts
}

describe('wrong tokens', () => {
  test('1,000 from one address lock out none of 198 new valid ones behind it', async () => {
    const auth = authenticator()
    const bad = await sign('mallory', wrong)
    expect(await tally(Array.from({ length: 1_000 }, () => show(auth, bad)))).toEqual({ Unauthenticated: 1_000 })
    const fresh = await Promise.all(Array.from({ length: 198 }, (_, n) => sign(`user-${n}`, good)))
    expect(await tally(fresh.map((token) => show(auth, token)))).toEqual({ ok: 198 })
  })

  test('beside static tokens they do not use up the guesses of those', async () => {
    const auth = authenticator([{ kind: 'bearer', token: 'alpha', subject: 'alice' }])
    const bad = await sign('mallory', wrong)
    await tally(Array.from({ length: 100 }, () => show(auth, bad)))
    expect((await show(auth, 'alpha')).ok).toBe(true)
  })

  test('guesses of static tokens are counted as before, and do not lock out signed ones', async () => {
    const auth = authenticator([{ kind: 'bearer', token: 'alpha', subject: 'alice' }])
    const guesses = Array.from({ length: 20 }, (_, n) => n)
    const counts: Record<string, number> = {}
    for (const n of guesses) {
      const outcome = await show(auth, `guess-${n}`)
      const word = outcome.ok ? 'ok' : outcome.error.kind
      counts[word] = (counts[word] ?? 0) + 1
    }
    expect(counts).toEqual({ Unauthenticated: 10, ResourceExhausted: 10 })
    expect((await show(auth, await sign('carol', good))).ok).toBe(true)
  })

  test('a static token that has the form of a signed one is found, and guesses at it are counted', async () => {
    const token = await sign('fixed', wrong)
    const auth = authenticator([{ kind: 'bearer', token, subject: 'robot' }])
    expect(await show(auth, token)).toMatchObject({ ok: true, caller: { subject: 'robot' } })
    const counts: string[] = []
    for (let n = 0; n < 11; n++) {
      const outcome = await show(auth, await sign(`guess-${n}`, wrong), '127.0.0.9')
      counts.push(outcome.ok ? 'ok' : outcome.error.kind)
    }
    expect(counts.at(-1)).toBe('ResourceExhausted')
  })
})

test('in a flood from its address a caller who was let in before is let in again', async () => {
  const auth = authenticator()
  const alice = await sign('alice', good)
  expect((await show(auth, alice)).ok).toBe(true)
  const bad = await sign('mallory', wrong)
  const flood: Record<string, number> = {}
  for (let n = 0; n < 30; n++)
    for (const [word, count] of Object.entries(await tally(Array.from({ length: 100 }, () => show(auth, bad)))))
      flood[word] = (flood[word] ?? 0) + count
  expect(flood).toEqual({ Unauthenticated: 2_000, ResourceExhausted: 1_000 })
  expect((await show(auth, alice)).ok).toBe(true)
  expect((await show(auth, await sign('bob', good), '127.0.0.2')).ok).toBe(true)
})

describe('the budget', () => {
  test('bounds the wrong ones an address may show, and grows again with time', () => {
    let now = 0
    const budget = new VerificationBudget(() => now)
    let verified = 0
    for (let n = 0; n < 100_000; n++) {
      if (!budget.allows('a')) continue
      verified++
      budget.spent('a')
    }
    expect(verified).toBe(2_000)
    expect(budget.allows('b')).toBe(true)
    now = 1_000
    for (let n = 0; n < 100_000; n++) {
      if (!budget.allows('a')) continue
      verified++
      budget.spent('a')
    }
    expect(verified).toBe(2_200)
  })

  test('when many addresses have used up the whole, one that showed no wrong ones still gets in', () => {
    const budget = new VerificationBudget(() => 0)
    let verified = 0
    for (let n = 0; n < 100_000; n++) {
      const address = `address-${n % 1_000}`
      if (!budget.allows(address)) continue
      verified++
      budget.spent(address)
    }
    expect(verified).toBeLessThanOrEqual(8_000 + 1_000 * 20)
    expect(budget.allows('somebody else')).toBe(true)
    expect(budget.allows('address-1')).toBe(false)
  })
})

test('behind a trusted proxy guesses count under the address it names', async () => {
  const auth = authenticator([{ kind: 'bearer', token: 'alpha', subject: 'alice' }], {
    addressOf: ({ headers, peer }) => String(headers['x-forwarded-for'] ?? peer?.address),
  })
  for (let n = 0; n < 20; n++) await show(auth, `guess-${n}`, '10.0.0.1', '192.0.2.66')
  expect((await show(auth, 'alpha', '10.0.0.1', '192.0.2.66')).ok).toBe(false)
  expect((await show(auth, 'alpha', '10.0.0.1', '192.0.2.7')).ok).toBe(true)
})
