// The words and numbers every format shares, so that they never disagree. The first three counts are the published
// summary; what stands in brackets is how they come about.

import type { Score } from '../judge/runner/result.ts'
import type { RunResult, RunSubject } from '../run/run.ts'

/** "80 passed (17 with a warning), 2 failed, 182 skipped (100 not measured, 82 not applicable)". */
export function countsText(subject: RunSubject, results: readonly RunResult[]): string {
  return countTexts(subject, results).join(', ')
}

/** Passed, failed, and skipped where there are any. */
export function countTexts({ summary, verdicts }: RunSubject, results: readonly RunResult[]): string[] {
  const warned = (status: RunResult['status']) =>
    results.filter((result) => result.verdict === 'warn' && result.status === status).length
  const count = (verdict: keyof typeof verdicts) => verdicts[verdict] ?? 0
  const texts = [
    `${summary.passed} passed${within([[warned('pass'), 'with a warning']])}`,
    `${summary.failed} failed${within([[warned('fail'), 'of them warnings, which count with --strict']])}`,
  ]
  const reasons: [number, string][] = [
    [count('not-measured'), 'not measured'],
    [count('not-applicable'), 'not applicable'],
    [count('skip'), 'left out'],
    [count('spec-conflict'), count('spec-conflict') === 1 ? 'spec conflict' : 'spec conflicts'],
    [count('known'), 'known'],
    [count('harness-error'), count('harness-error') === 1 ? 'error of Parley' : 'errors of Parley'],
  ]
  return summary.skipped === 0 ? texts : [...texts, `${summary.skipped} skipped${within(reasons)}`]
}

/** "Greeter 1.0", or the address, where there is no card to tell a name. */
export function nameOf({ agentName, agentVersion, agentUrl }: RunSubject): string {
  if (agentName === undefined || agentName === '(unknown)') return agentUrl ?? 'parley'
  return agentVersion === undefined ? agentName : `${agentName} ${agentVersion}`
}

/** "is minimal", "is at least minimal", "level not determined"; nothing where no level is asked for. */
export function levelText({ conformanceLevel: level }: RunSubject): string {
  if (level === undefined) return ''
  return level === 'not determined' ? 'level not determined' : `is ${level}`
}

/** Why the level is what it is; a diagnosis is told on its own. */
export function reasonsOf({ levelReasons, diagnosis }: RunSubject): string[] {
  return levelReasons.filter((reason) => reason !== diagnosis?.message)
}

/** "A2A 1.0: 201 of 210 MUST met". */
export function scoreText({ version, mustKept, mustMeasured }: Score): string {
  return `A2A ${version}: ${mustKept} of ${mustMeasured} MUST met`
}

/** Where it was run: "1.0 jsonrpc", "1.0 rest streaming". */
export function placeOf({ version, binding, mode }: RunResult): string {
  return [version, binding, mode].filter((part) => part !== undefined).join(' ')
}

/** A check by its key, which --only takes in part; a test by its id and where it ran. */
export function shortName(result: RunResult): string {
  if (result.category !== undefined) return result.key
  const place = placeOf(result)
  return place === '' ? result.test : `${result.test} (${place})`
}

function within(parts: readonly (readonly [number, string])[]): string {
  const said = parts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`)
  return said.length === 0 ? '' : ` (${said.join(', ')})`
}
