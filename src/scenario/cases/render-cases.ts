// Results of cases for people (what was expected beside what came) and for machines (JSON, JUnit).

import type { JsonObject } from '../../model/json.ts'
import { xmlAttribute, xmlSeconds, xmlText } from '../../report/xml-text.ts'
import { describeVariant } from './load-case.ts'
import type { DiffLine } from './match-events.ts'
import type { CaseResult } from './run-case.ts'
import type { RunReport } from './run-cases.ts'

export function renderResult(result: CaseResult): string {
  const name = `${result.id} [${describeVariant(result.variant)}]`
  if (result.outcome === 'skipped') return `skip ${name}: ${printable(result.reason ?? '')}\n`
  if (result.outcome === 'passed') return `ok   ${name} (${result.durationMs} ms)\n`
  const problems = result.problems.map(({ line, message }) => `     ${result.file}:${line}: ${printable(message)}\n`)
  const diffs = result.diffs.map(({ turn, lines }) => `\n     ${turn}\n${renderDiff(lines)}`)
  return `FAIL ${name}\n${problems.join('')}${diffs.join('')}\n`
}

export function renderSummary({ results, durationMs }: RunReport): string {
  const count = (outcome: CaseResult['outcome']) => results.filter((result) => result.outcome === outcome).length
  const skipped = count('skipped') === 0 ? '' : `, ${count('skipped')} skipped`
  return `${count('passed')} passed, ${count('failed')} failed${skipped}, in ${(durationMs / 1000).toFixed(1)} s.\n`
}

/** Two columns: expected left, seen right. `-` did not come, `+` was not expected, `=` fits. */
function renderDiff(lines: readonly DiffLine[]): string {
  const width = Math.min(60, Math.max(8, ...lines.map(({ expected = '' }) => expected.length)))
  const row = (mark: string, expected: string, actual: string) =>
    `     ${mark} ${printable(expected).padEnd(width)}  ${printable(actual)}`.trimEnd()
  return `${[
    row(' ', 'expected', 'seen'),
    ...lines.map(({ mark, expected = '', actual = '' }) => row(mark, expected, actual)),
  ].join('\n')}\n`
}

export function renderJson(report: RunReport): string {
  const results = report.results.map((result): JsonObject => {
    const { id, file, variant, outcome, reason, durationMs } = result
    return {
      ...{ id, file, outcome, durationMs },
      variant: { ...variant },
      ...(reason === undefined ? {} : { reason }),
      problems: result.problems.map((problem) => ({ ...problem })),
      diffs: result.diffs.map(({ turn, lines }) => ({ turn, lines: lines.map((line) => ({ ...line })) })),
    }
  })
  const isOk = report.results.every(({ outcome }) => outcome !== 'failed')
  return `${JSON.stringify({ ok: isOk, durationMs: report.durationMs, results }, null, 2)}\n`
}

export function renderJunit({ results, durationMs }: RunReport): string {
  const failures = results.filter(({ outcome }) => outcome === 'failed').length
  const skipped = results.filter(({ outcome }) => outcome === 'skipped').length
  const totals = `tests="${results.length}" failures="${failures}" errors="0" skipped="${skipped}" time="${xmlSeconds(durationMs)}"`
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="parley run" ${totals}>
  <testsuite name="parley run" ${totals}>
${results.map(junitCase).join('\n')}
  </testsuite>
</testsuites>
`
}

function junitCase(result: CaseResult): string {
  const name = xmlAttribute(`${result.id} [${describeVariant(result.variant)}]`)
  const open = `    <testcase classname="${xmlAttribute(result.file)}" name="${name}" time="${xmlSeconds(result.durationMs)}"`
  if (result.outcome === 'skipped')
    return `${open}><skipped message="${xmlAttribute(result.reason ?? '')}"/></testcase>`
  if (result.outcome === 'passed') return `${open}/>`
  const message = xmlAttribute(result.problems[0]?.message ?? '')
  return `${open}><failure message="${message}">${xmlText(renderResult(result))}</failure></testcase>`
}

/** What an agent sends must not steer a terminal. */
function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to be replaced
  return text.toWellFormed().replaceAll(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\ufffe\uffff]/g, '\ufffd')
}
