// What changed between two runs, for a person: what is worse first.

import type { ChangedResult, ChangedSubject, ComparedRun, Comparison } from '../run/compare-runs.ts'
import { inert, safeLine } from './safe-text.ts'
import type { Style } from './style.ts'

const SHOWN = 20
const MAX_LINE = 200

export function comparisonText(given: Comparison, { style, verbose }: { style: Style; verbose: boolean }): string {
  const shown = inert(given)
  const limit = verbose ? Number.POSITIVE_INFINITY : SHOWN
  const blocks = [
    [
      `before  ${runLine(shown.before)}`,
      `after   ${runLine(shown.after)}`,
      ...shown.subjects.flatMap(subjectLines),
    ].join('\n'),
    listed(style.red('New failures'), shown.newFailures, style.red('✗'), limit),
    listed('Failed before, not measured or not counted now', shown.unknownNow, style.yellow('?'), limit),
    listed(style.green('Repaired'), shown.repaired, style.green('✓'), limit),
    verbose ? listed('Still failing', shown.stillFailing, '✗', limit) : '',
    listed('Other changes', shown.otherChanges, '~', limit),
    verbose ? listed('Only in the newer run', shown.added, '+', limit) : '',
    listed('Only in the older run', shown.removed, '-', verbose ? limit : 0),
    summaryLine(shown, style),
  ]
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`
}

function runLine({ startedAt, target, summary, complete, parleyVersion }: ComparedRun): string {
  const counts = `${summary.passed} passed, ${summary.failed} failed, ${summary.skipped} skipped`
  const where = target === undefined ? '' : `  ${safeLine(target)}`
  return `${startedAt}${where}  ${counts}${complete ? '' : '  (incomplete)'}  Parley ${parleyVersion}`
}

function subjectLines({ agent, level, scores }: ChangedSubject): string[] {
  const who = agent === undefined ? '' : `  ${safeLine(agent)}`
  const lines = level === undefined ? [] : [`level   ${level.before} → ${level.after}${who}`]
  for (const { version, before, after } of scores) {
    const text = (one: typeof before) =>
      one === undefined ? 'none' : `${one.mustKept} of ${one.mustMeasured} MUST met`
    lines.push(`score   A2A ${version}: ${text(before)} → ${text(after)}${who}`)
  }
  return lines
}

function listed(heading: string, results: readonly ChangedResult[], mark: string, limit: number): string {
  if (results.length === 0) return ''
  const shown = results.slice(0, limit)
  const lines = shown.map((result) => `  ${mark} ${resultLine(result)}`)
  const hidden = results.length - shown.length
  if (hidden > 0) lines.push(`  …and ${hidden} more; --verbose shows them.`)
  return [`${heading} (${results.length})`, ...lines].join('\n')
}

function resultLine({ key, agent, before, after, message }: ChangedResult): string {
  const whose = agent === undefined ? '' : ` (${agent})`
  const change = before === undefined || after === undefined ? '' : `  ${before} → ${after}`
  const why = message === undefined ? '' : `: ${safeLine(message)}`
  return `${safeLine(key)}${whose}${change}${why}`.slice(0, MAX_LINE)
}

function summaryLine({ newFailures, repaired, stillFailing, isWorse }: Comparison, style: Style): string {
  const counts = `${newFailures.length} new failures, ${repaired.length} repaired, ${stillFailing.length} still failing`
  return `${isWorse ? style.red('Worse') : style.green('Not worse')}: ${counts}.`
}
