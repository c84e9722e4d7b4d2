// An agent that dies or falls silent during the run: noticed once, with the request after which it happened, instead of
// a failure for everything that came later.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, describe, expect, test } from 'vitest'
import { type CertifyOptions, type ConformanceResult, certify, resultsOf } from '../../src/judge/index.ts'
import { rendered } from '../report/rendered.ts'
import { startTinyAgent } from './tiny-agent.ts'

const AGENT = join(import.meta.dirname, 'mortal-agent.ts')
const DEADLY = '"method":"CancelTask"'
let child: ChildProcess | undefined
afterEach(() => child?.kill('SIGKILL'))

async function judgeMortal(way: string, words: string, options: CertifyOptions = {}) {
  child = spawn(process.execPath, [AGENT, way, words], { stdio: ['ignore', 'pipe', 'inherit'] })
  if (child.stdout === null) throw new Error('no stdout')
  const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  return certify(url, { timeoutMs: 2_000, ...options })
}

describe.each([
  ['exit', 'agent-died', 'no longer accepts connections'],
  ['exit-later', 'agent-died', 'no longer accepts connections'],
  ['hang', 'agent-hangs', 'no longer answers any request'],
])('an agent that ends by %s', (way, code, symptom) => {
  test('is noticed, and the request is named', async () => {
    const report = await judgeMortal(way, DEADLY, { concurrency: 1 })
    expect(report).toMatchObject({ exitCode: 12, complete: false, conformanceLevel: 'not determined' })
    expect(report.diagnosis).toMatchObject({ code, exitCode: 12 })
    expect(report.diagnosis?.message).toContain(symptom)
    expect(report.diagnosis?.message).toMatch(/It happened after CancelTask \([a-z-]+@1\.0\/jsonrpc\) to http:\S+\./)
    expect(report.diagnosis?.curl).toContain(DEADLY)
  })

  test('is not blamed for what was asked later', async () => {
    const healthy = await startTinyAgent()
    const expected = await certify(healthy.url, { timeoutMs: 2_000 })
    await healthy.close()
    // What it does wrong while it lives may be told by another check when the run is cut short.
    const isKnown = ({ status, blockedBy }: ConformanceResult) => status === 'fail' || blockedBy !== undefined
    const fails = new Set(resultsOf(expected).flatMap((result) => (isKnown(result) ? [result.key] : [])))
    const report = await judgeMortal(way, DEADLY)
    const blamed = resultsOf(report).filter(({ key, status }) => status === 'fail' && !fails.has(key))
    expect(blamed).toEqual([])
    expect(report.summary.skipped).toBeGreaterThan(expected.summary.skipped)
  })
})

test.each(['exit', 'hang'])(
  'with many requests under way, the one that made it %s is among those named',
  async (way) => {
    const report = await judgeMortal(way, DEADLY)
    const { curl = '', suspects = [] } = report.diagnosis ?? {}
    expect([curl, ...suspects.map((suspect) => suspect.curl)].join('\n')).toContain(DEADLY)
  },
)

test('the terminal begins with the death and shows its curl', async () => {
  const report = await judgeMortal('exit', DEADLY, { concurrency: 1 })
  const text = rendered('terminal', report)
  expect(text.split('\n')[0]).toContain('level not determined')
  expect(text).toContain('incomplete: the agent stopped answering')
  expect(text.indexOf('stopped answering during the run')).toBeLessThan(text.indexOf('What to fix first'))
  expect(text).toContain('curl -sS -i')
})
