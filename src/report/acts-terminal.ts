// A run of suites as a person reads it: the counts, each test that did not pass with what proves it, why others were
// left out, where the report is.

import type { SuiteLevel, SuiteReport, SuiteTest, SuiteVerdict } from './acts.ts'
import { safeBlock, safeLine } from './safe-text.ts'
import type { Style } from './style.ts'

export interface SuiteTerminalOptions {
  style: Style
  /** Where the reports were written. */
  files: readonly string[]
  /** The files that were run. */
  suites: readonly string[]
  verbose: boolean
}

const SHOWN = 8
const MAX_BODY = 400

export function renderSuiteTerminal(report: SuiteReport, options: SuiteTerminalOptions): string {
  const { style } = options
  const wrong = report.tests.filter(({ verdict }) => verdict === 'fail')
  const unknown = report.tests.filter(({ verdict }) => verdict === 'not-measured' || verdict === 'harness-error')
  const blocks = [
    headline(report, style),
    ...shown(wrong, options).map((test) => failureBlock(test, style)),
    rest(wrong, options),
    unknown.map((test) => `${style.yellow('?')} ${title(test)}\n  ${safeLine(test.reason ?? '')}`).join('\n'),
    leftOut(report.tests, options),
    options.files.map((file) => `Report    ${file}`).join('\n'),
    rerun(report, wrong, options),
  ]
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`
}

function headline(report: SuiteReport, style: Style): string {
  const name = safeLine(`${report.agentName} ${report.agentVersion}`)
  const { verdicts } = report
  const counts = (Object.keys(NAMES) as SuiteVerdict[])
    .filter((verdict) => verdicts[verdict] > 0 || verdict === 'pass' || verdict === 'fail')
    .map((verdict) => {
      const text = `${verdicts[verdict]} ${NAMES[verdict]}`
      return verdict === 'fail' && verdicts.fail > 0 ? style.red(text) : text
    })
  const lines = [`${style.bold(name)} (${safeLine(report.target)}): ${counts.join(', ')}`]
  for (const level of ['must', 'should', 'may'] as const) {
    const line = levelLine(report.tests, level)
    if (line !== '') lines.push(style.dim(`  ${line}`))
  }
  if (!report.complete) lines.push(style.yellow('  incomplete: the run was stopped before its end'))
  return lines.join('\n')
}

const NAMES: Readonly<Record<SuiteVerdict, string>> = {
  pass: 'passed',
  fail: 'failed',
  'not-measured': 'not measured',
  'harness-error': 'not judged because of a bug in Parley',
  skip: 'skipped',
  'not-applicable': 'not applicable',
}

/** `MUST: 45 of 47 passed`, of those that were run. */
function levelLine(tests: readonly SuiteTest[], level: SuiteLevel): string {
  const run = tests.filter(
    ({ level: own, verdict }) => own === level && verdict !== 'skip' && verdict !== 'not-applicable',
  )
  const passed = run.filter(({ verdict }) => verdict === 'pass').length
  return run.length === 0 ? '' : `${level.toUpperCase()}: ${passed} of ${run.length} passed`
}

function failureBlock(test: SuiteTest, style: Style): string {
  const { failure, transcript = [], curl = [] } = test
  const step = failure?.stepId === undefined ? '' : `step ${failure.stepId}: `
  const lines = [`${style.red('✗')} ${title(test)}`, style.dim(`  ${test.source}`)]
  lines.push(`  ${safeLine(`${step}${failure?.message ?? ''}`)}`)
  if (failure?.expected !== undefined) lines.push(`  expected  ${safeLine(failure.expected)}`)
  if (failure?.actual !== undefined) lines.push(`  actual    ${safeLine(failure.actual)}`)
  const last = transcript.at(-1)
  if (last?.response !== undefined) {
    lines.push(`  bytes     HTTP ${last.response.status} ${safeLine(last.response.body).slice(0, MAX_BODY)}`)
  } else if (last?.failure !== undefined) lines.push(`  bytes     none: ${safeLine(last.failure)}`)
  const command = curl.at(-1)
  if (command !== undefined) lines.push(style.dim(safeBlock(command).replaceAll(/^/gm, '  ')))
  return lines.join('\n')
}

function title(test: SuiteTest): string {
  return safeLine(`${test.id} [${test.level}, ${test.specVersion} ${test.transport}] ${test.name}`)
}

function shown(tests: readonly SuiteTest[], { verbose }: SuiteTerminalOptions): readonly SuiteTest[] {
  return verbose ? tests : tests.slice(0, SHOWN)
}

function rest(tests: readonly SuiteTest[], options: SuiteTerminalOptions): string {
  const hidden = tests.length - shown(tests, options).length
  return hidden === 0 ? '' : options.style.dim(`…and ${hidden} more; use --verbose, or --format acts:FILE.`)
}

function leftOut(tests: readonly SuiteTest[], { style, verbose }: SuiteTerminalOptions): string {
  const reasons = new Map<string, number>()
  for (const { verdict, reason = '' } of tests) {
    if (verdict === 'skip' || (verdict === 'not-applicable' && verbose)) {
      reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
    }
  }
  return [...reasons].map(([reason, times]) => `${safeLine(reason)} ${style.dim(`(${times} tests)`)}`).join('\n')
}

function rerun(report: SuiteReport, wrong: readonly SuiteTest[], { suites }: SuiteTerminalOptions): string {
  const ids = [...new Set(wrong.map(({ id }) => id))].slice(0, SHOWN)
  if (ids.length === 0) return ''
  const words = [...suites.map((file) => `--suite ${file}`), ...ids.map((id) => `--only ${id}`)]
  return `Re-run    parley test ${safeLine(`${report.target} ${words.join(' ')}`)}`
}
