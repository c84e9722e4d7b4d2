// The suite that repeats proofs, for the part that `npm test` repeats and for the rest.

import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { allChecks } from '../../src/judge/checks/all.ts'
import type { Verdict } from '../../src/judge/index.ts'
import { allMutants } from './all-mutants.ts'
import { type BaseName, startBases } from './bases.ts'
import type { Mutant } from './mutant.ts'
import { PROOFS, type Proofs } from './proofs.ts'
import { inPool, judge, type Verdicts } from './run-mutants.ts'
import { someOf } from './some-of.ts'
import { prove } from './speakers.ts'

export const checks = allChecks()
export const proofs = JSON.parse(readFileSync(PROOFS, 'utf8')) as Proofs

const proved = allMutants.filter(({ name }) => proofs[name] !== undefined)

export const { some: SOME, others: OTHERS } = someOf(proved, 16)

/** Verdicts that hold nothing against an agent. */
const CONTENT: ReadonlySet<Verdict> = new Set(['pass', 'info', 'spec-conflict', 'not-applicable', 'not-measured'])

/** Some mutants keep the judge waiting: for a retry that never comes, for the end of a stream. */
const LONGEST_MS = 60_000

export function describeProofs(mutants: readonly Mutant[]): void {
  describe('mutants', { timeout: LONGEST_MS }, () => {
    const used = [...new Set(mutants.map(({ of }) => of))]
    let bases: Awaited<ReturnType<typeof startBases>>
    /** A check that fails a correct agent has noticed nothing when it fails a mutant of it. */
    let baselines: ReadonlyMap<BaseName, Verdicts>

    beforeAll(async () => {
      bases = await startBases()
      const judged = await inPool(used, 4, async (base) => [base, await judge(bases.url, base, {}, checks)] as const)
      baselines = new Map(judged)
    }, used.length * LONGEST_MS)

    afterAll(() => bases.close())

    test.for(used)('the correct agent %s is held nothing against', (base) => {
      const told = [...(baselines.get(base) ?? [])].filter(([, { verdict }]) => !CONTENT.has(verdict))
      expect(told.map(([key, { verdict, message }]) => `${verdict} ${key}: ${message}`)).toEqual([])
    })

    test.concurrent.for(mutants)('$name: $story', async (mutant) => {
      const wanted = proofs[mutant.name] ?? []
      const { by, errors } = await prove(bases.url, mutant, wanted, checks, baselines.get(mutant.of) ?? new Map())
      expect(by).toEqual(expect.arrayContaining(wanted))
      expect(errors).toEqual([])
    })
  })
}
