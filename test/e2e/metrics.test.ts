// What /metrics tells of a working server, in the text format of Prometheus; and that the dashboard asks for nothing else.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SPEC_CARD } from '../../src/agents/cards.ts'
import { A2AClient } from '../../src/client/a2a-client.ts'
import { type A2AServer, createServer } from '../../src/server/server.ts'

const DASHBOARD = join(import.meta.dirname, '../../examples/deploy/grafana-dashboard.json')

interface Family {
  type: string
  /** Value by name and labels. */
  samples: Map<string, number>
}

let folder: string
let server: A2AServer
let url: string
const delivered = Promise.withResolvers<void>()
const hook = createHttpServer((req, res) => {
  req.resume().on('end', () => res.end())
  res.on('finish', () => delivered.resolve())
})

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'parley-metrics-'))
  await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve))
  server = createServer({
    card: { ...SPEC_CARD, capabilities: { streaming: true, pushNotifications: true } },
    agent: async (_message, context) => {
      await context.status('TASK_STATE_WORKING')
      for (let n = 0; n < 5; n++) await context.artifact({ parts: [{ text: 'x' }] })
    },
    store: `sqlite:${join(folder, 'tasks.db')}`,
    allowPrivateWebhooks: true,
  })
  url = (await server.listen()).url
})
afterAll(async () => {
  await server.close({ graceMs: 0 })
  hook.close()
  rmSync(folder, { recursive: true, force: true })
})

async function families(): Promise<Map<string, Family>> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const found = new Map<string, Family>()
  let current: Family | undefined
  for (const line of text.trimEnd().split('\n')) {
    const [, name = '', type = ''] = /^# TYPE (\w+) (\w+)$/.exec(line) ?? []
    if (name !== '') {
      current = { type, samples: new Map() }
      found.set(name, current)
    }
    if (line.startsWith('#')) continue
    const [, sample = '', value = ''] = /^(\w+(?:\{(?:\w+="(?:[^"\\]|\\.)*",?)+\})?) (\S+)$/.exec(line) ?? []
    expect(sample, line).not.toBe('')
    current?.samples.set(sample, Number(value))
  }
  return found
}

async function use(): Promise<void> {
  using client = await A2AClient.connect(url)
  const message = () => ({ messageId: crypto.randomUUID(), role: 'ROLE_USER' as const, parts: [{ text: 'hi' }] })
  const { port } = hook.address() as AddressInfo
  const taskPushNotificationConfig = { url: `http://127.0.0.1:${port}/` }
  await client.sendMessage({ message: message(), configuration: { taskPushNotificationConfig } })
  for await (const _ of client.streamMessage({ message: message() })) {
    // To its end.
  }
  await expect(client.getTask({ id: crypto.randomUUID() })).rejects.toThrow('not found')
  await delivered.promise
}

test('histograms hold what happened, in rising buckets', async () => {
  await use()
  const found = await families()
  const histograms = [...found].filter(([, { type }]) => type === 'histogram')
  expect(histograms.map(([name]) => name)).toEqual([
    'parley_operation_duration_seconds',
    'parley_first_event_seconds',
    'parley_write_queue_events',
    'parley_commit_writes',
    'parley_push_lag_seconds',
  ])
  for (const [name, { samples }] of histograms) {
    const counts = [...samples].filter(([sample]) => sample.startsWith(`${name}_count`))
    expect(counts.length, name).toBeGreaterThan(0)
    for (const [sample, count] of counts) {
      expect(count, sample).toBeGreaterThan(0)
      const labels = /\{(.*)\}/.exec(sample)?.[1] ?? ''
      const buckets = [...samples].filter(([each]) => each.startsWith(`${name}_bucket{${labels}`))
      const values = buckets.map(([, value]) => value)
      expect(values).toEqual(values.toSorted((a, b) => a - b))
      expect(buckets.at(-1)?.[0]).toContain('le="+Inf"')
      expect(values.at(-1)).toBe(count)
    }
  }
  const operations = found.get('parley_operation_duration_seconds')?.samples
  for (const operation of ['SendMessage', 'SendStreamingMessage', 'GetTask'])
    expect(operations?.get(`parley_operation_duration_seconds_count{agent="/",operation="${operation}"}`)).toBe(1)
})

test('what callers choose makes no new series', async () => {
  const series = async () => [...(await families()).values()].flatMap(({ samples }) => [...samples.keys()])
  const ask = async (n: number) => {
    const headers = { 'A2A-Version': '1.0', 'User-Agent': `agent-${n}` }
    await fetch(`${url}/path-${n}`, { headers })
    await fetch(`${url}/tenant-${n}/tasks/task-${n}`, { headers })
    await fetch(`${url}/tasks/task-${n}`, { headers })
  }
  await ask(0)
  const before = new Set(await series())
  for (let n = 1; n < 20; n++) await ask(n)
  expect((await series()).filter((sample) => !before.has(sample))).toEqual([])
})

test('the dashboard asks for what there is, and for all of it', async () => {
  const found = await families()
  const dashboard = readFileSync(DASHBOARD, 'utf8')
  expect(() => JSON.parse(dashboard) as unknown).not.toThrow()
  const named = [...new Set(dashboard.match(/\b(?:parley|process)_[a-z_]+/g))]
  const asked = named.map((name) => (found.has(name) ? name : name.replace(/_(?:bucket|sum|count)$/, '')))
  expect(asked.filter((name) => !found.has(name))).toEqual([])
  expect([...found.keys()].filter((name) => !asked.includes(name))).toEqual([])
})
