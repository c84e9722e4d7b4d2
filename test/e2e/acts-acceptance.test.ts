// Our acceptance suites against `parley serve`, and the proof that every one of their tests can fail.

import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SPEC_CARD } from '../../src/agents/cards.ts'
import { echoAgent } from '../../src/agents/echo.ts'
import { referenceAgents } from '../../src/agents/reference.ts'
import { loadSuites } from '../../src/scenario/acts/load-suite.ts'
import type { TestOutcome } from '../../src/scenario/acts/outcome.ts'
import { runSuites } from '../../src/scenario/acts/run-suites.ts'
import { type A2AServer, createServer } from '../../src/server/server.ts'
import { spoilings } from '../support/spoil-suite.ts'

const SUITES = join(import.meta.dirname, '..', '..', 'suites')
const FILES = ['acceptance-1.0.acts.yaml', 'acceptance-0.3.acts.yaml'].map((name) => join(SUITES, name))
const TIMEOUT_MS = 60_000

let server: A2AServer
let url: string

beforeAll(async () => {
  const forward = () => Promise.reject(new Error('nothing to forward to'))
  const relay = { target: undefined, allowsChosenTargets: false, forward }
  server = createServer({ agents: referenceAgents({ relay }), store: 'memory' })
  url = (await server.listen({ port: 0, host: '127.0.0.1' })).url
})

afterAll(() => server.close())

function named(outcomes: readonly TestOutcome[], verdict: TestOutcome['verdict']): string[] {
  return outcomes.filter((one) => one.verdict === verdict).map(({ id, transport }) => `${id} ${transport}`)
}

test(
  'the reference agents pass every test over both bindings',
  async () => {
    const { outcomes } = await runSuites(url, await loadSuites(FILES), { concurrency: 16 })
    const rest = outcomes.filter(({ verdict }) => verdict !== 'pass')
    expect(
      rest.map(({ id, transport, verdict, reason, failure }) => ({ id, transport, verdict, reason, failure })),
    ).toEqual(
      [
        ['ACC-GET-UNKNOWN-REST', 'jsonrpc', 'applies to rest only'],
        ['ACC-GET-UNKNOWN-JSONRPC', 'rest', 'applies to jsonrpc only'],
        ...['MESSAGE', 'TASK-LIFECYCLE', 'STREAM', 'GET-UNKNOWN'].map((name) => [
          `ACC03-${name}`,
          'rest',
          'applies to jsonrpc only',
        ]),
      ].map(([id, transport, reason]) => ({
        id,
        transport,
        verdict: 'not-applicable',
        reason,
        failure: undefined,
      })),
    )
    expect(named(outcomes, 'pass')).toHaveLength(66)
  },
  TIMEOUT_MS,
)

describe('one agent instead of a server', () => {
  test('a suite for another agent does not apply', async () => {
    const { outcomes } = await runSuites(`${url}/echo`, await loadSuites(FILES), { transports: ['jsonrpc'] })
    expect(named(outcomes, 'fail')).toEqual([])
    expect(named(outcomes, 'pass')).toContain('ACC-ECHO-MESSAGE jsonrpc')
    expect(named(outcomes, 'not-applicable')).toContain('ACC-TASK-LIFECYCLE jsonrpc')
  })
})

test(
  'no assertion is idle: each of them, made impossible, fails its test',
  async () => {
    const suites = await loadSuites(FILES)
    const spoilt = spoilings(suites)
    expect(spoilt.length).toBeGreaterThan(120)
    const { outcomes } = await runSuites(url, spoilt, { transports: ['jsonrpc'], concurrency: 64 })
    const judged = outcomes.filter(({ verdict }) => verdict !== 'not-applicable')
    expect(judged.filter(({ verdict }) => verdict !== 'fail').map(({ id }) => id)).toEqual([])
    // Over JSON-RPC all tests but the one of REST have been seen to fail.
    const seen = new Set(judged.map(({ id }) => id.split('#', 1)[0]))
    const all = suites.flatMap(({ suite }) => suite.tests.map(({ value }) => value.id))
    expect(all.filter((id) => !seen.has(id))).toEqual(['ACC-GET-UNKNOWN-REST'])
  },
  TIMEOUT_MS,
)

test('an agent that claims the skills and only echoes fails all tests of behaviour', async () => {
  const impostor = createServer({ agents: [{ path: '/spec', card: SPEC_CARD, agent: echoAgent }], store: 'memory' })
  const { url: there } = await impostor.listen({ port: 0, host: '127.0.0.1' })
  try {
    const { outcomes } = await runSuites(`${there}/spec`, await loadSuites(FILES), { timeoutMs: 5_000 })
    const passed = new Set(named(outcomes, 'pass').map((name) => name.replace(/ .*/, '')))
    // What needs no behaviour: the card, and tasks that do not exist; a message is what an echo sends.
    expect([...passed].sort((a, b) => a.localeCompare(b))).toEqual([
      'ACC-CANCEL-UNKNOWN',
      'ACC-GET-UNKNOWN',
      'ACC-GET-UNKNOWN-JSONRPC',
      'ACC-GET-UNKNOWN-REST',
      'ACC-MESSAGE-ONLY',
      'ACC-SEND-UNKNOWN',
      'ACC-SPEC-CARD',
      'ACC-STREAM-MESSAGE',
      'ACC-SUBSCRIBE-UNKNOWN',
    ])
    expect(named(outcomes, 'harness-error')).toEqual([])
  } finally {
    await impostor.close()
  }
})
