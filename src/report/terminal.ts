// What a person reads: while cases are played, each of them; at the end of any run the verdict, what to fix first with the
// bytes that prove it, what was covered, where the report is, and the command that runs only what failed.

import type { FindingGroup } from '../judge/runner/result.ts'
import { type Run, type RunResult, type RunSubject, subjectsOf } from '../run/run.ts'
import { diffText } from './diff-text.ts'
import type { ReportContext, Reporter, ReportFormat } from './reporter.ts'
import { rerunCommand } from './rerun.ts'
import { inert, safeBlock, safeLine } from './safe-text.ts'
import type { Style } from './style.ts'
import { evidenceLines, failureBlock } from './terminal-evidence.ts'
import { countTexts, levelText, nameOf, placeOf, reasonsOf, scoreText } from './wording.ts'

const SHOWN_FINDINGS = 5
const SHOWN_WARNINGS = 3
const SHOWN_FAILURES = 8
const SHOWN_KEYS = 6
const MAX_BRIEF_LINE = 160

export const terminal: ReportFormat = {
  name: 'terminal',
  summary: 'text for a person, as it is printed',
  open(context): Reporter {
    let isLive = false
    return {
      begin({ kind }) {
        isLive = kind === 'cases'
      },
      result(result) {
        if (isLive && (!context.quiet || result.status === 'fail')) context.append(caseLines(inert(result)))
      },
      end(given) {
        const run = inert(given)
        return run.header.kind === 'cases' ? casesSummary(run) : wholeText(run, context)
      },
    }
  },
}

function caseLines(result: RunResult): string {
  const name = `${safeLine(result.test)} [${placeOf(result)}]`
  if (result.status === 'skip') return `skip ${name}: ${safeLine(result.reason ?? '')}\n`
  if (result.status === 'pass') return `ok   ${name} (${result.duration_ms ?? 0} ms)\n`
  const { problems = [], differences = [], group } = result
  const lines = problems.map(({ line, message }) => `     ${group}:${line}: ${safeLine(message)}\n`)
  const diffs = differences.map((difference) => `\n${diffText(difference, '     ')}\n`)
  return `FAIL ${name}\n${lines.join('')}${diffs.join('')}\n`
}

function casesSummary({ footer, results }: Run): string {
  return `${countTexts(footer, results).join(', ')}, in ${(footer.durationMs / 1000).toFixed(1)} s.\n`
}

