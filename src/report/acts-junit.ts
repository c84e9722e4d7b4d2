// A run of suites as JUnit XML: one suite per file, generation and transport. What says nothing about the agent is
// skipped, what could not be measured is an error, and neither is passed.

import type { SuiteReport, SuiteTest, SuiteVerdict } from './acts.ts'
import { xmlAttribute, xmlSeconds, xmlText } from './xml-text.ts'

type Element = 'failure' | 'error' | 'skipped'

const ELEMENTS: Readonly<Record<SuiteVerdict, Element | undefined>> = {
  pass: undefined,
  fail: 'failure',
  'not-measured': 'error',
  'harness-error': 'error',
  skip: 'skipped',
  'not-applicable': 'skipped',
}

export function renderSuiteJunit(report: SuiteReport): string {
  const { tests, durationMs } = report
  const groups = Map.groupBy(tests, ({ suite, specVersion, transport }) => `${suite.id} [${specVersion} ${transport}]`)
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="parley test --suite" ${countsOf(tests)} time="${xmlSeconds(durationMs)}">`,
    ...Array.from(groups, ([name, group]) => suiteOf(name, group, report)),
    '</testsuites>',
    '',
  ].join('\n')
}

function suiteOf(name: string, tests: readonly SuiteTest[], { startedAt, target }: SuiteReport): string {
  const time = xmlSeconds(tests.reduce((sum, { durationMs }) => sum + durationMs, 0))
  const where = `timestamp="${startedAt.slice(0, 19)}" hostname="${xmlAttribute(URL.parse(target)?.host ?? target)}"`
  return [
    `  <testsuite name="${xmlAttribute(name)}" ${countsOf(tests)} time="${time}" ${where}>`,
    ...tests.map(caseOf),
    '  </testsuite>',
  ].join('\n')
}

function caseOf(test: SuiteTest): string {
  const name = xmlAttribute(`${test.id}: ${test.name}`)
  const open = `    <testcase classname="${xmlAttribute(test.suite.id)}" name="${name}" file="${xmlAttribute(test.source)}" time="${xmlSeconds(test.durationMs)}"`
  const element = ELEMENTS[test.verdict]
  if (element === undefined) return `${open}/>`
  const message = xmlAttribute(test.failure?.message ?? test.reason ?? '')
  if (element === 'skipped') return `${open}>\n      <skipped message="${message}"/>\n    </testcase>`
  const type = xmlAttribute(element === 'failure' ? test.level : test.verdict)
  return `${open}>\n      <${element} type="${type}" message="${message}">${xmlText(detailOf(test))}</${element}>\n    </testcase>`
}

function detailOf({ source, failure, curl = [] }: SuiteTest): string {
  const lines = [`Test: ${source}`]
  if (failure?.stepId !== undefined) lines.push(`Step: ${failure.stepId}`)
  if (failure?.path !== undefined) lines.push(`At: ${failure.path}`)
  if (failure?.expected !== undefined) lines.push(`Expected: ${failure.expected}`)
  if (failure?.actual !== undefined) lines.push(`Actual: ${failure.actual}`)
  return [...lines, ...curl].join('\n')
}

function countsOf(tests: readonly SuiteTest[]): string {
  const count = (element: Element) => tests.filter(({ verdict }) => ELEMENTS[verdict] === element).length
  return `tests="${tests.length}" failures="${count('failure')}" errors="${count('error')}" skipped="${count('skipped')}"`
}
