// Requests in which everything is wrong: explaining it costs no more, and says no more, than anybody needs.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { LEGACY_CARD, SPEC_CARD } from '../../src/agents/cards.ts'
import { specAgent } from '../../src/agents/spec.ts'
import type { BindingId, DialectId } from '../../src/dialects/dialect.ts'
import { dialectById } from '../../src/dialects/index.ts'
import { type A2AServer, createServer } from '../../src/server/server.ts'
import { callRaw, wireCalls } from './wire-calls.ts'

let server: A2AServer
let base: string
beforeAll(async () => {
  const { extendedAgentCard: _none, ...capabilities } = SPEC_CARD.capabilities
  server = createServer({
    agents: [
      { path: '/', card: { ...SPEC_CARD, capabilities }, agent: specAgent },
      { path: '/legacy', card: LEGACY_CARD, agent: specAgent, dialects: ['0.1'] },
    ],
  })
  base = (await server.listen()).url
})
afterAll(() => server.close({ graceMs: 0 }))

const PLACES: readonly [DialectId, BindingId][] = [
  ['1.0', 'jsonrpc'],
  ['1.0', 'rest'],
  ['0.3', 'jsonrpc'],
  ['0.3', 'rest'],
  ['0.1', 'jsonrpc'],
]

const PARTS = [
  ['95,000 parts that are none', Array.from({ length: 95_000 }, () => 1)],
  ['40,000 parts without content', Array.from({ length: 40_000 }, () => ({ foo: 1 }))],
  ['500 parts that are none', Array.from({ length: 500 }, () => 1)],
] as const

const CASES = PLACES.flatMap(([dialect, binding]) =>
  PARTS.map(([what, parts]) => [what, dialect, binding, parts] as const),
)

test.each(CASES)('%s in %s over %s are refused in a few words', async (_, dialect, binding, parts) => {
  const message = { messageId: 'm', role: 'ROLE_USER' as const, parts: [{ text: 'instead of the parts' }] }
  const request = { message, ...(dialect === '0.1' ? { clientTaskId: 'named' } : {}) }
  const [call] = wireCalls(dialectById(dialect), binding, 'sendMessage', request)
  if (call === undefined) throw new Error('every generation can send')
  const body = call.body.replace(/\[\{[^[\]]*instead of the parts[^[\]]*\}\]/, JSON.stringify(parts))
  expect(body.length).toBeGreaterThan(900)
  const answer = await callRaw(base + (dialect === '0.1' ? '/legacy' : ''), { ...call, body })
  expect(answer.body).toMatch(/\/parts\/0|\/content\/0/)
  expect(answer.body.length).toBeLessThan(5_000)
})

test('a media type nobody needs is not repeated whole', async () => {
  const part = { text: 'x', mediaType: `a/b;${' x=y;'.repeat(100_000)}` }
  const message = { messageId: 'm', role: 'ROLE_USER' as const, parts: [part] }
  const [call] = wireCalls(dialectById('1.0'), 'jsonrpc', 'sendMessage', { message })
  if (call === undefined) throw new Error('every generation can send')
  const { body } = await callRaw(base, call)
  expect(body).toContain('does not accept a/b; x=y;')
  expect(body.length).toBeLessThan(1_000)
})
