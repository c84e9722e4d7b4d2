// Markdown fit for a pull-request comment and for $GITHUB_STEP_SUMMARY: verdict first, then what to fix, then all the
// rest folded away.

import { type ConformanceReport, type ConformanceResult, resultsOf, type Transcript } from '../judge/runner/result.ts'
import { safeBlock } from './safe-text.ts'

const MAX_DETAILS = 20

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
    `## A2A conformance: ${cell(report.agentName)} is **${report.conformanceLevel}**`,
    [
      `${report.summary.passed} passed, ${report.summary.failed} failed, ${report.summary.skipped} skipped of ${report.summary.total} · \`${cell(report.agentUrl)}\``,
      ...report.levelReasons.map((reason) => `${cell(reason)}`),
      ...(report.complete ? [] : [`**Incomplete:** ${cell(report.incompleteReason ?? 'the run did not finish')}`]),
    ].join('  \n'),
  ]
  if (report.diagnosis !== undefined) {
    blocks.push(`> **${cell(report.diagnosis.message)}**\n>\n> ${cell(report.diagnosis.fix)}`)
  }
  if (failed.length > 0) blocks.push(`### Failed Tests\n\n${table(failed)}`)
  if (warned.length > 0) {
    blocks.push(`<details><summary>${warned.length} warnings</summary>\n\n${table(warned)}\n\n</details>`)
  }
  for (const result of failed.slice(0, MAX_DETAILS)) blocks.push(detailOf(result))
  if (failed.length > MAX_DETAILS)
    blocks.push(`…and ${failed.length - MAX_DETAILS} more; the JSON report has them all.`)
  blocks.push(coverageOf(report), everything(results))
  const { parleyVersion, specRevision, durationMs } = report.provenance
  blocks.push(
    `<sub>Parley ${parleyVersion}, judged by A2A ${specRevision}, ${report.testDate}, ${(durationMs / 1000).toFixed(1)} s</sub>`,
  )
  return blocks.filter((block) => block !== '').join('\n\n')
}

function table(results: readonly ConformanceResult[]): string {
  const rows = results.map(
    (result) =>
      `| ${cell(nameOf(result))} | ${result.category} | ${cell(result.message ?? result.title)} | ${cell(result.recommendation ?? '')} |`,
  )
  return ['| Test | Category | Message | Recommendation |', '|---|---|---|---|', ...rows].join('\n')
}

function detailOf(result: ConformanceResult): string {
  const facts = [`${cell(result.requirement ?? result.title)} (§${result.sections.join(', §')})`]
  if (result.expected !== undefined) facts.push(`- expected: ${cell(result.expected)}`)
  if (result.actual !== undefined) facts.push(`- actual: ${cell(result.actual)}`)
  if (result.pointer !== undefined && result.pointer !== '') facts.push(`- at: \`${cell(result.pointer)}\``)
  const commands =
    result.reproduction === undefined
      ? ''
      : fenced([result.reproduction.parley, ...result.reproduction.curl].join('\n'), 'sh')
  const transcript = (result.transcript ?? []).map((one) => fenced(transcriptText(one), 'http')).join('\n\n')
  return `<details><summary><code>${html(nameOf(result))}</code></summary>\n\n${facts.join('\n')}\n\n${commands}\n\n${transcript}\n\n</details>`
}

export function transcriptText(one: Transcript): string {
  const { request, response, failure } = one
  const lines = [`${request.method} ${request.url}`, ...request.headers.map(([name, value]) => `${name}: ${value}`)]
  if (request.body !== '') lines.push('', request.body)
  lines.push('')
  if (response !== undefined) {
    lines.push(`HTTP ${response.status}`, ...response.headers.map(([name, value]) => `${name}: ${value}`))
    if (response.body !== '') lines.push('', response.body)
    if (response.incomplete !== undefined) lines.push(`(${response.incomplete})`)
  }
  if (failure !== undefined) lines.push(`(${failure})`)
  return lines.join('\n')
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
  const rows = results.map((result) => `| ${cell(nameOf(result))} | ${result.verdict} | ${cell(result.title)} |`)
  return `<details><summary>All ${results.length} results</summary>\n\n| Test | Verdict | Claim |\n|---|---|---|\n${rows.join('\n')}\n\n</details>`
}

function nameOf(result: ConformanceResult): string {
  return result.agent === undefined ? result.key : `${result.key} (${result.agent})`
}

/** Text from a peer must neither break the table nor become markup, mentions or links. */
function cell(text: string): string {
  return html(text)
    .replaceAll('|', '\\|')
    .replaceAll(/([`*_[\]])/g, '\\$1')
    .replaceAll('@', '@\u200b')
    .replaceAll(/\s*\n\s*/g, '<br>')
}

function html(text: string): string {
  return safeBlock(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** A fence longer than any run of backticks inside. */
function fenced(peerText: string, language: string): string {
  const text = safeBlock(peerText)
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${text}\n${fence}`
}
