// What a person reads at the end of a run: the verdict, what to fix first with the bytes that prove it, what was
// covered, where the report is, and the command that runs only what failed.

import { type ConformanceReport, type ConformanceResult, type FindingGroup, resultsOf } from '../judge/runner/result.ts'
import { safeBlock, safeLine } from './safe-text.ts'
import type { Style } from './style.ts'

export interface TerminalOptions {
  style: Style
  /** Where the reports were written. */
  files: readonly string[]
  verbose: boolean
}

const SHOWN_FINDINGS = 5
const SHOWN_WARNINGS = 3
const SHOWN_KEYS = 6
const MAX_BODY_LINE = 400
const MAX_BRIEF_LINE = 160

export function renderTerminal(report: ConformanceReport, options: TerminalOptions): string {
  const blocks = [verdictBlock(report, options.style)]
  if (report.diagnosis !== undefined) {
    blocks.push(
      `${safeLine(report.diagnosis.message)}\n${options.style.bold('Fix:')} ${safeLine(report.diagnosis.fix)}`,
    )
  }
  const results = resultsOf(report)
  blocks.push(
    findingsBlock(report, results, options),
    unmeasuredBlock(results, options),
    harnessBlock(results, options),
  )
  blocks.push(coverageBlock(report), staleBlock(report), whereNext(report, results, options))
  const { second } = report
  // Nothing to say about a second agent of whom only the pair was judged.
  if (second !== undefined && (second.summary.total > 0 || second.diagnosis !== undefined))
    blocks.push('', renderTerminal(second, { ...options, files: [] }))
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`
}

function verdictBlock(report: ConformanceReport, style: Style): string {
  const { conformanceLevel: level, verdicts } = report
  const paint =
    level === 'full' || (level === 'partial' && verdicts.fail === 0)
      ? style.green
      : level === 'partial'
        ? style.yellow
        : style.red
  const counts = [
    `${verdicts.pass} passed`,
    verdicts.fail > 0 ? style.red(`${verdicts.fail} failed`) : '0 failed',
    verdicts.warn > 0 ? style.yellow(`${verdicts.warn} warnings`) : '',
    verdicts.known > 0 ? `${verdicts.known} known` : '',
    verdicts['spec-conflict'] > 0 ? `${verdicts['spec-conflict']} spec conflicts` : '',
    `${verdicts['not-measured']} not measured`,
    `${verdicts['not-applicable']} not applicable`,
  ].filter((part) => part !== '')
  const name = safeLine(`${report.agentName} ${report.agentVersion}`)
  const lines = [
    `${style.bold(name)} (${safeLine(report.agentUrl)}) is ${style.bold(paint(level))}: ${counts.join(', ')}`,
  ]
  for (const reason of report.levelReasons)
    if (report.diagnosis === undefined) lines.push(style.dim(`  ${safeLine(reason)}`))
  if (!report.complete) lines.push(style.yellow(`  incomplete: ${report.incompleteReason ?? 'the run did not finish'}`))
  return lines.join('\n')
}

function findingsBlock(
  report: ConformanceReport,
  results: readonly ConformanceResult[],
  options: TerminalOptions,
): string {
  const { style } = options
  const byKey = new Map(results.map((result) => [result.key, result]))
  const fails = (group: FindingGroup) => group.tests.some((key) => byKey.get(key)?.status === 'fail')
  const must = report.findings.filter(fails)
  const rest = report.findings.filter((group) => !fails(group))
  const chosen = new Set([...must.slice(0, SHOWN_FINDINGS), ...rest.slice(0, SHOWN_WARNINGS)])
  // In the order of the report: the repair that turns most results green comes first.
  const shown = report.findings.filter((group) => options.verbose || chosen.has(group))
  if (shown.length === 0) return ''
  const lines = [style.bold('What to fix first')]
  for (const [at, group] of shown.entries()) {
    const first = byKey.get(group.tests[0] ?? '')
    const mark = first?.status === 'fail' ? style.red('✗') : style.yellow('!')
    // The first with all its evidence; the rest in brief, so that the verdict stays on the screen.
    const isWhole = at === 0 || options.verbose
    const { blocks } = group
    const blocked = blocks.length === 0 || isWhole ? '' : style.dim(` (${blocks.length} not measured because of it)`)
    if (at < 2 || options.verbose) lines.push('')
    lines.push(`${at + 1}. ${mark} ${safeLine(group.recommendation)}${blocked}`)
    if (first !== undefined && isWhole) lines.push(...evidenceLines(first, style))
    else if (first !== undefined)
      lines.push(`   ${first.key}: ${safeLine(first.message ?? '').slice(0, MAX_BRIEF_LINE)}`)
    const others = group.tests.slice(1)
    if (others.length > 0 && isWhole) lines.push(style.dim(`   also: ${fewOf(others)}`))
    if (blocks.length > 0 && isWhole) lines.push(style.dim(`   not measured because of it: ${fewOf(blocks)}`))
  }
  const hidden = must.length + rest.length - shown.length
  if (hidden > 0) lines.push('', style.dim(`…and ${hidden} more; see the report, or use --verbose.`))
  return lines.join('\n')
}

function fewOf(keys: readonly string[]): string {
  return `${keys.slice(0, SHOWN_KEYS).join(', ')}${keys.length > SHOWN_KEYS ? ` and ${keys.length - SHOWN_KEYS} more` : ''}`
}

function evidenceLines(result: ConformanceResult, style: Style): string[] {
  const lines = [
    style.dim(`   ${result.key} · §${result.sections.join(', §')} · ${safeLine(result.requirement ?? result.title)}`),
  ]
  if (result.message !== undefined) lines.push(`   ${safeLine(result.message)}`)
  if (result.expected !== undefined) lines.push(`   expected  ${safeLine(result.expected)}`)
  if (result.actual !== undefined) lines.push(`   actual    ${safeLine(result.actual)}`)
  if (result.pointer !== undefined && result.pointer !== '') lines.push(`   at        ${safeLine(result.pointer)}`)
  const last = result.transcript?.at(-1)
  if (last?.repeated !== undefined) lines.push(`   sent twice: ${safeLine(last.repeated)}`)
  if (last?.response !== undefined) {
    lines.push(`   bytes     HTTP ${last.response.status} ${safeLine(last.response.body).slice(0, MAX_BODY_LINE)}`)
  } else if (last?.failure !== undefined) {
    lines.push(`   bytes     none: ${safeLine(last.failure)}`)
  }
  const [curl] = result.reproduction?.curl.slice(-1) ?? []
  if (curl !== undefined) lines.push(style.dim(safeBlock(curl).replaceAll(/^/gm, '   ')))
  return lines
}

function unmeasuredBlock(results: readonly ConformanceResult[], { style, verbose }: TerminalOptions): string {
  const needs = new Map<string, number>()
  for (const { verdict, wouldNeed } of results) {
    if (verdict === 'not-measured' && wouldNeed !== undefined) needs.set(wouldNeed, (needs.get(wouldNeed) ?? 0) + 1)
  }
  if (needs.size === 0) return ''
  const sorted = [...needs].sort((a, b) => b[1] - a[1])
  const shown = verbose ? sorted : sorted.slice(0, 4)
  return [
    style.bold('To measure more, give'),
    ...shown.map(([need, count]) => `  ${need} ${style.dim(`(${count} checks)`)}`),
  ].join('\n')
}

function harnessBlock(results: readonly ConformanceResult[], { style }: TerminalOptions): string {
  const errors = results.filter((result) => result.verdict === 'harness-error')
  if (errors.length === 0) return ''
  const lines = errors.slice(0, 3).map((result) => `  ${result.key}: ${safeLine(result.message ?? '').slice(0, 200)}`)
  return [style.red(`${errors.length} checks could not be judged because of a bug in Parley`), ...lines].join('\n')
}

function coverageBlock(report: ConformanceReport): string {
  return report.coverage
    .map(({ version, mustMeasured, mustRows, measured, rows }) => {
      const how = report.interfaces.filter((one) => one.version === version).map(({ binding }) => binding)
      return `Coverage  A2A ${version} over ${how.join(' and ')}: ${mustMeasured} of ${mustRows} MUST, ${measured} of ${rows} requirements measured`
    })
    .join('\n')
}

function staleBlock(report: ConformanceReport): string {
  if (report.staleBaseline === undefined) return ''
  return `The baseline lists checks that do not fail any more; remove them: ${report.staleBaseline.map(safeLine).join(', ')}`
}

function whereNext(
  report: ConformanceReport,
  results: readonly ConformanceResult[],
  { files }: TerminalOptions,
): string {
  const lines = files.map((file) => `Report    ${file}`)
  const failed = [...new Set(results.filter((result) => result.status === 'fail').map((result) => result.test))]
  if (failed.length > 0) {
    const shown = failed.slice(0, 12).map((test) => `--only ${test}`)
    const targets = [report.agentUrl, ...(report.second === undefined ? [] : ['--second', report.second.agentUrl])]
    lines.push(`Re-run    parley test ${safeLine(targets.join(' '))} ${shown.join(' ')}`)
  }
  return lines.join('\n')
}
