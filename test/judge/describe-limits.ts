// A front that limits how often an agent is called, and the suite that judges agents behind one which always lets a caller in who
// comes back.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ConformanceReport, certify, resultsOf } from '../../src/judge/index.ts'
import { type BaseName, judgeOptions, startBases } from '../mutants/bases.ts'
import type { Call, Mutation, Reply } from '../mutants/mutant.ts'
import { startProxy } from '../mutants/mutating-proxy.ts'
import { LONGEST_MS } from './describe-faults.ts'

/** Returns how to judge one of the agents behind another front. */
export function describeComingBack(names: readonly BaseName[]) {
  let bases: Awaited<ReturnType<typeof startBases>>

  beforeAll(async () => {
    bases = await startBases()
  })

  afterAll(() => bases.close())

  describe('an agent that says when to come back', { timeout: LONGEST_MS }, () => {
    test.concurrent.for(names)('is judged as the agent behind it (%s)', async (of) => {
      const report = await judge(of, everyThird(turnedAway(429, '0'), turnedAway(503, '0')))
      expect(report.findings).toEqual([])
      expect(report.diagnosis).toBeUndefined()
      expect(repetitions(report).length).toBeGreaterThan(10)
    })
  })
  return judge

  async function judge(of: BaseName, mutation: Mutation): Promise<ConformanceReport> {
    const proxy = await startProxy(bases.url, mutation)
    try {
      return await certify(`${proxy.url}/${of}`, judgeOptions(of))
    } finally {
      await proxy.close()
    }
  }
}

export function turnedAway(status: number, retryAfter: string | undefined): Reply {
  const headers: Record<string, string> = { 'content-type': 'text/plain' }
  if (retryAfter !== undefined) headers['retry-after'] = retryAfter
  return { status, headers, text: 'Slow down.' }
}

/** Every third request is turned away, whatever it is. */
function everyThird(...answers: Reply[]): Mutation {
  let asked = 0
  return { answer: () => (++asked % 3 === 0 ? answers[(asked / 3) % answers.length] : undefined) }
}

/** So many requests are free, and no more. */
export function after(free: number, reply: Reply, fits: (call: Call) => boolean = () => true): Mutation {
  let asked = 0
  return { answer: (call) => (fits(call) && ++asked > free ? reply : undefined) }
}

export function repetitions(report: ConformanceReport): string[] {
  return resultsOf(report).flatMap(({ notes = [] }) => notes.filter((note) => note.includes('asked to retry later')))
}
