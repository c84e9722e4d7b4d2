// The judge tells right from wrong: every check notices a mutant, every mutant is noticed by a check. The whole table
// is `npm run mutants`; here each recorded proof is repeated.

import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { allChecks } from '../../src/judge/checks/all.ts'
import type { Verdict } from '../../src/judge/index.ts'
import { allMutants } from './all-mutants.ts'
import { BASES, type BaseName, startBases } from './bases.ts'
import { grpcMutants } from './grpc-mutants.ts'
import { PROOFS, type Proofs } from './proofs.ts'
import { inPool, judge, noticing, type Verdicts } from './run-mutants.ts'
import { prove } from './speakers.ts'

const checks = allChecks()
const proofs = JSON.parse(readFileSync(PROOFS, 'utf8')) as Proofs

describe('proofs', () => {
  // Both fail after a new check or a new mutant: `npm run mutants -- --record` looks for the missing proofs.
  test('every check is proved on a mutant', () => {
    const proved = new Set([...Object.values(proofs).flat(), ...grpcMutants.flatMap(({ noticedBy }) => noticedBy)])
    expect(checks.map(({ id }) => id).filter((id) => !proved.has(id))).toEqual([])
  })

  test('every mutant is noticed by a check', () => {
    expect(allMutants.map(({ name }) => name).filter((name) => proofs[name] === undefined)).toEqual([])
  })
})

test('a check that also fails the correct agent has noticed nothing', () => {
  const verdicts = (verdict: Verdict): Verdicts => new Map([['a@1.0/rest', { verdict }]])
  expect(noticing(verdicts('fail'), verdicts('pass'))).toEqual(['a'])
  expect(noticing(verdicts('fail'), verdicts('not-measured'))).toEqual(['a'])
  expect(noticing(verdicts('fail'), verdicts('fail'))).toEqual([])
  expect(noticing(verdicts('warn'), verdicts('fail'))).toEqual([])
})

/** Verdicts that hold nothing against an agent. */
const CONTENT: ReadonlySet<Verdict> = new Set(['pass', 'info', 'spec-conflict', 'not-applicable', 'not-measured'])

/** Some mutants keep the judge waiting: for a retry that never comes, for the end of a stream. */
const LONGEST_MS = 60_000

describe('mutants', { timeout: LONGEST_MS }, () => {
  let bases: Awaited<ReturnType<typeof startBases>>
  /** A check that fails a correct agent has noticed nothing when it fails a mutant of it. */
  let baselines: ReadonlyMap<BaseName, Verdicts>

  beforeAll(async () => {
    bases = await startBases()
    const judged = await inPool(BASES, 4, async (base) => [base, await judge(bases.url, base, {}, checks)] as const)
    baselines = new Map(judged)
  }, BASES.length * LONGEST_MS)

  afterAll(() => bases.close())

  test.for(BASES)('the correct agent %s is held nothing against', (base) => {
    const told = [...(baselines.get(base) ?? [])].filter(([, { verdict }]) => !CONTENT.has(verdict))
    expect(told.map(([key, { verdict, message }]) => `${verdict} ${key}: ${message}`)).toEqual([])
  })

  test.concurrent.for(allMutants.filter(({ name }) => proofs[name] !== undefined))('$name: $story', async (mutant) => {
    const wanted = proofs[mutant.name] ?? []
    const { by, errors } = await prove(bases.url, mutant, wanted, checks, baselines.get(mutant.of) ?? new Map())
    expect(by).toEqual(expect.arrayContaining(wanted))
    expect(errors).toEqual([])
  })
})
