// The judge has its webhooks on the loopback interface. Agents may call them or may rightly refuse to: neither is a
// failure, and what could not be measured is said.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { referenceAgents } from '../../src/agents/reference.ts'
import { type ConformanceResult, certify, resultsOf } from '../../src/judge/index.ts'
import { isJsonObject, type JsonObject } from '../../src/model/json.ts'
import { type A2AServer, createServer } from '../../src/server/server.ts'
import type { Mutation } from '../mutants/mutant.ts'
import { startProxy } from '../mutants/mutating-proxy.ts'
import { refusal } from '../mutants/task-edits.ts'

const PATHS = ['/push', '/secure', '/legacy']
const PUSH_AREAS = ['push', 'push-delivery', 'push-errors', 'isolation']

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
    expect(verdictsOf(results, 'push-private-webhook')).toEqual(new Set(path === '/legacy' ? [] : ['not-measured']))
  })
})

describe('an agent with a guard against private addresses', () => {
  let server: A2AServer
  let url: string
  beforeAll(async () => {
    server = createServer({ agents })
    url = (await server.listen()).url
  })
  afterAll(() => server.close({ graceMs: 0 }))

  test.each(PATHS)('%s has no failures, and what could not be measured is said', async (path) => {
    const results = await judged(url + path)
    expect(results.filter(isBad)).toEqual([])
    expect(results.find(({ test: id }) => id === 'push-create')).toMatchObject({
      verdict: 'not-measured',
      message: expect.stringContaining('refuses webhooks on the loopback interface, and webhook.parley.invalid'),
    })
    expect(verdictsOf(results, 'push-private-webhook')).toEqual(new Set(path === '/legacy' ? [] : ['pass']))
    expect(results.find(({ test: id }) => id === 'push-deliver')).toMatchObject({
      verdict: 'not-measured',
      message: 'the agent refuses webhooks on the loopback interface',
      wouldNeed: expect.stringContaining('--allow-private-networks'),
    })
  })
})

describe('an agent that refuses this machine, and looks names up only to deliver', () => {
  let server: A2AServer
  let proxy: Awaited<ReturnType<typeof startProxy>>
  beforeAll(async () => {
    server = createServer({ agents, allowPrivateNetworks: true })
    proxy = await startProxy((await server.listen()).url, refusingLoopback)
  })
  afterAll(async () => {
    await proxy.close()
    await server.close({ graceMs: 0 })
  })

  test('/push is judged by its configurations, and has no failures', async () => {
    const results = await judged(`${proxy.url}/push`)
    expect(results.filter(isBad)).toEqual([])
    expect(verdictsOf(results, 'push-create')).toEqual(new Set(['pass']))
    expect(verdictsOf(results, 'push-deliver')).toEqual(new Set(['not-measured']))
  })
})

const TRACE_GOES_ON = 'notifications continue the trace of the message (traceparent)'

describe('the trace of a message', () => {
  let server: A2AServer
  let direct: string
  let proxy: Awaited<ReturnType<typeof startProxy>>
  beforeAll(async () => {
    server = createServer({ agents, allowPrivateNetworks: true })
    direct = (await server.listen()).url
    // An agent that never sees whose trace it is.
    proxy = await startProxy(direct, { request: ({ headers }) => void delete headers.traceparent })
  })
  afterAll(async () => {
    await proxy.close()
    await server.close({ graceMs: 0 })
  })

  const notesOn = async (url: string) => {
    const results = resultsOf(await certify(url, { timeoutMs: 10_000, only: ['push-deliver'] }))
    const found = results.filter(({ test: id }) => id === 'push-deliver')
    expect(new Set(found.map(({ verdict }) => verdict))).toEqual(new Set(['pass']))
    return new Set(found.flatMap(({ notes = [] }) => notes.filter((note) => note.includes('traceparent'))))
  }

  test('is said to go on, or not to; neither is a failure', async () => {
    expect(await notesOn(`${direct}/push`)).toEqual(new Set([TRACE_GOES_ON]))
    const [other, ...more] = await notesOn(`${proxy.url}/push`)
    expect([other, more]).toEqual([expect.stringContaining('do not continue the trace'), []])
  })
})

/** What goes to the agent names a receiver on this machine that nobody has; what comes back names the one asked for. */
const refusingLoopback: Mutation = {
  answer: (call) =>
    /"url":"http:\/\/127\.0\.0\.1/.test(call.text) && /[Pp]ush/.test(call.text + call.path)
      ? refusal(call, 'The url is refused: it is not a public address.')
      : undefined,
  request: (call) => {
    const kept = call.text.match(/https:\/\/webhook\.parley\.invalid\/[\w-]+/)?.[0]
    if (kept === undefined) return
    const local = kept.replace('https://webhook.parley.invalid', 'http://127.0.0.1:9')
    call.memory.set(local, kept)
    if (isJsonObject(call.body)) call.body = JSON.parse(call.text.replaceAll(kept, local)) as JsonObject
  },
  reply: (reply, call) => {
    for (const [local, kept] of call.memory)
      if (typeof kept === 'string') reply.text = reply.text.replaceAll(local, kept)
  },
}

function isBad({ verdict }: ConformanceResult): boolean {
  return verdict === 'fail' || verdict === 'warn' || verdict === 'harness-error'
}

function verdictsOf(results: readonly ConformanceResult[], id: string): Set<string> {
  return new Set(results.filter((result) => result.test === id).map(({ verdict }) => verdict))
}
