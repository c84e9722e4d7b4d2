// What the client makes of certificates, with real handshakes: whom it trusts, what it shows, and which sentence and hint a
// person gets when it does not work.

import { createServer, type Server, type ServerOptions } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Certified, type Issuer, makeAuthority, serverCertificate } from '../../test/support/certificates.ts'
import { HttpClient } from './http-client.ts'
import type { HttpRequest } from './http-request.ts'
import { NetError } from './net-error.ts'

let authority: Issuer
let own: Certified
let alice: Certified
beforeAll(() => {
  authority = makeAuthority('Parley Test')
  own = serverCertificate(authority)
  alice = authority.issue({ subject: { CN: 'alice' }, use: 'client' })
})

const client = new HttpClient()
let server: Server | undefined
afterEach(() => {
  client.close()
  server?.closeAllConnections()
  server?.close()
})

/** Answers with the name of whoever called. */
async function serve(options: ServerOptions): Promise<string> {
  server = createServer(options, (req, res) => {
    res.end((req.socket as TLSSocket).getPeerX509Certificate()?.subject ?? 'nobody')
  })
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function ask(url: string, request: Partial<HttpRequest> = {}): Promise<string> {
  return (await client.request({ url, ...request })).text()
}

async function failureOf(url: string, tls: HttpRequest['tls']): Promise<NetError> {
  const error = await ask(url, tls === undefined ? {} : { tls }).catch((cause: unknown) => cause)
  if (error instanceof NetError) return error
  throw new Error('it worked')
}

describe('it trusts', () => {
  test.each<[string, () => HttpRequest['tls']]>([
    ['the authority it is told', () => ({ ca: authority.cert })],
    ['the very certificate it is told', () => ({ ca: own.cert })],
    ['anybody when it is told to', () => ({ insecure: true })],
  ])('%s', async (_, tls) => {
    const url = await serve(own)
    expect(await ask(url, { tls: tls() ?? {} })).toBe('nobody')
  })
})

describe('it does not trust', () => {
  test.each<[string, () => Certified, () => HttpRequest['tls'], string]>([
    ['an authority nobody named', () => own, () => undefined, 'of an unknown authority (UNABLE_TO_VERIFY_LEAF'],
    ['itself', () => makeAuthority('x'), () => undefined, 'of an unknown authority (DEPTH_ZERO_SELF_SIGNED_CERT)'],
    [
      'another one',
      () => own,
      () => ({ ca: makeAuthority('Parley Test').cert }),
      'of an unknown authority (CERT_SIGNATURE_FAILURE)',
    ],
    [
      'a certificate past its time',
      () => authority.issue({ names: ['127.0.0.1'], notAfter: new Date(Date.now() - 1_000) }),
      () => ({ ca: authority.cert }),
      'has expired (CERT_HAS_EXPIRED).',
    ],
    [
      'a certificate for another name',
      () => authority.issue({ names: ['example.com'] }),
      () => ({ ca: authority.cert }),
      'is for another name (ERR_TLS_CERT_ALTNAME_INVALID).',
    ],
  ])('%s', async (_, certified, tls, message) => {
    const url = await serve(certified())
    const failure = await failureOf(url, tls())
    expect(failure.code).toBe('tls')
    expect(failure.message).toContain(message)
  })
})

describe('its own certificate', () => {
  const insisting = () => ({ ...own, ca: authority.cert, requestCert: true, rejectUnauthorized: true })

  test('is shown, and kept back from a request on the same client that must not carry it', async () => {
    const url = await serve({ ...insisting(), rejectUnauthorized: false })
    const tls = { ca: authority.cert, ...alice }
    expect(await ask(url, { tls })).toBe('CN=alice')
    expect(await ask(url, { tls, withoutCertificate: true })).toBe('nobody')
    expect(await ask(url, { tls })).toBe('CN=alice')
  })

  test('is asked for by a server that insists', async () => {
    const url = await serve(insisting())
    const failure = await failureOf(url, { ca: authority.cert })
    expect(failure.message).toBe(`${url} asks for a client certificate (ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED).`)
  })

  test('is refused by a server that insists on another', async () => {
    const url = await serve(insisting())
    const stranger = makeAuthority('Elsewhere').issue({ subject: { CN: 'alice' }, use: 'client' })
    // Such a server may hang up without a word.
    expect((await failureOf(url, { ca: authority.cert, ...stranger })).code).toMatch(/^(?:tls|reset)$/)
  })
})
