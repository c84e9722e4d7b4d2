// One fault, one finding: some of the mutants in front of all checks, as an author would run them. `npm run mutants` counts
// the findings of all of them.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { allChecks } from '../../../src/judge/checks/all.ts'
import { allMutants } from '../all-mutants.ts'
import { startBases } from '../bases.ts'
import { judgeWhole } from '../run-mutants.ts'
import { mostFindings } from '../several-findings.ts'
import { someOf } from '../some-of.ts'

/** A guard: those that wait for what never comes take their time. */
const LONGEST_MS = 120_000

const { some: SOME } = someOf(allMutants, 400)

describe('findings', { timeout: LONGEST_MS }, () => {
  const checks = allChecks()
  let bases: Awaited<ReturnType<typeof startBases>>

  beforeAll(async () => {
    bases = await startBases()
  })

  afterAll(() => bases.close())

  test.concurrent.for(SOME)('$name: $story', async (mutant) => {
    const { findings } = await judgeWhole(bases.url, mutant.of, mutant, checks)
    expect(findings.slice(0, mostFindings(mutant.name))).toEqual(findings)
  })
})
