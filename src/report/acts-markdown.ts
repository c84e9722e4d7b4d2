// A run of suites as Markdown for a pull request: the counts first, then what failed, all the rest folded away.

import type { SuiteReport, SuiteTest } from './acts.ts'
import { transcriptText } from './markdown.ts'
import { fenced, folded, html, markdownCell } from './markdown-text.ts'
import { safeBlock } from './safe-text.ts'

const MAX_DETAILS = 20

export function renderSuiteMarkdown(report: SuiteReport): string {
  const { tests, verdicts } = report
  const failed = tests.filter(({ verdict }) => verdict === 'fail')
  const unknown = tests.filter(({ verdict }) => verdict === 'not-measured' || verdict === 'harness-error')
  const leftOut = verdicts.skip + verdicts['not-applicable']
  const blocks = [
    `## A2A suites: ${markdownCell(`${report.agentName} ${report.agentVersion}`)} ${failed.length === 0 ? 'failed no test' : `failed ${failed.length} of ${tests.length} tests`}`,
    [
      `${verdicts.pass} passed, ${verdicts.fail} failed, ${unknown.length} not measured, ${leftOut} left out · \`${markdownCell(report.target)}\``,
      ...(report.complete ? [] : ['**Incomplete:** the run was stopped before its end']),
    ].join('  \n'),
  ]
  if (failed.length > 0) blocks.push(`### Failed Tests\n\n${table(failed)}`)
  if (unknown.length > 0) blocks.push(`### Not measured\n\n${table(unknown)}`)
  for (const test of failed.slice(0, MAX_DETAILS)) blocks.push(detailOf(test))
  if (failed.length > MAX_DETAILS)
    blocks.push(`…and ${failed.length - MAX_DETAILS} more; the JSON report has them all.`)
  blocks.push(
    folded(`All ${tests.length} results`, everything(tests)),
    `<sub>Parley ${report.parleyVersion}, ${report.startedAt}, ${(report.durationMs / 1000).toFixed(1)} s</sub>`,
  )
  return safeBlock(`${blocks.join('\n\n')}\n`)
}

function table(tests: readonly SuiteTest[]): string {
  const rows = tests.map(
    (test) =>
      `| ${markdownCell(nameOf(test))} | ${test.level} | ${markdownCell(test.failure?.message ?? test.reason ?? '')} | ${markdownCell(test.source)} |`,
  )
  return ['| Test | Level | Message | Source |', '|---|---|---|---|', ...rows].join('\n')
}

function detailOf(test: SuiteTest): string {
  const { failure, curl = [], transcript = [] } = test
  const facts = [markdownCell(test.name)]
  if (failure?.stepId !== undefined) facts.push(`- step: ${markdownCell(failure.stepId)}`)
  if (failure?.path !== undefined) facts.push(`- at: ${markdownCell(failure.path)}`)
  if (failure?.expected !== undefined) facts.push(`- expected: ${markdownCell(failure.expected)}`)
  if (failure?.actual !== undefined) facts.push(`- actual: ${markdownCell(failure.actual)}`)
  const commands = curl.length === 0 ? [] : [fenced(curl.join('\n'), 'sh')]
  const exchanges = transcript.map((one) => fenced(transcriptText(one), 'http'))
  return folded(`<code>${html(nameOf(test))}</code>`, [facts.join('\n'), ...commands, ...exchanges].join('\n\n'))
}

function everything(tests: readonly SuiteTest[]): string {
  const rows = tests.map((test) => `| ${markdownCell(nameOf(test))} | ${test.verdict} | ${markdownCell(test.name)} |`)
  return ['| Test | Verdict | Claim |', '|---|---|---|', ...rows].join('\n')
}

function nameOf({ id, specVersion, transport }: SuiteTest): string {
  return `${id} (${specVersion} ${transport})`
}
