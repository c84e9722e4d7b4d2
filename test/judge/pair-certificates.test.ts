// Two agents over TLS: the client certificate is the first one's business, however often the two are introduced.

import { createServer as createHttpsServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SPEC_CARD } from '../../src/agents/cards.ts'
import { specAgent } from '../../src/agents/spec.ts'
import { certifyPair } from '../../src/judge/pair/certify-pair.ts'
import { resultsOf } from '../../src/judge/runner/result.ts'
import { type A2AServer, createServer } from '../../src/server/server.ts'
import { makeAuthority, serverCertificate } from '../support/certificates.ts'

const authority = makeAuthority('Parley Test')
const own = serverCertificate(authority)
const { cert, key } = authority.issue({ subject: { CN: 'alice' }, use: 'client' })

interface Asking {
  url: string
  seen: Set<string>
  front: Server
  agent: A2AServer
}

/** An open agent that asks whoever connects for a certificate, and keeps the names. */
async function startAsking(): Promise<Asking> {
  const { extendedAgentCard: _, pushNotifications: __, ...capabilities } = SPEC_CARD.capabilities
  const agent = createServer({ card: { ...SPEC_CARD, capabilities }, agent: specAgent })
  await agent.ready()
  const seen = new Set<string>()
  const asking = { ...own, ca: authority.cert, requestCert: true, rejectUnauthorized: false }
  const front = createHttpsServer(asking, (req, res) => {
    seen.add((req.socket as TLSSocket).getPeerX509Certificate()?.subject ?? 'nobody')
    void agent.requestListener(req, res)
  })
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve))
  return { url: `https://127.0.0.1:${(front.address() as AddressInfo).port}`, seen, front, agent }
}

let first: Asking
let second: Asking
beforeAll(async () => {
  first = await startAsking()
  second = await startAsking()
})
afterAll(async () => {
  for (const { front, agent } of [first, second]) {
    front.closeAllConnections()
    front.close()
    await agent.close({ graceMs: 0 })
  }
})

test('the second agent never sees the certificate for the first', { timeout: 60_000 }, async () => {
  const report = await certifyPair(first.url, second.url, {
    tls: { ca: authority.cert, cert, key },
    only: ['get-task-unknown', 'pair'],
  })
  expect(report.categories.interop.length).toBeGreaterThan(0)
  expect(resultsOf(report).filter(({ verdict }) => verdict === 'fail')).toEqual([])
  expect(first.seen).toContain('CN=alice')
  expect([...second.seen]).toEqual(['nobody'])
})
