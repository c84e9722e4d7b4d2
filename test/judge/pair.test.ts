// Two agents together: what a correct pair shows, and what each kind of wrong pair is blamed for.

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { startSdk03Server } from '../../interop/js-sdk-0.3/agent.ts'
import { referenceAgents } from '../../src/agents/reference.ts'
import { forwardMessage } from '../../src/cli/forward.ts'
import { type ConformanceReport, certifyPair, type PairOptions } from '../../src/judge/index.ts'
import { createServer } from '../../src/server/server.ts'
import { startScriptedServer } from '../peers/scripted-server.ts'
import { rendered } from '../report/rendered.ts'
import { startTinyAgent, type TinyAgent, type TinyTask } from './tiny-agent.ts'

const opened: { close(): Promise<unknown> }[] = []
let url: string
let server: ReturnType<typeof createServer>

beforeAll(async () => {
  const relay = { target: undefined, allowsChosenTargets: true, forward: forwardMessage }
  server = createServer({ agents: referenceAgents({ relay }), store: 'memory', allowPrivateNetworks: true })
  url = (await server.listen({ port: 0, host: '127.0.0.1' })).url
})
afterAll(() => server.close())
afterEach(async () => {
  for (const peer of opened.splice(0)) await peer.close()
})

async function tiny(agent: TinyAgent = {}): Promise<string> {
  const peer = await startTinyAgent(agent)
  opened.push(peer)
  return peer.url
}

async function judge(first: string, second: string, options: PairOptions = {}): Promise<ConformanceReport> {
  return certifyPair(first, second, { only: ['pair'], timeoutMs: 5_000, ...options })
}

function verdicts(report: ConformanceReport): Record<string, string> {
  return Object.fromEntries(report.categories.interop.map(({ key, verdict }) => [key, verdict]))
}

function messageOf(report: ConformanceReport, key: string): string {
  return report.categories.interop.find((result) => result.key === key)?.message ?? ''
}

describe('two correct agents', () => {
  test('of different generations hand over in each dialect and keep their tasks apart', async () => {
    const report = await judge(`${url}/spec`, `${url}/spec03`)
    expect(verdicts(report)).toEqual({
      'pair-discovery@first-to-second': 'pass',
      'pair-discovery@second-to-first': 'pass',
      // One speaks only 1.0 and the other only 0.3.
      'pair-common-ground': 'warn',
      'pair-hand-over@first-to-second': 'pass',
      'pair-hand-over@second-to-first': 'pass',
      'pair-concurrency': 'pass',
      'pair-delegation@first-to-second': 'not-measured',
      'pair-delegation@second-to-first': 'not-measured',
    })
    expect(report.exitCode).toBe(0)
  })

  test('--max-turns bounds what each of them is asked to do, the pair included', async () => {
    const report = await judge(`${url}/spec`, `${url}/spec03`, { only: ['pair'], maxTurns: 1 })
    expect(report.provenance.turns.used).toBeLessThanOrEqual(1)
    expect(report.second?.provenance.turns.used).toBeLessThanOrEqual(1)
    expect(messageOf(report, 'pair-concurrency')).toBe('it would exceed --max-turns 1')
  })

  test('the terminal says what they are to each other', async () => {
    const report = await judge(`${url}/spec`, `${url}/spec03`, { only: ['pair-discovery', 'pair-common-ground'] })
    const text = rendered('terminal', report)
    expect(text).toContain('The two together: 3 passed, 0 failed, 0 skipped')
    expect(text).toContain('✓ pair-discovery@second-to-first')
    expect(text).toContain('! pair-common-ground: the two agents share no protocol version and binding')
  })

  test('what both speak is measured, not only what they lack', async () => {
    const report = await judge(`${url}/spec`, `${url}/echo`, { only: ['pair-common-ground'] })
    expect(verdicts(report)).toEqual({ 'pair-common-ground': 'pass' })
  })

  test('a relay is seen to call the other, in the generation that one speaks', async () => {
    const report = await judge(`${url}/relay`, `${url}/legacy`, { only: ['pair-delegation'] })
    expect(verdicts(report)['pair-delegation@first-to-second']).toBe('pass')
    const [result] = report.categories.interop
    expect(result?.notes?.join()).toMatch(/carried the task/)
  })

  test('a prompt named delegate drives the other way round', async () => {
    const prompt = { text: 'relay {url} {text}' }
    const report = await judge(`${url}/spec`, `${url}/relay`, {
      only: ['pair-delegation'],
      second: { behaviours: { delegate: prompt } },
    })
    expect(verdicts(report)).toEqual({
      'pair-delegation@first-to-second': 'not-measured',
      'pair-delegation@second-to-first': 'pass',
    })
    expect(report.categories.interop[0]?.wouldNeed).toMatch(/delegate/)
  })

  test('built with different SDKs', async () => {
    const peer = await startSdk03Server()
    opened.push(peer)
    const report = await judge(peer.url, `${url}/spec`)
    expect(report.categories.interop.filter(({ status }) => status === 'fail')).toEqual([])
  })
})

