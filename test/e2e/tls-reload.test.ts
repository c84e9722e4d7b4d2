// Certificates that are replaced while a command listens: new handshakes see the new one, also after SIGHUP and over gRPC; what
// cannot be used is reported and the one before stays.

import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ECHO_CARD } from '../../src/agents/cards.ts'
import { type A2AServer, createServer } from '../../src/server/server.ts'
import { makeAuthority, serverCertificate } from '../support/certificates.ts'
import { runParley, type Serving, startParley } from '../support/parley-process.ts'

const authority = makeAuthority('Parley Test')
let folder: string
let upstream: A2AServer
let upstreamUrl: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'parley-reload-'))
  upstream = createServer({ card: ECHO_CARD, agent: () => 'yes' })
  upstreamUrl = (await upstream.listen()).url
})
afterAll(async () => {
  await upstream.close({ graceMs: 0 })
  rmSync(folder, { recursive: true, force: true })
})

/** Writes a new certificate and returns how it is recognized. */
function renew(name: string): string {
  const { cert, key } = serverCertificate(authority)
  writeFileSync(join(folder, `${name}.key`), key)
  writeFileSync(join(folder, `${name}.pem`), cert)
  return new X509Certificate(cert).fingerprint256
}

async function shownAt(port: number, protocols: string[] = []): Promise<string | undefined> {
  const socket = connect({ host: '127.0.0.1', port, ca: authority.cert, ALPNProtocols: protocols })
  await once(socket, 'secureConnect')
  const certificate = socket.getPeerX509Certificate()?.fingerprint256
  socket.destroy()
  return certificate
}

function stderrOf({ child }: Serving): (pattern: RegExp) => Promise<void> {
  let text = ''
  return (pattern) => {
    text = ''
    return new Promise((resolve) => {
      const look = (chunk: Buffer) => {
        text += chunk.toString()
        if (!pattern.test(text)) return
        child.stderr?.off('data', look)
        resolve()
      }
      child.stderr?.on('data', look)
    })
  }
}

test.each([
  ['serve', () => ['serve', '--quiet']],
  ['proxy', () => ['proxy', upstreamUrl]],
  ['mock', () => ['mock']],
  ['listen', () => ['listen']],
])('%s takes a replaced certificate, and keeps the old one when the new one is garbage', async (name, command) => {
  const first = renew(name)
  const tls = ['--tls-cert', join(folder, `${name}.pem`), '--tls-key', join(folder, `${name}.key`)]
  const serving = await startParley([...command(), ...tls])
  try {
    const says = stderrOf(serving)
    const port = Number(new URL(serving.url).port)
    expect(serving.url).toMatch(/^https:/)
    expect(await shownAt(port)).toBe(first)

    const replaced = says(/The certificate was read again from /)
    const second = renew(name)
    await replaced
    expect(await shownAt(port)).toBe(second)

    const rejected = says(
      /holds no certificate in PEM form \(-----BEGIN CERTIFICATE-----\)\. The previous certificate stays in use\./,
    )
    writeFileSync(join(folder, `${name}.pem`), 'garbage')
    await rejected
    expect(await shownAt(port)).toBe(second)

    const again = says(/stays in use/)
    serving.child.kill('SIGHUP')
    await again
    expect(await shownAt(port)).toBe(second)
  } finally {
    expect(await serving.stop()).toMatchObject({ code: 0 })
  }
})

test('setTls reaches gRPC, and refuses what cannot be used', async () => {
  const [first, second] = [serverCertificate(authority), serverCertificate(authority)]
  const server = createServer({ card: ECHO_CARD, agent: () => 'yes', tls: first, grpc: true })
  const { port } = await server.listen()
  const grpcPort = server.grpc[0]?.port ?? 0
  try {
    expect(() => server.setTls({ cert: second.cert, key: first.key })).toThrow('is not the key of')
    expect(() => server.setTls({ ...second, ca: authority.cert })).toThrow('decided when the server starts')
    for (const { cert } of [first, second]) {
      const { fingerprint256 } = new X509Certificate(cert)
      expect(await shownAt(port)).toBe(fingerprint256)
      expect(await shownAt(grpcPort, ['h2'])).toBe(fingerprint256)
      server.setTls(second)
    }
  } finally {
    await server.close({ graceMs: 0 })
  }
  expect(() => upstream.setTls(second)).toThrow('The server listens without TLS')
})

test('the proxy asks callers for certificates only where its configuration looks at them', async () => {
  renew('asking')
  const tls = ['--tls-cert', 'asking.pem', '--tls-key', 'asking.key', '--tls-client-ca', 'asking.pem']
  const { code, stderr } = await runParley(['proxy', upstreamUrl, '--port', '0', ...tls], { cwd: folder })
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr:
      "parley: --tls-client-ca requests certificates that are not checked; add callers: ['mtls'] in the configuration.\n",
  })
})
