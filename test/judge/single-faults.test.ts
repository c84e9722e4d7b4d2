// One fault, one finding: an agent that is wrong in one thing gets one finding, it is about that thing, and whatever
// else is affected says which check it stands on. Here some of them; `npm run test:judge` judges the others.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { certify } from '../../src/judge/index.ts'
import { judgeOptions, startBases } from '../mutants/bases.ts'
import { startProxy } from '../mutants/mutating-proxy.ts'
import { describeFaults, LONGEST_MS, SOME } from './describe-faults.ts'
import { FAULTS } from './single-faults.ts'

describeFaults(SOME)

/** Before every answer of a slow agent. */
const SLOW_MS = 60

describe('no fault', { timeout: LONGEST_MS }, () => {
  let bases: Awaited<ReturnType<typeof startBases>>

  beforeAll(async () => {
    bases = await startBases()
  })

  afterAll(() => bases.close())

  test.concurrent.for(['quiet', 'spec03', 'legacy'] as const)('no fault, but slow (%s)', async (of) => {
    const proxy = await startProxy(bases.url, { answer: () => pause(SLOW_MS) })
    try {
      const report = await certify(`${proxy.url}/${of}`, judgeOptions(of))
      expect(report.findings).toEqual([])
      expect(report.diagnosis).toBeUndefined()
    } finally {
      await proxy.close()
    }
  })
})

/** Resolves with nothing, so that the agent answers. */
function pause(ms: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(resolve, ms, undefined))
}

test('there are enough of them, over every binding and generation', () => {
  expect(FAULTS.length).toBeGreaterThanOrEqual(100)
  expect(new Set(FAULTS.map(({ name }) => name)).size).toBe(FAULTS.length)
  expect(new Set(FAULTS.map(({ of }) => of))).toEqual(
    new Set(['spec', 'quiet', 'secured', 'extension', 'push', 'push03', 'spec03', 'legacy']),
  )
})
