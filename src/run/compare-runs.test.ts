import { describe, expect, test } from 'vitest'
import { SAMPLE_RUNS } from '../../test/report/sample-runs.ts'
import { comparisonText } from '../report/comparison-text.ts'
import { styleFor } from '../report/style.ts'
import { compareRuns } from './compare-runs.ts'
import type { Run, RunResult } from './run.ts'

const base = SAMPLE_RUNS.suites
const good: Partial<RunResult> = { status: 'pass', verdict: 'pass' }
const bad: Partial<RunResult> = { status: 'fail', verdict: 'fail' }
const skipped: Partial<RunResult> = { status: 'skip', verdict: 'not-measured' }

/** The run with these results: name → what is different about it. */
function runWith(results: Readonly<Record<string, Partial<RunResult>>>, footer: Partial<Run['footer']> = {}): Run {
  const [sample] = base.results
  if (sample === undefined) throw new Error('there is a result')
  return {
    ...base,
    results: Object.entries(results).map(([key, members]) => ({ ...sample, key, test: key, ...members })),
    footer: { ...base.footer, ...footer },
  }
}

const names = (changes: readonly { key: string }[]) => changes.map(({ key }) => key)

describe('two runs', () => {
  test('are compared result by result', () => {
    const before = runWith({ a: good, b: bad, c: bad, d: bad, e: good, gone: good, f: skipped })
    const after = runWith({
      a: bad,
      b: good,
      c: bad,
      d: skipped,
      e: { status: 'pass', verdict: 'warn' },
      fresh: good,
      f: skipped,
      born: bad,
    })
    const told = compareRuns(before, after)
    expect(names(told.newFailures)).toEqual(['a', 'born'])
    expect(names(told.repaired)).toEqual(['b'])
    expect(names(told.stillFailing)).toEqual(['c'])
    expect(names(told.unknownNow)).toEqual(['d'])
    expect(names(told.otherChanges)).toEqual(['e'])
    expect(names(told.added)).toEqual(['fresh'])
    expect(names(told.removed)).toEqual(['gone'])
    expect(told.isWorse).toBe(true)
  })

  test('that are the same differ in nothing', () => {
    for (const run of Object.values(SAMPLE_RUNS)) {
      const told = compareRuns(run, run)
      expect(told.isWorse).toBe(false)
      expect(
        [told.newFailures, told.repaired, told.unknownNow, told.otherChanges, told.added, told.removed].flat(),
      ).toEqual([])
      expect(comparisonText(told, { style: styleFor(false), verbose: false })).toContain('Not worse: 0 new failures')
    }
  })

  test('a failure that is only not measured any more is not repaired', () => {
    const told = compareRuns(runWith({ a: bad }), runWith({ a: skipped }))
    expect(names(told.repaired)).toEqual([])
    expect(told.isWorse).toBe(false)
  })

  test.each([
    ['partial', 'minimal', true],
    ['minimal', 'full', false],
    ['full', 'not determined', false],
    ['non-conformant', 'at least minimal', false],
  ] as const)('from %s to %s', (old, now, isWorse) => {
    const told = compareRuns(runWith({}, { conformanceLevel: old }), runWith({}, { conformanceLevel: now }))
    expect(told.subjects[0]?.level).toEqual({ before: old, after: now })
    expect(told.isWorse).toBe(isWorse)
  })

  test('the score is told where it changed', () => {
    const score = (mustKept: number) => [{ version: '1.0' as const, mustKept, mustMeasured: 9, areas: [] }]
    const told = compareRuns(runWith({}, { score: score(7) }), runWith({}, { score: score(9) }))
    expect(comparisonText(told, { style: styleFor(false), verbose: false })).toContain(
      'score   A2A 1.0: 7 of 9 MUST met → 9 of 9 MUST met',
    )
  })
})
