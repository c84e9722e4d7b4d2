// What a run costs the agent: said beforehand, bounded when asked, and little with --quick.

import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { dialectById } from '../../src/dialects/index.ts'
import { allChecks } from '../../src/judge/checks/all.ts'
import { type CheckMeta, OVER_HTTP } from '../../src/judge/checks/check.ts'
import { type CertifyOptions, type ConformanceReport, certify, resultsOf } from '../../src/judge/index.ts'
import { GENERATIONS, registerOf } from '../../src/judge/register.ts'
import { QUICK_TURNS, REPRESENTATIVES } from '../../src/judge/runner/quick.ts'
import { type Serving, startParley } from '../support/parley-process.ts'
import { startTinyAgent } from './tiny-agent.ts'

let server: Serving
beforeAll(async () => {
  server = await startParley(['serve', '--allow-private-webhooks'])
})
afterAll(() => server.stop())

const judge = (mount: string, options: CertifyOptions = {}): Promise<ConformanceReport> =>
  certify(server.url + mount, { timeoutMs: 20_000, ...options })

/** How many messages an agent of its own took, as it counts them. */
async function counted(options: CertifyOptions): Promise<{ taken: number; report: ConformanceReport }> {
  let taken = 0
  const agent = await startTinyAgent({
    words(text) {
      taken++
      return text
    },
  })
  const report = await certify(agent.url, { timeoutMs: 5_000, ...options })
  await agent.close()
  return { taken, report }
}

const file = new URL('../../requirements/turns.yaml', import.meta.url)
const tables = parse(readFileSync(file, 'utf8')) as Record<string, { checks: Record<string, number> }>

/** Agents differ in what they let happen; more than this off, and nobody could plan with it. */
const TOLERANCE = 0.25

describe('the estimate', () => {
  test.concurrent.each<[string, CertifyOptions]>([
    ['/spec', {}],
    ['/spec03', { versions: ['0.3'] }],
    ['/legacy', { versions: ['0.1'] }],
  ])('of a run against %s is about what it takes', { timeout: 60_000 }, async (mount, options) => {
    const { about, used } = (await judge(mount, options)).provenance.turns
    expect(used).toBeGreaterThan(0)
    expect(Math.abs(about - used) / used).toBeLessThan(TOLERANCE)
  })

  test.each(GENERATIONS)('of %s knows every check there is, and no other', (generation) => {
    const { rows } = registerOf(generation)
    const { rules } = dialectById(generation).expects
    const isThere = ({ proves, where }: CheckMeta) => proves.some((id) => rows.has(id)) && where?.(rules) !== false
    const measured = allChecks().filter(
      ({ body, bindings, meta }) =>
        body !== undefined && bindings.some((id) => OVER_HTTP.includes(id)) && isThere(meta),
    )
    const known = Object.keys(tables[generation]?.checks ?? {})
    // `npm run turns` measures those that are missing.
    expect(measured.map(({ id }) => id).filter((id) => !known.includes(id))).toEqual([])
    const all = new Set(allChecks().map(({ id }) => id))
    expect(known.filter((id) => !all.has(id))).toEqual([])
  })

  test('is told before the first message is sent', async () => {
    const events: string[] = []
    const agent = await startTinyAgent({
      words(text) {
        events.push('a turn')
        return text
      },
    })
    await certify(agent.url, { timeoutMs: 5_000, listener: { onPlan: ({ turns }) => events.push(`about ${turns}`) } })
    await agent.close()
    expect(events.slice(0, 2)).toEqual([expect.stringMatching(/^about [1-9]\d*$/), 'a turn'])
  })
})

test('turns are counted as the agent counts them', async () => {
  const { taken, report } = await counted({})
  expect(report.provenance.turns.used).toBe(taken)
})

describe('--max-turns', () => {
  test.each([0, 1, 7])('%i is never exceeded, and what did not fit says so', async (maxTurns) => {
    const { taken, report } = await counted({ maxTurns })
    expect(taken).toBeLessThanOrEqual(maxTurns)
    expect(report.provenance.turns.about).toBeLessThanOrEqual(maxTurns)
    expect(report.conformanceLevel).toBe('not determined')
    const unfit = resultsOf(report).filter(({ notRun }) => notRun === `--max-turns ${maxTurns}`)
    expect(unfit[0]).toMatchObject({ verdict: 'not-measured', message: `it would exceed --max-turns ${maxTurns}` })
  })

  test('spends what there is on the basics first', async () => {
    const { report } = await counted({ maxTurns: 3 })
    const basic = resultsOf(report).find(({ test: id }) => id === 'send-result')
    expect(basic?.verdict).toBe('pass')
  })
})

describe('--quick', () => {
  test('takes at most twelve turns on the interface the card prefers, and claims no more than it may', async () => {
    const report = await judge('/push', { isQuick: true })
    expect(report.provenance.turns.used).toBeLessThanOrEqual(QUICK_TURNS)
    expect(report.interfaces).toHaveLength(1)
    expect(report.conformanceLevel).toBe('at least minimal')
    expect(report.exitCode).toBe(0)
  })

  test('looks at the card, the basics and one check per declared capability', async () => {
    const report = await judge('/push', { isQuick: true })
    const run = resultsOf(report).filter(({ area, verdict }) => area !== 'card' && verdict !== 'not-applicable')
    const basics = allChecks().flatMap(({ id, meta }) => (meta.mandatory === true ? [id] : []))
    const others = run.map(({ test: id }) => id).filter((id) => !basics.includes(id))
    expect(others.toSorted()).toEqual(['extended-card-served', 'push-deliver', 'stream-opens'])
  })

  test('finds broken basics', async () => {
    const agent = await startTinyAgent({ refuse: () => ({ code: -32603, message: 'no' }) })
    const report = await certify(agent.url, { timeoutMs: 5_000, isQuick: true })
    await agent.close()
    expect(report).toMatchObject({ conformanceLevel: 'non-conformant', exitCode: 1 })
  })

  test('has a check for every capability it speaks for', () => {
    const ids = new Set(allChecks().map(({ id }) => id))
    expect(Object.values(REPRESENTATIVES).filter((id) => !ids.has(id))).toEqual([])
  })
})
