// Markdown fit for a pull-request comment and for $GITHUB_STEP_SUMMARY: verdict first, then what to fix, then all the
// rest folded away.

import { type ConformanceReport, type ConformanceResult, resultsOf, type Transcript } from '../judge/runner/result.ts'
import { fenced, folded, html, markdownCell } from './markdown-text.ts'
import { countsText, levelText, reasonsOf, scoreText } from './wording.ts'

const MAX_DETAILS = 20
const MAX_FINDINGS = 8

export function renderMarkdown(report: ConformanceReport): string {
  const sections = [sectionOf(report)]
  if (report.second !== undefined) sections.push(sectionOf(report.second))
  return `${sections.join('\n\n')}\n`
}

function sectionOf(report: ConformanceReport): string {
  const results = resultsOf(report)
  const failed = results.filter((result) => result.status === 'fail')
  const warned = results.filter((result) => result.verdict === 'warn' && result.status !== 'fail')
  const blocks = [
    `## A2A conformance: ${markdownCell(report.agentName)} **${levelText(report)}**`,
    [
      `${countsText(report)} · \`${markdownCell(report.agentUrl)}\``,
      ...reasonsOf(report).map((reason) => `${markdownCell(reason)}`),
      ...(report.complete
        ? []
        : [`**Incomplete:** ${markdownCell(report.incompleteReason ?? 'the run did not finish')}`]),
    ].join('  \n'),
  ]
  if (report.diagnosis !== undefined) {
    const { message, fix, curl, suspects = [] } = report.diagnosis
    blocks.push(`> **${markdownCell(message)}**\n>\n> ${markdownCell(fix)}`)
    if (curl !== undefined) blocks.push(fenced(curl, 'sh'))
    for (const suspect of suspects) blocks.push(folded(html(suspect.request), fenced(suspect.curl, 'sh')))
  }
  if (report.findings.length > 0) blocks.push(`### What to fix first\n\n${findingsOf(report)}`)
  if (failed.length > 0) blocks.push(`### Failed Tests\n\n${table(failed)}`)
  if (warned.length > 0) {
    blocks.push(folded(`${warned.length} warnings`, table(warned)))
  }
  for (const result of failed.slice(0, MAX_DETAILS)) blocks.push(detailOf(result))
  if (failed.length > MAX_DETAILS)
    blocks.push(`…and ${failed.length - MAX_DETAILS} more; the JSON report has them all.`)
  blocks.push(scoreOf(report), coverageOf(report), everything(results))
  const { parleyVersion, specRevision, durationMs } = report.provenance
  blocks.push(
    `<sub>Parley ${parleyVersion}, judged by A2A ${specRevision}, ${report.testDate}, ${(durationMs / 1000).toFixed(1)} s</sub>`,
  )
  return blocks.filter((block) => block !== '').join('\n\n')
}

function table(results: readonly ConformanceResult[]): string {
  const rows = results.map(
    (result) =>
      `| ${nameOf(result)} | ${result.category} | ${markdownCell(result.message ?? result.title)} | ${markdownCell(result.recommendation ?? '')} |`,
  )
  return ['| Test | Category | Message | Recommendation |', '|---|---|---|---|', ...rows].join('\n')
}

/** One line for each repair, the one that turns most results green first. */
function findingsOf({ findings }: ConformanceReport): string {
  const rows = findings
    .slice(0, MAX_FINDINGS)
    .map(
      ({ recommendation, cause, tests, blocks }, at) =>
        `| ${at + 1} | ${markdownCell(recommendation)} | ${markdownCell(cause)} | ${tests.length} | ${blocks.length} |`,
    )
  const more = findings.length > MAX_FINDINGS ? `\n\n…and ${findings.length - MAX_FINDINGS} more.` : ''
  return (
    ['| | Repair | Cause | Results | Not measured because of it |', '|---|---|---|---|---|', ...rows].join('\n') + more
  )
}

function detailOf(result: ConformanceResult): string {
  const facts = [`${markdownCell(result.requirement ?? result.title)} (§${result.sections.join(', §')})`]
  if (result.expected !== undefined) facts.push(`- expected: ${markdownCell(result.expected)}`)
  if (result.actual !== undefined) facts.push(`- actual: ${markdownCell(result.actual)}`)
  if (result.pointer !== undefined && result.pointer !== '') facts.push(`- at: \`${markdownCell(result.pointer)}\``)
  if (result.blocks !== undefined) facts.push(`- not measured because of it: ${result.blocks.join(', ')}`)
  const commands =
    result.reproduction === undefined
      ? ''
      : fenced([result.reproduction.parley, ...result.reproduction.curl].join('\n'), 'sh')
  const transcript = (result.transcript ?? []).map((one) => fenced(transcriptText(one), 'http')).join('\n\n')
  return folded(`<code>${html(result.key)}</code>`, `${facts.join('\n')}\n\n${commands}\n\n${transcript}`)
}

export function transcriptText(one: Transcript): string {
  const { request, response, failure, repeated } = one
  const lines = [`${request.method} ${request.url}`, ...request.headers.map(([name, value]) => `${name}: ${value}`)]
  if (request.body !== '') lines.push('', request.body)
  lines.push('')
  if (repeated !== undefined) lines.push(`(sent twice: ${repeated})`)
  if (response !== undefined) {
    lines.push(`HTTP ${response.status}`, ...response.headers.map(([name, value]) => `${name}: ${value}`))
    if (response.body !== '') lines.push('', response.body)
    if (response.incomplete !== undefined) lines.push(`(${response.incomplete})`)
  }
  if (failure !== undefined) lines.push(`(${failure})`)
  return lines.join('\n')
}

function scoreOf(report: ConformanceReport): string {
  return report.score
    .map((score) => {
      const rows = score.areas.map(({ area, mustKept, mustMeasured }) => `| ${area} | ${mustKept} | ${mustMeasured} |`)
      return `### Score\n\n${scoreText(score)}.\n\n${['| Area | MUST kept | MUST measured |', '|---|---|---|', ...rows].join('\n')}`
    })
    .join('\n\n')
}

function coverageOf(report: ConformanceReport): string {
  return report.coverage
    .map(
      ({ version, measured, rows, mustMeasured, mustRows }) =>
        `Coverage of A2A ${version}: ${mustMeasured} of ${mustRows} MUST, ${measured} of ${rows} requirements.`,
    )
    .join('  \n')
}

function everything(results: readonly ConformanceResult[]): string {
  if (results.length === 0) return ''
  const rows = results.map((result) => `| ${nameOf(result)} | ${result.verdict} | ${markdownCell(result.title)} |`)
  return folded(`All ${results.length} results`, `| Test | Verdict | Claim |\n|---|---|---|\n${rows.join('\n')}`)
}

/** As code, so that it can be copied: keys are ours, never the peer's. */
function nameOf(result: ConformanceResult): string {
  return result.agent === undefined ? `\`${result.key}\`` : `\`${result.key}\` (${result.agent})`
}
