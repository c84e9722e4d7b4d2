// The suite of unusual agents that are right, for the part that `npm test` judges and for the rest.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { allChecks } from '../../src/judge/checks/all.ts'
import type { Verdict } from '../../src/judge/index.ts'
import { startBases } from '../mutants/bases.ts'
import { judge } from '../mutants/run-mutants.ts'
import { someOf } from '../mutants/some-of.ts'
import { ALLOWED } from './allowed-variations.ts'
import { CARD_VARIATIONS } from './card-variations.ts'
import { CONTENT_VARIATIONS } from './content-variations.ts'
import { HABIT_VARIATIONS } from './habit-variations.ts'
import { VARIATIONS } from './legal-variations.ts'
import { PACE_VARIATIONS } from './pace-variations.ts'
import type { Variation } from './variation.ts'
import { WIRE_VARIATIONS } from './wire-variations.ts'

const LONGEST_MS = 120_000

const ALL = [
  ...VARIATIONS,
  ...ALLOWED,
  ...WIRE_VARIATIONS,
  ...CONTENT_VARIATIONS,
  ...CARD_VARIATIONS,
  ...PACE_VARIATIONS,
  ...HABIT_VARIATIONS,
]

export const { some: SOME, others: OTHERS } = someOf(ALL, 6)

export function describeVariations(variations: readonly Variation[]): void {
  describe('legal variations', { timeout: LONGEST_MS }, () => {
    let bases: Awaited<ReturnType<typeof startBases>>

    beforeAll(async () => {
      bases = await startBases()
    })

    afterAll(() => bases.close())

    test.concurrent.for(variations)('$name: $story', async (variation: Variation) => {
      const { of, areas, more = [], told = [], may = [] } = variation
      const checks = allChecks().filter(({ area, id }) => areas.includes(area) || areas.includes(id))
      const verdicts = await judge(bases.url, of, variation, [...checks, ...more])
      const failed = [...verdicts]
        .filter(([, { verdict }]) => isAlarm(verdict))
        .map(([key, { verdict, message }]) => ({
          id: key.split('@')[0] ?? key,
          verdict,
          message,
        }))
      expect(failed.filter(({ id }) => !told.includes(id) && !may.includes(id))).toEqual([])
      const ids = failed.map(({ id }) => id)
      expect(told.filter((id) => !ids.includes(id))).toEqual([])
    })
  })
}

function isAlarm(verdict: Verdict): boolean {
  return verdict === 'fail' || verdict === 'warn' || verdict === 'harness-error'
}
