// The judge tells right from wrong: every check notices a mutant, every mutant is noticed by a check. The whole table
// is `npm run mutants`; here some recorded proofs are repeated, and by `npm run test:judge` all others.

import { describe, expect, test } from 'vitest'
import type { Verdict } from '../../src/judge/index.ts'
import { allMutants } from './all-mutants.ts'
import { BASES } from './bases.ts'
import { checks, describeProofs, proofs, SOME } from './describe-proofs.ts'
import { grpcMutants } from './grpc-mutants.ts'
import { noticing, type Verdicts } from './run-mutants.ts'
import { SEVERAL } from './several-findings.ts'

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

test('who has more than one finding exists, and it is said why', () => {
  const names = new Set(allMutants.map(({ name }) => name))
  const careless = Object.entries(SEVERAL).filter(
    ([name, { most, why }]) => !names.has(name) || most < 2 || why.length < 40,
  )
  expect(careless.map(([name]) => name)).toEqual([])
})

test('a check that also fails the correct agent has noticed nothing', () => {
  const verdicts = (verdict: Verdict): Verdicts => new Map([['a@1.0/rest', { verdict }]])
  expect(noticing(verdicts('fail'), verdicts('pass'))).toEqual(['a'])
  expect(noticing(verdicts('fail'), verdicts('not-measured'))).toEqual(['a'])
  expect(noticing(verdicts('fail'), verdicts('fail'))).toEqual([])
  expect(noticing(verdicts('warn'), verdicts('fail'))).toEqual([])
})

test('the part repeated here leaves no base out', () => {
  expect(new Set(SOME.map(({ of }) => of))).toEqual(new Set(BASES))
})

describeProofs(SOME)
