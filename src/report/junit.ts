// JUnit XML as CI systems read it: one suite per category of checks, suite or file of cases, one case per result. What was
// not measured is never passed.

import { type RunKind, type RunResult, type RunSubject, subjectsOf } from '../run/run.ts'
import { diffText } from './diff-text.ts'
import { documentFormat } from './reporter.ts'
import { countsText, nameOf, placeOf } from './wording.ts'
import { xmlAttribute, xmlSeconds, xmlText } from './xml-text.ts'

type Element = 'failure' | 'error' | 'skipped'

export const junit = documentFormat('junit', 'JUnit XML for CI systems', (run) => {
  const { kind } = run.header
  const subjects = subjectsOf(run)
  const stopped = subjects.filter(({ subject }) => obstacleOf(subject) !== undefined).length
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="${NAMES[kind]}" ${countsOf(run.results, kind, stopped).replace(/ skipped=.*/, '')} time="${xmlSeconds(run.footer.durationMs)}">`,
    ...subjects.flatMap(({ subject, results }) => [...suitesOf(kind, subject, results), runSuiteOf(subject, results)]),
    '</testsuites>',
    '',
  ].join('\n')
})

const NAMES: Readonly<Record<RunKind, string>> = {
  checks: 'parley',
  suites: 'parley test --suite',
  cases: 'parley run',
  clients: 'parley grade',
  matrix: 'parley matrix',
  fleet: 'parley fleet',
}

function suitesOf(kind: RunKind, subject: RunSubject, results: readonly RunResult[]): string[] {
  const groups = Map.groupBy(results, (result) => suiteName(kind, subject, result))
  return Array.from(groups, ([name, members]) => {
    const seconds = xmlSeconds(members.reduce((sum, result) => sum + (result.duration_ms ?? 0), 0))
    const host = subject.agentUrl === undefined ? '' : ` hostname="${xmlAttribute(hostOf(subject.agentUrl))}"`
    return [
      `  <testsuite name="${xmlAttribute(name)}" ${countsOf(members, kind)} time="${seconds}" timestamp="${xmlAttribute(subject.startedAt.slice(0, 19))}"${host}>`,
      ...members.map((result) => caseOf(result, kind)),
      '  </testsuite>',
    ].join('\n')
  })
}

function suiteName(kind: RunKind, subject: RunSubject, result: RunResult): string {
  if (kind === 'suites') return `${result.group} [${placeOf(result)}]`
  return kind === 'cases' ? result.group : `${subject.agentName ?? nameOf(subject)}: ${result.group}`
}

/** Why there are fewer results than there should be, or none. */
function obstacleOf({ diagnosis, complete, incompleteReason }: RunSubject): string | undefined {
  if (diagnosis !== undefined) return `${diagnosis.message} ${diagnosis.fix}`
  return complete ? undefined : (incompleteReason ?? 'the run did not finish')
}

/** The run itself: its level and score, and one error when it could not be made or finished, so that it is not green. */
function runSuiteOf(subject: RunSubject, results: readonly RunResult[]): string {
  const obstacle = obstacleOf(subject)
  const name = xmlAttribute(`${subject.agentName ?? nameOf(subject)}: run`)
  const count = obstacle === undefined ? 0 : 1
  const error = `    <testcase classname="parley.run" name="the agent can be judged to the end" time="0.000">\n      <error type="${xmlAttribute(subject.diagnosis?.code ?? 'incomplete')}" message="${xmlAttribute(obstacle ?? '')}"/>\n    </testcase>`
  return [
    `  <testsuite name="${name}" tests="${count}" failures="0" errors="${count}" skipped="0" time="0.000">`,
    ...propertiesOf(subject, results),
    ...(obstacle === undefined ? [] : [error]),
    '  </testsuite>',
  ].join('\n')
}

/** What the whole run says, in the words and numbers of every other report. */
function propertiesOf(subject: RunSubject, results: readonly RunResult[]): string[] {
  const facts: [string, string][] = []
  if (subject.conformanceLevel !== undefined) facts.push(['level', subject.conformanceLevel])
  for (const reason of subject.levelReasons) facts.push(['level.reason', reason])
  facts.push(['counts', countsText(subject, results)])
  facts.push(['exitCode', String(subject.exitCode)], ['complete', String(subject.complete)])
  if (subject.incompleteReason !== undefined) facts.push(['incompleteReason', subject.incompleteReason])
  for (const { version, mustKept, mustMeasured, areas } of subject.score) {
    facts.push([`score.${version}`, `${mustKept}/${mustMeasured}`])
    for (const one of areas) facts.push([`score.${version}.${one.area}`, `${one.mustKept}/${one.mustMeasured}`])
  }
  const lines = facts.map(
    ([name, value]) => `      <property name="${xmlAttribute(name)}" value="${xmlAttribute(value)}"/>`,
  )
  return ['    <properties>', ...lines, '    </properties>']
}

function caseOf(result: RunResult, kind: RunKind): string {
  const classname = result.category === undefined ? result.group : `parley.${result.category}`
  const file = result.source === undefined ? '' : ` file="${xmlAttribute(result.source)}"`
  const open = `    <testcase classname="${xmlAttribute(classname)}" name="${xmlAttribute(caseName(result, kind))}"${file} time="${xmlSeconds(result.duration_ms ?? 0)}"`
  const element = elementOf(result, kind)
  const message = xmlAttribute(result.message ?? '')
  switch (element) {
    case 'failure':
    case 'error': {
      const level = kind === 'suites' ? result.level.toLowerCase() : result.level
      const type = xmlAttribute(element === 'failure' ? level : result.verdict)
      return `${open}>\n      <${element} type="${type}" message="${message}">${xmlText(detailOf(result))}</${element}>\n    </testcase>`
    }
    case 'skipped': {
      const why = xmlAttribute(result.verdict === 'skip' ? '' : `${result.verdict}: `) + message
      return `${open}>\n      <skipped message="${why}"/>\n    </testcase>`
    }
    case undefined:
      if (result.verdict !== 'warn') return `${open}/>`
      return `${open}>\n      <system-out>${xmlText(`warning: ${detailOf(result)}`)}</system-out>\n    </testcase>`
  }
}

function caseName(result: RunResult, kind: RunKind): string {
  const place = placeOf(result)
  if (kind === 'suites') return `${result.test}: ${result.title}`
  if (kind === 'cases') return `${result.test} [${place}]`
  return `${result.title} [${result.test}${place === '' ? '' : `, ${place}`}]`
}

/** A test of a suite that could not be carried out is nothing to pass over; of a check there are always some. */
function elementOf({ verdict, status }: RunResult, kind: RunKind): Element | undefined {
  if (verdict === 'harness-error' || (verdict === 'not-measured' && kind === 'suites')) return 'error'
  if (status === 'fail') return 'failure'
  return status === 'skip' ? 'skipped' : undefined
}

function detailOf(result: RunResult): string {
  const { sections, reproduction, source, problems = [], differences = [] } = result
  const lines: string[] = []
  if (sections.length > 0) lines.push(`Requirement: ${result.requirement ?? result.title} (${sections.join(', ')})`)
  if (source !== undefined) lines.push(`Test: ${source}`)
  if (result.failedStep !== undefined) lines.push(`Step: ${result.failedStep}`)
  if (result.message !== undefined) lines.push(`Message: ${result.message}`)
  for (const { line, message } of problems.slice(1)) lines.push(`Line ${line}: ${message}`)
  if (result.expected !== undefined) lines.push(`Expected: ${result.expected}`)
  if (result.actual !== undefined) lines.push(`Actual: ${result.actual}`)
  const at = result.path ?? result.pointer ?? ''
  if (at !== '') lines.push(`At: ${at}`)
  for (const difference of differences) lines.push(diffText(difference))
  if (result.blocks !== undefined) lines.push(`Not measured because of it: ${result.blocks.join(', ')}`)
  if (result.recommendation !== undefined) lines.push(`Recommendation: ${result.recommendation}`)
  if (reproduction !== undefined) lines.push(`Reproduce: ${reproduction.parley}`, ...reproduction.curl)
  return lines.join('\n')
}

function countsOf(results: readonly RunResult[], kind: RunKind, stopped = 0): string {
  const count = (element: Element) => results.filter((result) => elementOf(result, kind) === element).length
  return `tests="${results.length + stopped}" failures="${count('failure')}" errors="${count('error') + stopped}" skipped="${count('skipped')}"`
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? url
}
