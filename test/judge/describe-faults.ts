// The suite of agents with one fault each, for the part that `npm test` judges and for the rest.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { certify, resultsOf } from '../../src/judge/index.ts'
import { judgeOptions, startBases } from '../mutants/bases.ts'
import { startProxy } from '../mutants/mutating-proxy.ts'
import { someOf } from '../mutants/some-of.ts'
import type { Fault } from './fault-kinds.ts'
import { FAULTS } from './single-faults.ts'

/** A guard: most take a few seconds, those that wait for what never comes a little longer. */
export const LONGEST_MS = 120_000

export const { some: SOME, others: OTHERS } = someOf(FAULTS, 17)

export function describeFaults(faults: readonly Fault[]): void {
  describe('one fault', { timeout: LONGEST_MS }, () => {
    let bases: Awaited<ReturnType<typeof startBases>>

    beforeAll(async () => {
      bases = await startBases()
    })

    afterAll(() => bases.close())

    test.concurrent.for(faults)('$name ($of): $story', async ({ of, told, ...mutation }) => {
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
  })
}