function wholeText(run: Run, context: ReportContext): string {
  const blocks = subjectsOf(run)
    // Nothing to say about a second agent of whom only the pair was judged.
    .filter(({ subject }) => subject === run.footer || subject.summary.total > 0 || subject.diagnosis !== undefined)
    .flatMap(({ subject, results }) => subjectBlocks(subject, results, context))
  blocks.push(pairBlock(run, context.style), staleBlock(run.footer), whereNext(run, context))
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`
}

function subjectBlocks(subject: RunSubject, results: readonly RunResult[], context: ReportContext): string[] {
  const blocks = [verdictBlock(subject, results, context.style)]
  if (subject.diagnosis !== undefined) {
    const { message, fix, curl } = subject.diagnosis
    const lines = [safeLine(message), `${context.style.bold('Fix:')} ${safeLine(fix)}`]
    if (curl !== undefined) lines.push(context.style.dim(safeBlock(curl).replaceAll(/^/gm, '   ')))
    blocks.push(lines.join('\n'))
  }
  if (subject.conformanceLevel === undefined) return [...blocks, ...testBlocks(results, context)]
  const measures = [scoreBlock(subject, context.style), coverageBlock(subject)].filter((block) => block !== '')
  return [
    ...blocks,
    findingsBlock(subject, results, context),
    unmeasuredBlock(results, context),
    harnessBlock(results, context),
    measures.join('\n'),
  ]
}

function verdictBlock(subject: RunSubject, results: readonly RunResult[], style: Style): string {
  const [passed = '', failed = '', ...skipped] = countTexts(subject, results)
  const counts = [passed, subject.summary.failed > 0 ? style.red(failed) : failed, ...skipped].join(', ')
  const level = levelText(subject)
  const name = safeLine(nameOf(subject))
  const url = safeLine(subject.agentUrl ?? '')
  const who = name === url || url === '' ? style.bold(name) : `${style.bold(name)} (${url})`
  const verdict = level === '' ? who : `${who} ${style.bold(paintOf(subject, style)(level))}`
  const lines = [subject.summary.total === 0 ? verdict : `${verdict}: ${counts}`]
  const { complete, incompleteReason = 'the run did not finish' } = subject
  const reasons = reasonsOf(subject).filter((reason) => complete || reason !== incompleteReason)
  for (const reason of reasons) lines.push(style.dim(`  ${safeLine(reason)}`))
  if (level === '') lines.push(...levelLines(results).map((line) => style.dim(`  ${line}`)))
  if (!complete) lines.push(style.yellow(`  incomplete: ${incompleteReason}`))
  return lines.join('\n')
}

/** `MUST: 45 of 47 passed`, of those that were run. */
function levelLines(results: readonly RunResult[]): string[] {
  return (['MUST', 'SHOULD', 'MAY'] as const).flatMap((level) => {
    const run = results.filter(
      ({ level: own, verdict }) => own === level && verdict !== 'skip' && verdict !== 'not-applicable',
    )
    const passed = run.filter(({ verdict }) => verdict === 'pass').length
    return run.length === 0 ? [] : [`${level}: ${passed} of ${run.length} passed`]
  })
}

function paintOf({ conformanceLevel: level, verdicts }: RunSubject, style: Style): (text: string) => string {
  if (level === 'non-conformant') return style.red
  if (level === 'full' || (level === 'partial' && (verdicts.fail ?? 0) === 0)) return style.green
  return level === 'minimal' ? style.red : style.yellow
}

/** Tests of suites and pairs of a matrix have no causes to rank by: each that did not pass, and why others were left out. */
function testBlocks(results: readonly RunResult[], { style, verbose }: ReportContext): string[] {
  const failed = results.filter(({ verdict }) => verdict === 'fail')
  const shown = verbose ? failed : failed.slice(0, SHOWN_FAILURES)
  const hidden = failed.length - shown.length
  const unknown = results.filter(({ verdict }) => verdict === 'not-measured' || verdict === 'harness-error')
  const leftOut = Map.groupBy(
    results.filter(({ verdict }) => verdict === 'skip' || (verdict === 'not-applicable' && verbose)),
    ({ reason = '' }) => reason,
  )
  return [
    ...shown.map((result) => failureBlock(result, style)),
    hidden === 0 ? '' : style.dim(`…and ${hidden} more; use --verbose, or --format json:FILE.`),
    unknown
      .map(
        ({ test, title, message = '' }) =>
          `${style.yellow('?')} ${safeLine(`${test} ${title}`)}\n  ${safeLine(message)}`,
      )
      .join('\n'),
    Array.from(leftOut, ([reason, tests]) => `${safeLine(reason)} ${style.dim(`(${tests.length} tests)`)}`).join('\n'),
  ]
}

function findingsBlock(subject: RunSubject, results: readonly RunResult[], context: ReportContext): string {
  const { style, verbose } = context
  const byKey = new Map(results.map((result) => [result.key, result]))
  const fails = (group: FindingGroup) => group.tests.some((key) => byKey.get(key)?.status === 'fail')
  const must = subject.findings.filter(fails)
  const rest = subject.findings.filter((group) => !fails(group))
  const chosen = new Set([...must.slice(0, SHOWN_FINDINGS), ...rest.slice(0, SHOWN_WARNINGS)])
  // In the order of the report: the repair that turns most results green comes first.
  const shown = subject.findings.filter((group) => verbose || chosen.has(group))
  if (shown.length === 0) return ''
  const lines = [style.bold('What to fix first')]
  for (const [at, group] of shown.entries()) {
    const first = byKey.get(group.tests[0] ?? '')
    // The first with all its evidence; the rest in brief, so that the verdict stays on the screen.
    const isWhole = at === 0 || verbose
    if (at < 2 || verbose) lines.push('')
    lines.push(`${at + 1}. ${findingLine(group, first, isWhole, style)}`)
    if (first !== undefined && isWhole) lines.push(...evidenceLines(first, style))
    else if (first !== undefined)
      lines.push(`   ${first.key}: ${safeLine(first.message ?? '').slice(0, MAX_BRIEF_LINE)}`)
    const others = group.tests.slice(1)
    if (others.length > 0 && isWhole) lines.push(style.dim(`   also: ${fewOf(others)}`))
    if (group.blocks.length > 0 && isWhole)
      lines.push(style.dim(`   not measured because of it: ${fewOf(group.blocks)}`))
  }
  const hidden = must.length + rest.length - shown.length
  if (hidden > 0) lines.push('', style.dim(`…and ${hidden} more; see the report, or use --verbose.`))
  return lines.join('\n')
}

function findingLine(group: FindingGroup, first: RunResult | undefined, isWhole: boolean, style: Style): string {
  const { blocks, recommendation } = group
  const mark = first?.status === 'fail' ? style.red('✗') : style.yellow('!')
  const blocked = blocks.length === 0 || isWhole ? '' : style.dim(` (${blocks.length} not measured because of it)`)
  return `${mark} ${safeLine(recommendation)}${blocked}`
}

function fewOf(keys: readonly string[]): string {
  return `${keys.slice(0, SHOWN_KEYS).join(', ')}${keys.length > SHOWN_KEYS ? ` and ${keys.length - SHOWN_KEYS} more` : ''}`
}

function unmeasuredBlock(results: readonly RunResult[], { style, verbose }: ReportContext): string {
  const needs = new Map<string, number>()
  for (const { verdict, wouldNeed } of results) {
    if (verdict === 'not-measured' && wouldNeed !== undefined) needs.set(wouldNeed, (needs.get(wouldNeed) ?? 0) + 1)
  }
  if (needs.size === 0) return ''
  const sorted = [...needs].sort((a, b) => b[1] - a[1])
  const shown = verbose ? sorted : sorted.slice(0, 4)
  return [
    style.bold('To measure more, give'),
    ...shown.map(([need, count]) => `  ${need} ${style.dim(`(${count} ${count === 1 ? 'check' : 'checks'})`)}`),
  ].join('\n')
}

function harnessBlock(results: readonly RunResult[], { style }: ReportContext): string {
  const errors = results.filter((result) => result.verdict === 'harness-error')
  if (errors.length === 0) return ''
  const lines = errors.slice(0, 3).map((result) => `  ${result.key}: ${safeLine(result.message ?? '').slice(0, 200)}`)
  return [style.red(`${errors.length} checks could not be run because of a bug in Parley`), ...lines].join('\n')
}

/** Two agents of one level differ here. */
function scoreBlock({ score }: RunSubject, style: Style): string {
  return score
    .map((one) => {
      const areas = one.areas.map(({ area, mustKept, mustMeasured }) => {
        const text = `${area} ${mustKept}/${mustMeasured}`
        return mustKept < mustMeasured ? style.red(text) : text
      })
      return `Score     ${scoreText(one)}: ${areas.join(', ')}`
    })
    .join('\n')
}

function coverageBlock({ coverage, interfaces }: RunSubject): string {
  return coverage
    .filter(({ measured }) => measured > 0)
    .map(({ version, mustMeasured, mustRows, measured, rows }) => {
      const how = interfaces.filter((one) => one.version === version).map(({ binding }) => binding)
      return `Coverage  A2A ${version} over ${how.join(' and ')}: ${mustMeasured} of ${mustRows} MUST, ${measured} of ${rows} requirements measured`
    })
    .join('\n')
}

function staleBlock({ staleBaseline }: RunSubject): string {
  if (staleBaseline === undefined) return ''
  return `The baseline lists checks that no longer fail; remove them: ${staleBaseline.map(safeLine).join(', ')}`
}

/** What the two agents are to each other, claim by claim. */
function pairBlock({ results, footer }: Run, style: Style): string {
  const pair = results.filter(({ agent }) => agent === 'pair')
  if (footer.second === undefined || pair.length === 0) return ''
  const count = (status: RunResult['status']) => pair.filter((result) => result.status === status).length
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

function whereNext(run: Run, context: ReportContext): string {
  const next = rerunCommand(run, context)
  const lines = context.files.map((file) => `Report    ${file}`)
  return [...lines, ...(next === undefined ? [] : [`Re-run    ${next}`])].join('\n')
}
