// LIM and TLS: what a listener with TLS does about connections that never become one.

import { once } from 'node:events'
import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Certified, type Issuer, makeAuthority, serverCertificate } from '../../../test/support/certificates.ts'
import type { Limits } from '../limits.ts'
import { createListener, type Listener } from './http-listener.ts'

let authority: Issuer
let own: Certified
beforeAll(() => {
  authority = makeAuthority('Parley Test')
  own = serverCertificate(authority)
})

let listener: Listener | undefined
afterEach(() => listener?.close({ graceMs: 0 }))

async function listen(limits: Partial<Limits> = {}): Promise<{ port: number; url: string }> {
  listener = createListener((_req, res) => void res.end('hello'), { tls: { ...own, ca: authority.cert }, limits })
  return listener.listen({ port: 0 })
}

async function connectPlainly(port: number): Promise<Socket> {
  const socket = connectTcp(port, '127.0.0.1')
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

async function shakeHands(port: number, version: 'TLSv1.2' | 'TLSv1.3' = 'TLSv1.3'): Promise<TLSSocket> {
  const socket = connectTls({ host: '127.0.0.1', port, ca: authority.cert, minVersion: version, maxVersion: version })
  await once(socket, 'secureConnect')
  return socket
}

test('the URL says https', async () => {
  expect((await listen()).url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/)
})

describe('a connection ends', () => {
  test('when its handshake does not come in time', { timeout: 5_000 }, async () => {
    const { port } = await listen({ headersTimeoutMs: 50 })
    const socket = await connectPlainly(port)
    await once(socket.resume(), 'close')
  })

  test.each([
    ['a request without TLS', 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    ['garbage', `\x16\x03\x01\x02\x00${'q'.repeat(600)}`],
  ])('after %s', { timeout: 5_000 }, async (_, bytes) => {
    const { port } = await listen()
    const socket = await connectPlainly(port)
    socket.write(bytes, 'latin1')
    await once(socket.resume(), 'close')
  })

  test('when the listener stops during the handshake', { timeout: 5_000 }, async () => {
    const { port } = await listen()
    const socket = await connectPlainly(port)
    // The handshake of the second connection is over, so the first one has been accepted.
    ;(await shakeHands(port)).destroy()
    const closed = once(socket.resume(), 'close')
    await listener?.close({ graceMs: 10 })
    await closed
  })
})

test('nobody shakes hands a second time', async () => {
  const { port } = await listen()
  const socket = await shakeHands(port, 'TLSv1.2')
  const refused = once(socket, 'error')
  socket.renegotiate({ rejectUnauthorized: true }, () => {})
  const [error] = (await refused) as [Error & { code?: string }]
  expect(error.code).toBe('ERR_SSL_NO_RENEGOTIATION')
})

test('TLS 1.1 is refused', async () => {
  const { port } = await listen()
  const old = { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const
  const socket = connectTls({ host: '127.0.0.1', port, ca: authority.cert, ...old })
  const [error] = (await once(socket, 'error')) as [Error & { code?: string }]
  expect(error.code).toBe('ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION')
})
