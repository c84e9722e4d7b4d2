// A level is a claim about a whole agent: who looked at less says so, in every form of the report, with one set of
// numbers and words.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type CertifyOptions, type ConformanceReport, certify } from '../../src/judge/index.ts'
import type { ListeningPeer } from '../peers/listen.ts'
import { rendered } from '../report/rendered.ts'
import { startTinyAgent, type TinyAgent } from './tiny-agent.ts'

let agent: ListeningPeer
beforeAll(async () => {
  agent = await startTinyAgent()
})
afterAll(() => agent.close())

async function judge(peer: TinyAgent, options: CertifyOptions = {}): Promise<ConformanceReport> {
  const { url, close } = await startTinyAgent(peer)
  try {
    return await certify(url, { timeoutMs: 2_000, ...options })
  } finally {
    await close()
  }
}

function formsOf(report: ConformanceReport) {
  const terminal = rendered('terminal', report)
  return {
    json: rendered('json', report),
    junit: rendered('junit', report),
    markdown: rendered('markdown', report),
    terminal,
  }
}

const demanding = (card: Record<string, unknown>) => ({
  ...card,
  securitySchemes: { token: { httpAuthSecurityScheme: { scheme: 'bearer' } } },
  securityRequirements: [{ schemes: { token: { list: [] } } }],
})

const refusing: TinyAgent = {
  card: demanding,
  intercept: (request, response) => {
    if (request.method === 'GET') return false
    response.writeHead(401).end()
    return true
  },
}

describe('the level is not determined', () => {
  test.each<[string, CertifyOptions, RegExp]>([
    ['--only', { only: ['get-task-unknown'] }, /^\d+ checks left out by --only or --skip$/],
    ['--skip', { skip: ['send'] }, /^\d+ checks left out by --only or --skip$/],
    ['--side-effects none', { sideEffects: 'none' }, /^\d+ checks not run: --side-effects none$/],
    ['a signal', { signal: AbortSignal.abort() }, /^interrupted$/],
  ])('after %s', async (_, options, reason) => {
    const report = await certify(agent.url, { timeoutMs: 2_000, ...options })
    expect(report.conformanceLevel).toBe('not determined')
    expect(report.levelReasons).toEqual([expect.stringMatching(reason)])
  })

  test('when nobody listens', async () => {
    const report = await certify('http://127.0.0.1:9', { timeoutMs: 2_000 })
    expect(report).toMatchObject({ conformanceLevel: 'not determined', exitCode: 3 })
  })

  test('when the deadline comes first', async () => {
    const report = await judge({ intercept: (_, __, body) => body.includes('"parts"') }, { deadlineMs: 500 })
    expect(report).toMatchObject({ conformanceLevel: 'not determined', complete: false })
    expect(report.levelReasons).toContain('the deadline of the run was reached')
  })

  test('when credentials are demanded, and nothing is held against the agent', async () => {
    const report = await judge(refusing)
    expect(report).toMatchObject({ conformanceLevel: 'not determined', exitCode: 4, summary: { failed: 0 } })
    expect(report.diagnosis?.message).toContain('The card asks for a bearer token (scheme "token").')
    expect(report.diagnosis?.fix).toBe('Give --bearer TOKEN.')
  })

  test('when the credentials given are refused', async () => {
    const report = await judge(refusing, { bearer: 'wrong' })
    expect(report).toMatchObject({ conformanceLevel: 'not determined', exitCode: 4, summary: { failed: 0 } })
    expect(report.diagnosis?.message).toContain('does not accept the credentials given')
  })

  test('when only messages demand credentials', async () => {
    const report = await judge({
      card: demanding,
      intercept: (_, response, body) => {
        if (!body.includes('"parts"')) return false
        response.writeHead(401).end()
        return true
      },
    })
    expect(report).toMatchObject({ conformanceLevel: 'not determined' })
    expect(report.levelReasons).toEqual([expect.stringMatching(/not run: it needs credentials that were not given$/)])
    const blamed = report.findings.filter(({ cause }) => cause.endsWith(': HTTP 401'))
    expect(blamed).toEqual([])
  })

  test('when one of two interfaces demands credentials', async () => {
    const report = await judge({
      card: (card) => {
        const [first] = card.supportedInterfaces as { url: string }[]
        const url = `${first?.url}locked`
        return { ...demanding(card), supportedInterfaces: [first, { ...first, url, protocolBinding: 'HTTP+JSON' }] }
      },
      intercept: (request, response) => {
        if (request.url?.startsWith('/locked') !== true) return false
        response.writeHead(403).end()
        return true
      },
    })
    expect(report.conformanceLevel).toBe('not determined')
    expect(report.levelReasons).toEqual([expect.stringMatching(/\/locked requires credentials and was not tested$/)])
  })
})

