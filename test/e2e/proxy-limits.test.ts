// Agents behind the proxy that tell more than a task may hold: their callers learn that it failed, and the proxy lives on.

import { afterEach, expect, test } from 'vitest'
import { SPEC_CARD } from '../../src/agents/cards.ts'
import { A2AClient } from '../../src/client/a2a-client.ts'
import type { JsonObject } from '../../src/model/json.ts'
import { textOf } from '../../src/model/task.ts'
import { createProxy } from '../../src/proxy/proxy.ts'
import type { Agent } from '../../src/server/engine/agent.ts'
import { createServer } from '../../src/server/server.ts'
import { listen } from '../peers/listen.ts'

const stops: (() => unknown)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

const message = { messageId: 'm', role: 'ROLE_USER' as const, parts: [{ text: 'go' }] }
const LIMITS = { taskEvents: 20, taskBytes: 100_000 }

async function clientOf(upstream: string): Promise<A2AClient> {
  const proxy = createProxy({ agents: [{ name: 'agent', url: upstream }], limits: LIMITS })
  const { url } = await proxy.listen()
  stops.push(() => proxy.close({ graceMs: 0 }))
  const client = await A2AClient.connect(url)
  stops.push(() => client.close())
  return client
}

test.each<[string, Agent, string]>([
  [
    'events',
    async (_, ctx) => {
      for (let n = 0; n < 50; n++) await ctx.artifact({ artifactId: 'a', parts: [{ text: 'x' }] }, { append: n > 0 })
    },
    '20 events',
  ],
  [
    'bytes',
    async (_, ctx) => {
      for (let n = 0; n < 5; n++) await ctx.artifact({ parts: [{ text: 'x'.repeat(30_000) }] })
    },
    '100000 bytes',
  ],
])('too many %s in a stream fail the task with the limit', async (_, agent, limit) => {
  const { extendedAgentCard: _none, ...capabilities } = SPEC_CARD.capabilities
  const server = createServer({ card: { ...SPEC_CARD, capabilities }, agent })
  const { url } = await server.listen()
  stops.push(() => server.close({ graceMs: 0 }))
  const client = await clientOf(url)
  const words: string[] = []
  for await (const { event } of client.streamMessage({ message }))
    if ('statusUpdate' in event)
      words.push(`${event.statusUpdate.status.state} ${textOf(event.statusUpdate.status.message)}`)
  expect(words.at(-1)).toMatch(/^TASK_STATE_FAILED /)
  expect(words.at(-1)).toContain(limit)
})

const LONG = 'x'.repeat(2_000)

test.each<[string, JsonObject]>([
  ['a task', { id: LONG, contextId: 'c' }],
  ['a context', { id: 't', contextId: LONG }],
  ['an artifact', { id: 't', contextId: 'c', artifacts: [{ artifactId: LONG, parts: [{ text: 'x' }] }] }],
])('an id of %s that is too long is refused', async (_, ids) => {
  const upstream = await listen((url) => (req, res) => {
    res.setHeader('Content-Type', 'application/json')
    const supportedInterfaces = [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }]
    const card = { ...SPEC_CARD, capabilities: {}, supportedInterfaces }
    const task = { ...ids, status: { state: 'TASK_STATE_COMPLETED' } }
    res.end(JSON.stringify(req.method === 'GET' ? card : { jsonrpc: '2.0', id: 1, result: { task } }))
  })
  stops.push(() => upstream.close())
  const client = await clientOf(upstream.url)
  await expect(client.sendMessage({ message })).rejects.toMatchObject({ kind: 'InvalidAgentResponse' })
})
