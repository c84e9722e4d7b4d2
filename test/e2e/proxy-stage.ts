// A mock behind a proxy, and callers before it; all of them are stopped after each test.

import { afterEach } from 'vitest'
import type { ArtifactStore } from '../../src/artifacts/artifact-store.ts'
import { createMemoryArtifactStore } from '../../src/artifacts/memory-store.ts'
import { A2AClient, type ClientOptions } from '../../src/client/a2a-client.ts'
import { createMockAgent, type MockAgent } from '../../src/mock/index.ts'
import { isJsonObject } from '../../src/model/json.ts'
import type { Part, Task } from '../../src/model/task.ts'
import { type A2AProxy, createProxy, type ProxyOptions } from '../../src/proxy/proxy.ts'

export const stops: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

export interface Stage {
  mock: MockAgent
  proxy: A2AProxy
  url: string
  artifacts: ArtifactStore
  as(user: string, options?: ClientOptions): Promise<A2AClient>
}

export async function stage(scriptText: string, options: Partial<ProxyOptions> = {}, agent = {}): Promise<Stage> {
  const mock = await createMockAgent({ scriptText }).start()
  stops.push(() => mock.stop())
  const artifacts = createMemoryArtifactStore()
  const proxy = createProxy({
    agents: [{ name: 'app', url: mock.url, idleTimeoutMs: 2_000, ...agent }],
    artifacts,
    identityHeader: 'x-user',
    ...options,
  })
  const { url } = await proxy.listen()
  stops.push(() => proxy.close({ graceMs: 0 }))
  const as = async (user: string, given: ClientOptions = {}) => {
    const client = await A2AClient.connect(url, { ...given, headers: [['x-user', user]] })
    stops.push(() => client.close())
    return client
  }
  return { mock, proxy, url, artifacts, as }
}

export function message(parts: string | Part[] = 'go', ids: { taskId?: string; contextId?: string } = {}) {
  const content = typeof parts === 'string' ? [{ text: parts }] : parts
  return { message: { messageId: crypto.randomUUID(), role: 'ROLE_USER' as const, parts: content, ...ids } }
}

export async function taskOf(sending: ReturnType<A2AClient['sendMessage']>): Promise<Task> {
  const result = await sending
  if (!('task' in result)) throw new Error('expected a task')
  return result.task
}

/** The message in the last request the agent got, as 1.0 JSON. */
export function forwarded(mock: MockAgent): { parts: Part[]; taskId?: string; contextId?: string } {
  const json = mock.requests().findLast(({ operation }) => operation === 'sendMessage' || operation === 'streamMessage')
  const params = isJsonObject(json?.requestJson) ? json.requestJson.params : undefined
  return (isJsonObject(params) ? params.message : undefined) as never
}

export const ASKS = `
rules:
  - id: asks
    match: {}
    turns:
      - [{ status: working, text: One moment. }, { status: input-required, text: Which one? }]
      - [{ complete: Thank you. }]`
export const WAITS = `
rules:
  - id: waits
    match: {}
    turns: [[{ status: working, text: One moment. }, { delay: 60s }, { complete: Done. }]]`
