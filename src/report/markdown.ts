// Markdown fit for a pull-request comment and for $GITHUB_STEP_SUMMARY: verdict first, then what to fix by cause, then all
// the rest folded away.

import type { FindingGroup } from '../judge/runner/result.ts'
import { type Run, type RunKind, type RunResult, type RunSubject, subjectsOf } from '../run/run.ts'
import { transcriptText } from '../trace/transcript.ts'
import { diffText } from './diff-text.ts'
import { fenced, folded, html, markdownCell } from './markdown-text.ts'
import { matrixGrid } from './matrix-grid.ts'
import { documentFormat } from './reporter.ts'
import { safeBlock } from './safe-text.ts'
import { countsText, levelText, nameOf, reasonsOf, scoreText, shortName } from './wording.ts'

const MAX_DETAILS = 20
const MAX_ROWS = 10

/** Once more over the whole: what came from a peer by an unforeseen way is inert, too. */
export const markdown = documentFormat('markdown', 'Markdown for a pull request or a step summary', (run) =>
  safeBlock(`${sectionsOf(run).join('\n\n')}\n`),
)

function sectionsOf(run: Run): string[] {
  const { parleyVersion, specRevision, kind } = run.header
  const judgedBy = specRevision === undefined ? '' : `, judged by A2A ${specRevision}`
  return subjectsOf(run).map(({ subject, results }) => {
    const failed = results.filter(({ status }) => status === 'fail')
    const blocks = [
      headline(kind, subject, failed),
      summaryOf(subject, results),
      kind === 'matrix' ? matrixGrid(results).join('\n') : '',
      ...diagnosisOf(subject),
      ...failuresOf(subject, failed),
      ...unmeasuredOf(kind, results),
      ...warningsOf(results),
      scoreOf(subject),
      coverageOf(subject),
      everything(results),
      `<sub>Parley ${parleyVersion}${judgedBy}, ${subject.startedAt}, ${(subject.durationMs / 1000).toFixed(1)} s</sub>`,
    ]
    return blocks.filter((block) => block !== '').join('\n\n')
  })
}

function headline(kind: RunKind, subject: RunSubject, failed: readonly RunResult[]): string {
  if (subject.conformanceLevel !== undefined)
    return `## A2A conformance: ${markdownCell(subject.agentName ?? nameOf(subject))} **${levelText(subject)}**`
  const what = kind === 'suites' ? `A2A suites: ${markdownCell(nameOf(subject))}` : `A2A ${kind}:`
  const { total } = subject.summary
  return `## ${what} ${failed.length === 0 ? 'failed no test' : `failed ${failed.length} of ${total} tests`}`
}

function summaryOf(subject: RunSubject, results: readonly RunResult[]): string {
  const where = subject.agentUrl === undefined ? '' : ` · \`${markdownCell(subject.agentUrl)}\``
  const { complete, incompleteReason = 'the run did not finish' } = subject
  return [
    `${countsText(subject, results)}${where}`,
    ...reasonsOf(subject).map((reason) => markdownCell(reason)),
    ...(complete ? [] : [`**Incomplete:** ${markdownCell(incompleteReason)}`]),
  ].join('  \n')
}

function diagnosisOf({ diagnosis }: RunSubject): string[] {
  if (diagnosis === undefined) return []
  const { message, fix, curl, suspects = [] } = diagnosis
  const blocks = [`> **${markdownCell(message)}**\n>\n> ${markdownCell(fix)}`]
  if (curl !== undefined) blocks.push(fenced(curl, 'sh'))
  return [...blocks, ...suspects.map((suspect) => folded(html(suspect.request), fenced(suspect.curl, 'sh')))]
}

/** What failed, by cause: each repair with the results it turns green, and the evidence of one of them. */
function failuresOf({ findings }: RunSubject, failed: readonly RunResult[]): string[] {
  if (failed.length === 0) return []
  const byKey = new Map(failed.map((result) => [result.key, result]))
  const groups = findings.flatMap((finding) => {
    const members = finding.tests.flatMap((key) => byKey.get(key) ?? [])
    return members.length === 0 ? [] : [{ finding, members }]
  })
  const grouped = new Set(groups.flatMap(({ members }) => members))
  const others = failed.filter((result) => !grouped.has(result))
  const blocks = ['### Failed Tests']
  // One cause needs no heading of its own.
  const hasHeadings = groups.length > 1 || others.length > 0
  for (const [at, { finding, members }] of groups.entries()) {
    if (hasHeadings) blocks.push(`#### ${at + 1}. ${causeOf(finding)}`)
    blocks.push(table(members), ...(at < MAX_DETAILS ? members.slice(0, 1).map(detailOf) : []))
  }
  if (others.length > 0) {
    if (groups.length > 0) blocks.push('#### Others')
    blocks.push(table(others, MAX_DETAILS), ...others.slice(0, MAX_DETAILS).map(detailOf))
  }
  return blocks
}

