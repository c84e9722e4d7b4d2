// What a person reads at the end of a run: the verdict, what to fix first with the bytes that prove it, what was
// covered, where the report is, and the command that runs only what failed.

import { type ConformanceReport, type ConformanceResult, type FindingGroup, resultsOf } from '../judge/runner/result.ts'
import { shellWord } from '../trace/shell-word.ts'
import { safeBlock, safeLine } from './safe-text.ts'
import type { Style } from './style.ts'
import { failedText, levelText, passedText, reasonsOf, scoreText, skippedText } from './wording.ts'

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
/** More are not typed, but read from the report. */
const MOST_NAMED = 6

export function renderTerminal(report: ConformanceReport, options: TerminalOptions): string {
  const { second } = report
  const blocks = agentBlocks(report, options)
  // Nothing to say about a second agent of whom only the pair was judged.
  if (second !== undefined && (second.summary.total > 0 || second.diagnosis !== undefined))
    blocks.push(...agentBlocks(second, options))
  blocks.push(pairBlock(report, options.style), staleBlock(report), whereNext(report, options))
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`
}

function agentBlocks(report: ConformanceReport, options: TerminalOptions): string[] {
  const blocks = [verdictBlock(report, options.style)]
  if (report.diagnosis !== undefined) {
    const { message, fix, curl } = report.diagnosis
    const lines = [safeLine(message), `${options.style.bold('Fix:')} ${safeLine(fix)}`]
    if (curl !== undefined) lines.push(options.style.dim(safeBlock(curl).replaceAll(/^/gm, '   ')))
    blocks.push(lines.join('\n'))
  }
  const results = resultsOf(report)
  const measures = [scoreBlock(report, options.style), coverageBlock(report)].filter((block) => block !== '')
  return [
    ...blocks,
    findingsBlock(report, results, options),
    unmeasuredBlock(results, options),
    harnessBlock(results, options),
    measures.join('\n'),
  ]
}

function verdictBlock(report: ConformanceReport, style: Style): string {
  const level = style.bold(paintOf(report, style)(levelText(report)))
  const failed = report.summary.failed > 0 ? style.red(failedText(report)) : failedText(report)
  const counts = [passedText(report), failed, skippedText(report)].join(', ')
  const url = safeLine(report.agentUrl)
  const name = safeLine(`${report.agentName} ${report.agentVersion}`)
  // Without a card there is no name.
  const who = report.agentName === '(unknown)' ? style.bold(url) : `${style.bold(name)} (${url})`
  const lines = [`${who} ${level}${report.summary.total === 0 ? '' : `: ${counts}`}`]
  const { complete, incompleteReason = 'the run did not finish' } = report
  const reasons = reasonsOf(report).filter((reason) => complete || reason !== incompleteReason)
  for (const reason of reasons) lines.push(style.dim(`  ${safeLine(reason)}`))
  if (!complete) lines.push(style.yellow(`  incomplete: ${incompleteReason}`))
  return lines.join('\n')
}

function paintOf({ conformanceLevel: level, verdicts }: ConformanceReport, style: Style): (text: string) => string {
  if (level === 'non-conformant') return style.red
  if (level === 'full' || (level === 'partial' && verdicts.fail === 0)) return style.green
  return level === 'minimal' ? style.red : style.yellow
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
  const exchange = result.transcript?.at(-1)
  if (exchange?.repeated !== undefined) lines.push(`   sent twice: ${safeLine(exchange.repeated)}`)
  if (exchange?.response !== undefined) {
    const { status, body } = exchange.response
    lines.push(`   bytes     HTTP ${status} ${safeLine(body).slice(0, MAX_BODY_LINE)}`)
  } else if (exchange?.failure !== undefined) {
    lines.push(`   bytes     none: ${safeLine(exchange.failure)}`)
  }
  const { parley, curl = [] } = result.reproduction ?? {}
  if (parley !== undefined) lines.push(style.dim(`   ${safeLine(parley)}`))
  const last = curl.at(-1)
  const earlier = curl.length - 1
  if (earlier > 0)
    lines.push(
      style.dim(`   # after ${earlier} earlier ${earlier === 1 ? 'step' : 'steps'}, which the report has, too:`),
    )
  if (last !== undefined) lines.push(style.dim(safeBlock(last).replaceAll(/^/gm, '   ')))
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

/** Two agents of one level differ here. */
function scoreBlock(report: ConformanceReport, style: Style): string {
  return report.score
    .map((score) => {
      const areas = score.areas.map(({ area, mustKept, mustMeasured }) => {
        const text = `${area} ${mustKept}/${mustMeasured}`
        return mustKept < mustMeasured ? style.red(text) : text
      })
      return `Score     ${scoreText(score)}: ${areas.join(', ')}`
    })
    .join('\n')
}

function coverageBlock(report: ConformanceReport): string {
  return report.coverage
    .filter(({ measured }) => measured > 0)
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

/** What the two agents are to each other, claim by claim. */
function pairBlock({ second, categories }: ConformanceReport, style: Style): string {
  const pair = categories.interop.filter(({ agent }) => agent === 'pair')
  if (second === undefined || pair.length === 0) return ''
  const count = (status: ConformanceResult['status']) => pair.filter((result) => result.status === status).length
  const lines = pair.map((result) => {
    const isWarning = result.status === 'pass' && result.verdict === 'warn'
    const marks = { pass: style.green('✓'), fail: style.red('✗'), skip: style.dim('-') }
    const mark = isWarning ? style.yellow('!') : marks[result.status]
    const why = result.status === 'pass' && !isWarning ? '' : `: ${safeLine(result.message ?? '')}`
    return `  ${mark} ${result.key}${why.slice(0, MAX_BRIEF_LINE)}`
  })
  return [
    `${style.bold('The two together')}: ${count('pass')} passed, ${count('fail')} failed, ${count('skip')} skipped`,
    ...lines,
  ].join('\n')
}

function whereNext(report: ConformanceReport, { files }: TerminalOptions): string {
  const lines = files.map((file) => `Report    ${file}`)
  const results = [report, ...(report.second === undefined ? [] : [report.second])].flatMap(resultsOf)
  const failed = [...new Set(results.filter((result) => result.status === 'fail').map((result) => result.test))]
  if (failed.length > 0) {
    const targets = [report.agentUrl, ...(report.second === undefined ? [] : ['--second', report.second.agentUrl])]
    lines.push(`Re-run    parley test ${safeLine(targets.join(' '))} ${selectionOf(failed, files)}`)
  }
  return lines.join('\n')
}

/** What runs only what failed: all of it, by name or by report. */
function selectionOf(failed: readonly string[], files: readonly string[]): string {
  const json = files.find((file) => file.endsWith('.json'))
  const all = failed.map((test) => `--only ${test}`).join(' ')
  return failed.length > MOST_NAMED && json !== undefined ? `--failed-from ${shellWord(json)}` : all
}
