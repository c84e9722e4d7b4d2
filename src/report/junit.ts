// JUnit XML as CI systems read it: one suite per category, one case per result. What was not measured is skipped,
// never passed.

import { type Category, type ConformanceReport, type ConformanceResult, resultsOf } from '../judge/runner/result.ts'
import { countsText } from './wording.ts'
import { xmlAttribute, xmlSeconds, xmlText } from './xml-text.ts'

const SUITES: readonly Category[] = ['agent-card', 'lifecycle', 'streaming', 'error-handling', 'interop']

export function renderJunit(report: ConformanceReport): string {
  const reports = report.second === undefined ? [report] : [report, report.second]
  const suites = reports.flatMap((one) => [
    ...SUITES.map((category) => suiteOf(one, category)).filter((suite) => suite !== ''),
    runSuiteOf(one),
  ])
  const results = reports.flatMap(resultsOf)
  const stopped = reports.filter((one) => obstacleOf(one) !== undefined).length
  const counts = countsOf(results)
  const seconds = xmlSeconds(report.provenance.durationMs)
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="parley" tests="${results.length + stopped}" failures="${counts.failures}" errors="${counts.errors + stopped}" time="${seconds}">`,
    ...suites,
    '</testsuites>',
    '',
  ].join('\n')
}

function suiteOf(report: ConformanceReport, category: Category): string {
  const results = resultsOf(report).filter((result) => result.category === category)
  if (results.length === 0) return ''
  const { failures, errors, skipped } = countsOf(results)
  const seconds = xmlSeconds(results.reduce((sum, result) => sum + (result.duration_ms ?? 0), 0))
  const name = xmlAttribute(`${report.agentName}: ${category}`)
  return [
    `  <testsuite name="${name}" tests="${results.length}" failures="${failures}" errors="${errors}" skipped="${skipped}" time="${seconds}" timestamp="${xmlAttribute(report.testDate.slice(0, 19))}" hostname="${xmlAttribute(hostOf(report.agentUrl))}">`,
    ...results.map((result) => caseOf(result)),
    '  </testsuite>',
  ].join('\n')
}

/** Why there are fewer results than there should be, or none. */
function obstacleOf({ diagnosis, complete, incompleteReason }: ConformanceReport): string | undefined {
  if (diagnosis !== undefined) return `${diagnosis.message} ${diagnosis.fix}`
  return complete ? undefined : (incompleteReason ?? 'the run did not finish')
}

/** The run itself: its level and score, and one error when it could not be made or finished, so that it is not green. */
function runSuiteOf(report: ConformanceReport): string {
  const obstacle = obstacleOf(report)
  const name = xmlAttribute(`${report.agentName}: run`)
  const count = obstacle === undefined ? 0 : 1
  const error = `    <testcase classname="parley.run" name="the agent can be judged to the end" time="0.000">\n      <error type="${xmlAttribute(report.diagnosis?.code ?? 'incomplete')}" message="${xmlAttribute(obstacle ?? '')}"/>\n    </testcase>`
  return [
    `  <testsuite name="${name}" tests="${count}" failures="0" errors="${count}" skipped="0" time="0.000">`,
    ...propertiesOf(report),
    ...(obstacle === undefined ? [] : [error]),
    '  </testsuite>',
  ].join('\n')
}

/** What the whole run says, in the words and numbers of every other report. */
function propertiesOf(report: ConformanceReport): string[] {
  const facts: [string, string][] = [
    ['level', report.conformanceLevel],
    ...report.levelReasons.map((reason): [string, string] => ['level.reason', reason]),
    ['counts', countsText(report)],
    ['exitCode', String(report.exitCode)],
    ['complete', String(report.complete)],
  ]
  if (report.incompleteReason !== undefined) facts.push(['incompleteReason', report.incompleteReason])
  for (const { version, mustKept, mustMeasured, areas } of report.score) {
    facts.push([`score.${version}`, `${mustKept}/${mustMeasured}`])
    for (const one of areas) facts.push([`score.${version}.${one.area}`, `${one.mustKept}/${one.mustMeasured}`])
  }
  const lines = facts.map(
    ([name, value]) => `      <property name="${xmlAttribute(name)}" value="${xmlAttribute(value)}"/>`,
  )
  return ['    <properties>', ...lines, '    </properties>']
}

function caseOf(result: ConformanceResult): string {
  const place = result.binding === undefined ? (result.version ?? '') : `${result.version} ${result.binding}`
  const name = xmlAttribute(`${result.title} [${result.test}${place === '' ? '' : `, ${place}`}]`)
  const open = `    <testcase classname="parley.${xmlAttribute(result.category)}" name="${name}" time="${xmlSeconds(result.duration_ms ?? 0)}"`
  if (result.verdict === 'harness-error') {
    return `${open}>\n      <error type="harness-error" message="${xmlAttribute(result.message ?? '')}"/>\n    </testcase>`
  }
  if (result.status === 'fail') {
    return `${open}>\n      <failure type="${xmlAttribute(result.level)}" message="${xmlAttribute(result.message ?? '')}">${xmlText(detailOf(result))}</failure>\n    </testcase>`
  }
  if (result.status === 'skip') {
    return `${open}>\n      <skipped message="${xmlAttribute(`${result.verdict}: ${result.message ?? ''}`)}"/>\n    </testcase>`
  }
  if (result.verdict === 'warn') {
    return `${open}>\n      <system-out>${xmlText(`warning: ${detailOf(result)}`)}</system-out>\n    </testcase>`
  }
  return `${open}/>`
}

function detailOf(result: ConformanceResult): string {
  const lines = [`Requirement: ${result.requirement ?? result.title} (${result.sections.join(', ')})`]
  if (result.expected !== undefined) lines.push(`Expected: ${result.expected}`)
  if (result.actual !== undefined) lines.push(`Actual: ${result.actual}`)
  if (result.pointer !== undefined) lines.push(`At: ${result.pointer}`)
  if (result.blocks !== undefined) lines.push(`Not measured because of it: ${result.blocks.join(', ')}`)
  if (result.recommendation !== undefined) lines.push(`Recommendation: ${result.recommendation}`)
  if (result.reproduction !== undefined)
    lines.push(`Reproduce: ${result.reproduction.parley}`, ...result.reproduction.curl)
  return lines.join('\n')
}

function countsOf(results: readonly ConformanceResult[]): { failures: number; errors: number; skipped: number } {
  const errors = results.filter((result) => result.verdict === 'harness-error').length
  const skipped = results.filter((result) => result.status === 'skip').length - errors
  return { failures: results.filter((result) => result.status === 'fail').length, errors, skipped }
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? url
}