function causeOf({ recommendation, blocks }: FindingGroup): string {
  const waiting = blocks.length === 0 ? '' : ` (${blocks.length} not measured because of it)`
  return `${markdownCell(recommendation)}${waiting}`
}

function unmeasuredOf(kind: RunKind, results: readonly RunResult[]): string[] {
  if (kind !== 'suites') return []
  const unknown = results.filter(({ verdict }) => verdict === 'not-measured' || verdict === 'harness-error')
  return unknown.length === 0 ? [] : ['### Not measured', table(unknown)]
}

function warningsOf(results: readonly RunResult[]): string[] {
  const warned = results.filter(({ verdict, status }) => verdict === 'warn' && status !== 'fail')
  return warned.length === 0 ? [] : [folded(`${warned.length} warnings`, table(warned, warned.length))]
}

function table(results: readonly RunResult[], most = MAX_ROWS): string {
  const isChecks = results.some(({ category }) => category !== undefined)
  const rows = results.slice(0, most).map((result) => {
    const message = markdownCell(result.message ?? result.title)
    return isChecks
      ? `| ${nameCell(result)} | ${result.group} | ${message} | ${markdownCell(result.recommendation ?? '')} |`
      : `| ${nameCell(result)} | ${result.level.toLowerCase()} | ${message} | ${markdownCell(result.source ?? '')} |`
  })
  const head = isChecks ? '| Test | Category | Message | Recommendation |' : '| Test | Level | Message | Source |'
  const hidden = results.length - rows.length
  const more = hidden === 0 ? '' : `\n\n…and ${hidden} more; the JSON report has them all.`
  return [head, '|---|---|---|---|', ...rows].join('\n') + more
}

function detailOf(result: RunResult): string {
  const { sections, reproduction, transcript = [], differences = [] } = result
  const about = markdownCell(result.requirement ?? result.title)
  const facts = [sections.length === 0 ? about : `${about} (§${sections.join(', §')})`]
  if (result.failedStep !== undefined) facts.push(`- step: ${markdownCell(result.failedStep)}`)
  if (result.expected !== undefined) facts.push(`- expected: ${markdownCell(result.expected)}`)
  if (result.actual !== undefined) facts.push(`- actual: ${markdownCell(result.actual)}`)
  const at = result.path ?? result.pointer ?? ''
  if (at !== '') facts.push(`- at: \`${markdownCell(at)}\``)
  if (result.blocks !== undefined) facts.push(`- not measured because of it: ${result.blocks.join(', ')}`)
  for (const { line, message } of (result.problems ?? []).slice(1))
    facts.push(`- line ${line}: ${markdownCell(message)}`)
  const blocks = [facts.join('\n')]
  if (differences.length > 0) blocks.push(fenced(differences.map((each) => diffText(each)).join('\n\n'), 'text'))
  if (reproduction !== undefined) blocks.push(fenced([reproduction.parley, ...reproduction.curl].join('\n'), 'sh'))
  blocks.push(...transcript.map((one) => fenced(transcriptText(one), 'http')))
  return folded(`<code>${html(shortName(result))}</code>`, blocks.join('\n\n'))
}

function scoreOf({ score }: RunSubject): string {
  return score
    .map((one) => {
      const rows = one.areas.map(({ area, mustKept, mustMeasured }) => `| ${area} | ${mustKept} | ${mustMeasured} |`)
      return `### Score\n\n${scoreText(one)}.\n\n${['| Area | MUST met | MUST measured |', '|---|---|---|', ...rows].join('\n')}`
    })
    .join('\n\n')
}

function coverageOf({ coverage }: RunSubject): string {
  return coverage
    .map(
      ({ version, measured, rows, mustMeasured, mustRows }) =>
        `Coverage of A2A ${version}: ${mustMeasured} of ${mustRows} MUST, ${measured} of ${rows} requirements.`,
    )
    .join('  \n')
}

function everything(results: readonly RunResult[]): string {
  if (results.length === 0) return ''
  const rows = results.map((result) => `| ${nameCell(result)} | ${result.verdict} | ${markdownCell(result.title)} |`)
  return folded(`All ${results.length} results`, `| Test | Verdict | Claim |\n|---|---|---|\n${rows.join('\n')}`)
}

/** Keys of checks are ours: code, so that they can be copied. Ids of tests are written by others. */
function nameCell(result: RunResult): string {
  const name = result.category === undefined ? markdownCell(shortName(result)) : `\`${result.key}\``
  return result.agent === undefined ? name : `${name} (${result.agent})`
}