test('a broken basic is non-conformant however little was looked at', async () => {
  const report = await judge({ card: (card) => ({ ...card, name: undefined }) }, { only: ['card-required-fields'] })
  expect(report.conformanceLevel).toBe('non-conformant')
})

test('leaving out what does not apply changes nothing', async () => {
  const report = await certify(agent.url, { timeoutMs: 2_000, skip: ['push-delivery'] })
  expect(report.conformanceLevel).toBe('minimal')
})

describe('all forms of the report', () => {
  test.each<[string, CertifyOptions]>([
    ['of a whole run', {}],
    ['of a part', { only: ['get-task'] }],
    ['under --strict', { strict: true, only: ['get-task', 'send'] }],
  ])('%s say the same', async (_, options) => {
    const report = await certify(agent.url, { timeoutMs: 2_000, ...options })
    const { json, junit, markdown, terminal } = formsOf(report)
    const { passed, failed, skipped, total } = report.summary
    expect(passed + failed + skipped).toBe(total)
    const counts = new RegExp(`\\b${passed} passed( \\([^)]*\\))?, ${failed} failed( \\([^)]*\\))?, ${skipped} skipped`)
    for (const text of [terminal, markdown, junit]) expect(text).toMatch(counts)
    expect(junit).toContain(`<property name="level" value="${report.conformanceLevel}"/>`)
    expect(junit).toContain(`<property name="exitCode" value="${report.exitCode}"/>`)
    for (const text of [terminal, markdown, json]) expect(text).toContain(report.conformanceLevel)
    for (const reason of report.levelReasons) for (const text of [terminal, markdown]) expect(text).toContain(reason)
  })

  test('have the score by area, which adds up', async () => {
    const report = await certify(agent.url, { timeoutMs: 2_000 })
    const [score] = report.score
    const [coverage] = report.coverage
    const sum = (of: 'mustKept' | 'mustMeasured') => score?.areas.reduce((so, area) => so + area[of], 0)
    expect(score).toMatchObject({ mustKept: sum('mustKept'), mustMeasured: sum('mustMeasured') })
    expect(score?.mustMeasured).toBe(coverage?.mustMeasured)
    const { junit, markdown, terminal } = formsOf(report)
    expect(junit).toContain(`<property name="score.1.0" value="${score?.mustKept}/${score?.mustMeasured}"/>`)
    for (const { area, mustKept, mustMeasured } of score?.areas ?? []) {
      expect(terminal).toContain(`${area} ${mustKept}/${mustMeasured}`)
      expect(markdown).toContain(`| ${area} | ${mustKept} | ${mustMeasured} |`)
      expect(junit).toContain(`<property name="score.1.0.${area}" value="${mustKept}/${mustMeasured}"/>`)
    }
  })

  test('are not green when the agent could not be judged', async () => {
    const report = await certify('http://127.0.0.1:9', { timeoutMs: 2_000 })
    expect(formsOf(report).junit).toMatch(/<testsuites [^>]*errors="1"[\s\S]*<error type="unreachable"/)
  })
})

test('two agents of one level have different scores', async () => {
  const worse: TinyAgent = { newId: () => 'not unique' }
  const [better, lesser] = [await judge({}), await judge(worse)]
  expect([better.conformanceLevel, lesser.conformanceLevel]).toEqual(['minimal', 'minimal'])
  expect(lesser.score[0]?.mustKept).toBeLessThan(better.score[0]?.mustKept ?? 0)
})
