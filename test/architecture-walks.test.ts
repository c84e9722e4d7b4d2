// The walks of ARCHITECTURE.md lead through code that runs: while such a call is made, a function of each file they name is
// called. What V8 counted tells.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SPEC_CARD } from '../src/agents/cards.ts'
import { specAgent } from '../src/agents/spec.ts'
import { type StartedProxy, startProxy } from '../src/proxy/start-proxy.ts'
import { type A2AServer, createServer } from '../src/server/server.ts'
import { SOURCE_ENTRY } from './support/parley-command.ts'
import { runParley } from './support/parley-process.ts'

/** Named for another reason. */
const NOT_CALLED = [
  // The shapes of answers; what makes them are the bindings.
  'net/serve/reply.ts',
  // A list.
  'report/formats.ts',
  // Only after another proxy has died.
  'proxy/abandoned-follows.ts',
]

interface Counted {
  url: string
  functions: { functionName: string; ranges: { count: number }[] }[]
}

const house = readFileSync(join(import.meta.dirname, '..', 'ARCHITECTURE.md'), 'utf8')
const folder = mkdtempSync(join(tmpdir(), 'parley-walks-'))
const session = new Session()
let server: A2AServer
let proxy: StartedProxy
let url: string

beforeAll(async () => {
  const auth = [{ kind: 'bearer', token: 'secret', subject: 'me' } as const]
  server = createServer({
    agents: [
      { path: '/spec', card: SPEC_CARD, agent: specAgent },
      { path: '/closed', card: SPEC_CARD, agent: specAgent, auth },
    ],
  })
  ;({ url } = await server.listen({ port: 0 }))
  proxy = await startProxy({ port: 0, agents: [{ name: 'spec', url: `${url}/spec` }] })
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true })
})

afterAll(async () => {
  session.disconnect()
  await proxy.close()
  await server.close({ graceMs: 0 })
  rmSync(folder, { recursive: true })
})

function filesOf(walk: string): string[] {
  const section = house.split(/^## /m).find((text) => text.startsWith(walk)) ?? ''
  const named = new Set(Array.from(section.matchAll(/`([\w/-]+\.ts)`/g), ([, path = '']) => path))
  return [...named].filter((path) => !NOT_CALLED.includes(path))
}

function calledIn(counted: readonly Counted[]): Set<string> {
  const called = counted.filter(({ functions }) =>
    functions.some(({ functionName, ranges }) => functionName !== '' && (ranges[0]?.count ?? 0) > 0),
  )
  return new Set(called.map((each) => each.url.split('/src/')[1] ?? ''))
}

async function calledWhile(what: () => Promise<unknown>): Promise<Set<string>> {
  await session.post('Profiler.takePreciseCoverage')
  await what()
  return calledIn((await session.post('Profiler.takePreciseCoverage')).result)
}

async function call(place: string, method: string): Promise<void> {
  const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text: 'task-lifecycle' }] }
  const answer = await fetch(place, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'A2A-Version': '1.0', Authorization: 'Bearer secret' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { message } }),
  })
  expect(await answer.text()).toContain('TASK_STATE_COMPLETED')
}

test('a served call', async () => {
  const called = await calledWhile(async () => {
    await call(`${url}/closed`, 'SendMessage')
    await call(`${url}/closed`, 'SendStreamingMessage')
  })
  expect(filesOf('A served call').length).toBeGreaterThan(20)
  expect(filesOf('A served call').filter((file) => !called.has(file))).toEqual([])
})

test('a proxied stream', async () => {
  const called = await calledWhile(() => call(`${proxy.url}/spec`, 'SendStreamingMessage'))
  expect(filesOf('A proxied stream').length).toBeGreaterThan(15)
  expect(filesOf('A proxied stream').filter((file) => !called.has(file))).toEqual([])
})

test('a judged call', { timeout: 60_000 }, async () => {
  const flags = [
    '--only',
    'send-immediately-readable',
    '--transport',
    'jsonrpc',
    '--format',
    `run:${join(folder, 'run.jsonl')}`,
  ]
  const { stderr } = await runParley(['test', `${url}/spec`, ...flags], {
    env: { NODE_V8_COVERAGE: folder },
    entry: SOURCE_ENTRY,
  })
  const reports = readdirSync(folder).filter((name) => name.startsWith('coverage-'))
  expect(reports.length, stderr).toBeGreaterThan(0)
  const counted = reports.flatMap(
    (name) => (JSON.parse(readFileSync(join(folder, name), 'utf8')) as { result: Counted[] }).result,
  )
  const called = calledIn(counted)
  expect(filesOf('A judged call').length).toBeGreaterThan(20)
  expect(filesOf('A judged call').filter((file) => !called.has(file))).toEqual([])
})
