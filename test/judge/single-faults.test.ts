// One fault, one finding: an agent that is wrong in one thing gets one finding, it is about that thing, and whatever
// else is affected says which check it stands on.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { certify, resultsOf } from '../../src/judge/index.ts'
import { judgeOptions, startBases } from '../mutants/bases.ts'
import { startProxy } from '../mutants/mutating-proxy.ts'
import { FAULTS } from './single-faults.ts'

/** A guard: most take a few seconds, those that wait for what never comes a little longer. */
const LONGEST_MS = 120_000
/** Before every answer of a slow agent. */
const SLOW_MS = 60

describe('one fault', { timeout: LONGEST_MS }, () => {
  let bases: Awaited<ReturnType<typeof startBases>>

  beforeAll(async () => {
    bases = await startBases()
  })

  afterAll(() => bases.close())

  test.concurrent.for(FAULTS)('$name ($of): $story', async ({ of, told, ...mutation }) => {
    const proxy = await startProxy(bases.url, mutation)
    try {
      const report = await certify(`${proxy.url}/${of}`, judgeOptions(of))
      const results = resultsOf(report)
      const open = results.filter(({ verdict }) => verdict === 'fail' || verdict === 'warn')
      const others = open.filter(({ test: id }) => !told.includes(id))
      expect(others.map(({ key, message }) => `${key}: ${message}`)).toEqual([])
      expect(report.findings).toHaveLength(1)
      expect(told).toContain(report.findings[0]?.tests[0]?.split('@')[0])
      expect(results.filter(({ verdict }) => verdict === 'harness-error').map(({ key }) => key)).toEqual([])
      const openKeys = new Set(open.map(({ key }) => key))
      const unexplained = results.filter(({ blockedBy }) => blockedBy !== undefined && !openKeys.has(blockedBy))
      expect(unexplained.map(({ key, blockedBy }) => `${key} needs ${blockedBy}`)).toEqual([])
    } finally {
      await proxy.close()
    }
  })

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