describe('credentials', () => {
  test('each agent gets its own and never those of the other', async () => {
    const seen: string[] = []
    const watched = await startScriptedServer((request, response) => {
      seen.push(request.headers.authorization ?? '')
      response.writeHead(404).end()
    })
    opened.push(watched)
    const options = { bearer: 'parley-test-token', second: { bearer: 'token-of-the-second' } }
    const report = await judge(`${url}/secure`, watched.url, options)
    expect(seen.length).toBeGreaterThan(0)
    expect(seen.join()).not.toContain('parley-test-token')
    expect(JSON.stringify(report)).not.toContain('token-of-the-second')
  })

  test('the listener brings the credentials a delegating agent does not have', async () => {
    const report = await judge(`${url}/relay`, `${url}/secure`, {
      only: ['pair-delegation'],
      second: { bearer: 'parley-test-token' },
    })
    expect(verdicts(report)['pair-delegation@first-to-second']).toBe('pass')
  })
})

describe('a wrong pair', () => {
  test('that mixes up the words of concurrent tasks', async () => {
    let last = ''
    const words = (text: string) => {
      const before = last
      last = text
      return before
    }
    const report = await judge(await tiny({ words }), await tiny(), { only: ['pair-concurrency'] })
    expect(verdicts(report)).toEqual({ 'pair-concurrency': 'fail' })
    expect(messageOf(report, 'pair-concurrency')).toMatch(/contains the marker of a task/)
    expect(report.exitCode).toBe(1)
  })

  test('that shares its tasks', async () => {
    const tasks = new Map<string, TinyTask>()
    const report = await judge(await tiny({ tasks }), await tiny({ tasks }), { only: ['pair-concurrency'] })
    expect(messageOf(report, 'pair-concurrency')).toMatch(/answers for a task of the/)
  })

  test('that gives two tasks one id', async () => {
    const report = await judge(await tiny({ newId: () => 'task-1' }), await tiny(), { only: ['pair-concurrency'] })
    expect(verdicts(report)).toEqual({ 'pair-concurrency': 'fail' })
  })

  test('of which one cannot take what the other makes', async () => {
    const refuse = (parts: readonly Record<string, unknown>[]) =>
      parts.every((part) => typeof part.text === 'string') ? undefined : { code: -32602, message: 'text only' }
    const report = await judge(`${url}/spec`, await tiny({ refuse }), { only: ['pair-hand-over'] })
    expect(verdicts(report)).toEqual({
      'pair-hand-over@first-to-second': 'fail',
      'pair-hand-over@second-to-first': 'pass',
    })
    const [result] = report.categories.interop
    expect(result).toMatchObject({ expected: expect.stringContaining('-32005'), agent: 'pair', category: 'interop' })
    expect(result?.reproduction?.parley).toMatch(/--second .* --only pair-hand-over$/)
  })

  test('that refuses a content type as the protocol says is right', async () => {
    const refuse = (parts: readonly Record<string, unknown>[]) =>
      parts.every((part) => typeof part.text === 'string') ? undefined : { code: -32005, message: 'text only' }
    const report = await judge(`${url}/spec`, await tiny({ refuse }), { only: ['pair-hand-over'] })
    expect(verdicts(report)['pair-hand-over@first-to-second']).toBe('pass')
  })

  test('whose delegate does not pass the task on', async () => {
    const delegate = { text: 'tell {url}: {text}' }
    const report = await judge(await tiny(), await tiny(), { only: ['pair-delegation'], behaviours: { delegate } })
    expect(verdicts(report)['pair-delegation@first-to-second']).toBe('fail')
    expect(messageOf(report, 'pair-delegation@first-to-second')).toMatch(/was not passed on/)
  })

  test('of which the second cannot be reached: the first is still judged', async () => {
    const only = ['get-task-unknown', 'pair']
    const report = await judge(`${url}/spec`, 'http://127.0.0.1:9', { only })
    expect(report.categories.errorHandling.map(({ verdict }) => verdict)).toContain('pass')
    expect(new Set(Object.values(verdicts(report)))).toEqual(new Set(['not-measured']))
    expect(report.second?.diagnosis?.code).toBe('unreachable')
    expect(report.exitCode).toBe(3)
  })
})

test('a baseline counts for both agents and the pair together', async () => {
  let last = ''
  const words = (text: string) => {
    const before = last
    last = text
    return before
  }
  const baseline = [{ check: 'pair-concurrency', reason: 'one global variable' }]
  const options = { only: ['pair-concurrency'], baseline }
  const known = await judge(await tiny({ words }), await tiny(), options)
  expect(verdicts(known)).toEqual({ 'pair-concurrency': 'known' })
  expect(known.exitCode).toBe(0)
  const repaired = await judge(await tiny(), await tiny(), options)
  expect(repaired).toMatchObject({ exitCode: 11, staleBaseline: ['pair-concurrency'] })
})
