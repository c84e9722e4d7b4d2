// The judge tells right from wrong: every check notices a mutant, every mutant is noticed by a check. The whole table
// is `npm run mutants`; here each recorded proof is repeated.

import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { allChecks } from '../../src/judge/checks/all.ts'
import { allMutants } from './all-mutants.ts'
import { startBases } from './bases.ts'
import { PROOFS, type Proofs } from './proofs.ts'
import { prove } from './speakers.ts'

const checks = allChecks()
const proofs = JSON.parse(readFileSync(PROOFS, 'utf8')) as Proofs

describe('proofs', () => {
  // Both fail after a new check or a new mutant: `npm run mutants -- --record` looks for the missing proofs.
  test('every check is proved on a mutant', () => {
    const proved = new Set(Object.values(proofs).flat())
    expect(checks.map(({ id }) => id).filter((id) => !proved.has(id))).toEqual([])
  })

  test('every mutant is noticed by a check', () => {
    expect(allMutants.map(({ name }) => name).filter((name) => proofs[name] === undefined)).toEqual([])
  })
})

/** Some mutants keep the judge waiting: for a retry that never comes, for the end of a stream. */
const LONGEST_MS = 60_000

describe('mutants', { timeout: LONGEST_MS }, () => {
  let bases: Awaited<ReturnType<typeof startBases>>

  beforeAll(async () => {
    bases = await startBases()
  })

  afterAll(() => bases.close())

  test.concurrent.for(allMutants.filter(({ name }) => proofs[name] !== undefined))('$name: $story', async (mutant) => {
    const wanted = proofs[mutant.name] ?? []
    const { by, errors } = await prove(bases.url, mutant, wanted, checks)
    expect(by).toEqual(expect.arrayContaining(wanted))
    expect(errors).toEqual([])
  })
})
