// The words and numbers every form of the report shares, so that terminal, Markdown, JUnit and JSON never disagree.
// The first three counts are the published summary; what stands in brackets is how they come about.

import type { ConformanceReport, Score } from '../judge/runner/result.ts'

/** "80 passed (17 with a warning), 2 failed, 182 skipped (100 not measured, 82 not applicable)". */
export function countsText(report: ConformanceReport): string {
  return [passedText(report), failedText(report), skippedText(report)].join(', ')
}

export function passedText({ summary, ...report }: ConformanceReport): string {
  const warned = warningsIn(report, 'pass')
  return `${summary.passed} passed${within([[warned, 'with a warning']])}`
}

export function failedText({ summary, ...report }: ConformanceReport): string {
  const warned = warningsIn(report, 'fail')
  return `${summary.failed} failed${within([[warned, 'of them warnings, which count with --strict']])}`
}

export function skippedText({ summary, verdicts }: ConformanceReport): string {
  const parts: [number, string][] = [
    [verdicts['not-measured'], 'not measured'],
    [verdicts['not-applicable'], 'not applicable'],
    [verdicts['spec-conflict'], verdicts['spec-conflict'] === 1 ? 'spec conflict' : 'spec conflicts'],
    [verdicts.known, 'known'],
    [verdicts['harness-error'], verdicts['harness-error'] === 1 ? 'error of Parley' : 'errors of Parley'],
  ]
  return `${summary.skipped} skipped${within(parts)}`
}

/** "is minimal", "is at least minimal", "level not determined". */
export function levelText({ conformanceLevel: level }: ConformanceReport): string {
  return level === 'not determined' ? 'level not determined' : `is ${level}`
}

/** Why the level is what it is; a diagnosis is told on its own. */
export function reasonsOf({ levelReasons, diagnosis }: ConformanceReport): string[] {
  return levelReasons.filter((reason) => reason !== diagnosis?.message)
}

/** "A2A 1.0: 201 of 210 MUST kept". */
export function scoreText({ version, mustKept, mustMeasured }: Score): string {
  return `A2A ${version}: ${mustKept} of ${mustMeasured} MUST kept`
}

function warningsIn(report: Pick<ConformanceReport, 'categories'>, status: 'pass' | 'fail'): number {
  const results = Object.values(report.categories).flat()
  return results.filter((result) => result.verdict === 'warn' && result.status === status).length
}

function within(parts: readonly (readonly [number, string])[]): string {
  const said = parts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`)
  return said.length === 0 ? '' : ` (${said.join(', ')})`
}
