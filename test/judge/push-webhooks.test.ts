// The judge has its webhooks on the loopback interface. Agents may call them or may rightly refuse to: neither is a
// failure, and what could not be measured is said.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { referenceAgents } from '../../src/agents/reference.ts'
import { type ConformanceResult, certify, resultsOf } from '../../src/judge/index.ts'
import { type A2AServer, createServer } from '../../src/server/server.ts'

const PATHS = ['/push', '/secure', '/legacy']
const PUSH_AREAS = ['push', 'push-delivery', 'push-errors', 'isolation']
/** Nobody's: global, but never given to anybody, so that what is sent there goes nowhere. */
const UNUSED_ADDRESS = '2d00::1'

const agents = referenceAgents({
  relay: { target: undefined, allowsChosenTargets: false, forward: () => Promise.reject(new Error('no relay')) },
})

async function judged(url: string): Promise<ConformanceResult[]> {
  const identities = { bearer: 'parley-test-token', bearerB: 'parley-other-token' }
  return resultsOf(await certify(url, { ...identities, timeoutMs: 10_000, only: PUSH_AREAS }))
}

describe('an agent that may call this machine', () => {
  let server: A2AServer
  let url: string
  beforeAll(async () => {
    server = createServer({ agents, allowPrivateNetworks: true })
    url = (await server.listen()).url
  })
  afterAll(() => server.close({ graceMs: 0 }))

  test.each(PATHS)('%s delivers, and has no failures', async (path) => {
    const results = await judged(url + path)
    expect(results.filter(isBad)).toEqual([])
    expect(verdictsOf(results, 'push-deliver')).toEqual(new Set(['pass']))
    expect(verdictsOf(results, 'push-create')).toEqual(new Set(['pass']))
  })
})

describe('an agent with a guard against private addresses', () => {
  let server: A2AServer
  let url: string
  beforeAll(async () => {
    server = createServer({ agents, push: { resolve: async () => [UNUSED_ADDRESS] } })
    url = (await server.listen()).url
  })
  afterAll(() => server.close({ graceMs: 0 }))

  test.each(PATHS)('%s is judged by its configurations, and has no failures', async (path) => {
    const results = await judged(url + path)
    expect(results.filter(isBad)).toEqual([])
    expect(verdictsOf(results, 'push-create')).toEqual(new Set(['pass']))
    const [delivery] = results.filter(({ test: id }) => id === 'push-deliver')
    expect(delivery).toMatchObject({
      verdict: 'not-measured',
      message: 'the agent refuses webhooks on the loopback interface',
      wouldNeed: expect.stringContaining('--allow-private-networks'),
    })
  })
})

function isBad({ verdict }: ConformanceResult): boolean {
  return verdict === 'fail' || verdict === 'warn' || verdict === 'harness-error'
}

function verdictsOf(results: readonly ConformanceResult[], id: string): Set<string> {
  return new Set(results.filter((result) => result.test === id).map(({ verdict }) => verdict))
}
