// JSON-4: numbers at the edge of what JSON readers can hold, over each binding, in each generation, on each store at hand
// and through the proxy: what becomes infinite is refused, what rounds rounds alike everywhere.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LEGACY_CARD, SPEC_CARD } from '../../src/agents/cards.ts'
import type { BindingId, DialectId } from '../../src/dialects/dialect.ts'
import { dialectById } from '../../src/dialects/index.ts'
import { createProxy } from '../../src/proxy/proxy.ts'
import type { Agent } from '../../src/server/engine/agent.ts'
import { type A2AServer, createServer } from '../../src/server/server.ts'
import { listen } from '../peers/listen.ts'
import { callRaw, type WireCall, wireCalls } from './wire-calls.ts'

/** Answers with a task that holds what it was sent. */
const keeper: Agent = async (message, ctx) => {
  await ctx.artifact({ parts: message.parts })
}

const { extendedAgentCard: _none, ...capabilities } = SPEC_CARD.capabilities
const AGENTS = [
  { path: '/', card: { ...SPEC_CARD, capabilities }, agent: keeper },
  { path: '/legacy', card: LEGACY_CARD, agent: keeper, dialects: ['0.1' as const] },
]

const PLACES: readonly [DialectId, BindingId][] = [
  ['1.0', 'jsonrpc'],
  ['1.0', 'rest'],
  ['0.3', 'jsonrpc'],
  ['0.3', 'rest'],
  ['0.1', 'jsonrpc'],
]

/** A message with data, in which this number stands as it is written. */
function sending(dialect: DialectId, binding: BindingId, number: string): WireCall {
  const part = { data: { value: 12345678 } }
  const message = { messageId: 'm', role: 'ROLE_USER' as const, parts: [part] }
  const request = { message, ...(dialect === '0.1' ? { clientTaskId: 'named' } : {}) }
  const [call] = wireCalls(dialectById(dialect), binding, 'sendMessage', request)
  if (call === undefined) throw new Error('every generation can send')
  return { ...call, body: call.body.replace('12345678', number) }
}

const at = (base: string, dialect: DialectId) => base + (dialect === '0.1' ? '/legacy' : '')

let directory: string
const servers: A2AServer[] = []
const bases = new Map<string, string>()
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'parley-numbers-'))
  for (const store of ['memory', `sqlite:${directory}/tasks.db`]) {
    const server = createServer({ agents: AGENTS, store })
    servers.push(server)
    bases.set(store.slice(0, 6), (await server.listen()).url)
  }
})
afterAll(async () => {
  for (const server of servers) await server.close({ graceMs: 0 })
  rmSync(directory, { recursive: true })
})

describe.each(['memory', 'sqlite'])('on %s', (store) => {
  test.each(PLACES)('%s over %s refuses a number that would become infinite', async (dialect, binding) => {
    const { status, body } = await callRaw(at(bases.get(store) ?? '', dialect), sending(dialect, binding, '-1e400'))
    expect(body).toContain('The number -1e400 is too large')
    if (binding === 'jsonrpc') expect(JSON.parse(body)).toMatchObject({ error: { code: -32700 } })
    else expect(status).toBe(400)
  })

  test.each(PLACES)('%s over %s rounds a number as all of them do', async (dialect, binding) => {
    const base = at(bases.get(store) ?? '', dialect)
    let { body } = await callRaw(base, sending(dialect, binding, '9007199254740993'))
    // The first generation answers with the task as it began.
    const [again] = dialect === '0.1' ? wireCalls(dialectById('0.1'), 'jsonrpc', 'getTask', { id: 'named' }) : []
    if (again !== undefined) body = (await callRaw(base, again)).body
    expect(body).toContain('9007199254740992')
    expect(body).not.toContain('9007199254740993')
  })
})

test('an agent behind a proxy that answers with such a number is refused, and its words are not told', async () => {
  const upstream = await listen((url) => (req, res) => {
    res.setHeader('Content-Type', 'application/json')
    if (req.method === 'GET') {
      const supportedInterfaces = [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }]
      return void res.end(JSON.stringify({ ...SPEC_CARD, capabilities: {}, supportedInterfaces }))
    }
    const message = '{"messageId":"m","role":"ROLE_AGENT","parts":[{"data":{"upstream-word":1e400}}]}'
    res.end(`{"jsonrpc":"2.0","id":1,"result":{"message":${message}}}`)
  })
  const proxy = createProxy({ agents: [{ name: 'agent', url: upstream.url }] })
  const { url } = await proxy.listen({ port: 0 })
  const { body } = await callRaw(url, sending('1.0', 'jsonrpc', '1'))
  await proxy.close()
  await upstream.close()
  expect(JSON.parse(body)).toMatchObject({ error: { code: -32006 } })
  expect(body).not.toContain('upstream-word')
})
