// An agent that limits how often it is called does what the text advises (1.0 §13.4): the judge comes back when it is told to,
// and what it is never let in for is not measured. Nothing of it is held against the agent, over any binding.

import { describe, expect, test } from 'vitest'
import { SPEC_CARD } from '../../src/agents/cards.ts'
import { specAgent } from '../../src/agents/spec.ts'
import { type ConformanceReport, certify, resultsOf } from '../../src/judge/index.ts'
import { createServer } from '../../src/server/server.ts'
import { startGrpcMutant } from '../mutants/grpc-proxy.ts'
import { LONGEST_MS } from './describe-faults.ts'
import { after, describeComingBack, repetitions, turnedAway } from './describe-limits.ts'

function unmeasured(report: ConformanceReport, words: string): number {
  return resultsOf(report).filter(({ verdict, message = '' }) => verdict === 'not-measured' && message === words).length
}

const AREAS = ['send', 'get-task', 'grpc', 'subscribe-works']

const LATER = 'the agent is rate limiting (HTTP 429, Retry-After: 3600)'

const judge = describeComingBack(['spec03'])

describe('an agent that limits its callers', { timeout: LONGEST_MS }, () => {
  test('is asked again over gRPC', async () => {
    const server = createServer({ card: SPEC_CARD, agent: specAgent, dialects: ['1.0'], grpc: true })
    const { url } = await server.listen()
    let asked = 0
    const front = await startGrpcMutant(url, server.grpc[0]?.port ?? 0, {
      answer: () =>
        ++asked % 2 === 0
          ? { 'grpc-status': asked % 4 === 0 ? '8' : '14', 'grpc-message': 'slow down', 'retry-after': '0' }
          : undefined,
    })
    const report = await certify(front.url, { timeoutMs: 4_000, transports: ['grpc'], only: [...AREAS] })
    front.close()
    await server.close({ graceMs: 0 })
    expect(report.findings).toEqual([])
    expect(repetitions(report).length).toBeGreaterThan(10)
  })

  test.concurrent.for(['quiet', 'spec03'] as const)('that lets nobody in any more is not judged (%s)', async (of) => {
    const report = await judge(of, after(60, turnedAway(429, '3600')))
    expect(report.findings).toEqual([])
    expect(report).toMatchObject({ conformanceLevel: 'not determined', exitCode: 10, summary: { failed: 0 } })
    expect(report.levelReasons).toEqual([expect.stringMatching(/^\d+ checks not run: the agent is rate limiting$/)])
    expect(unmeasured(report, LATER)).toBeGreaterThan(20)
  })

  test('that says so before anything else is diagnosed', async () => {
    const report = await judge('quiet', after(0, turnedAway(429, '3600')))
    expect(report).toMatchObject({ conformanceLevel: 'not determined', exitCode: 10, summary: { failed: 0 } })
    expect(report.diagnosis).toMatchObject({ code: 'rate-limited', message: expect.stringContaining(LATER) })
  })

  test('that shows its card and nothing else is not judged', async () => {
    const report = await judge(
      'quiet',
      after(0, turnedAway(503, '3600'), ({ isCard }) => !isCard),
    )
    expect(report.findings).toEqual([])
    expect(report).toMatchObject({ conformanceLevel: 'not determined', exitCode: 10 })
  })

  test('that wants to be paid is not judged', async () => {
    const report = await judge(
      'quiet',
      after(0, turnedAway(402, undefined), ({ op }) => op === 'sendMessage'),
    )
    expect(report.findings).toEqual([])
    expect(report).toMatchObject({ conformanceLevel: 'not determined', exitCode: 10 })
    expect(unmeasured(report, 'the agent answers HTTP 402 (payment required) (HTTP 402)')).toBeGreaterThan(20)
  })
})
