// The report document of ACTS §13, for its dashboards. It knows one generation and one transport, so a run over several
// makes several documents: files of their own, or lines of their own.

import type { Run, RunFailure, RunHeader, RunResult, RunSubject, RunVerdict } from '../run/run.ts'
import { jsonText } from '../trace/json-text.ts'
import { documentFormat } from './reporter.ts'

type ActsLevel = 'must' | 'should' | 'may'
type ActsResult = 'pass' | 'fail' | 'skip' | 'error'

interface ActsCounts {
  total: number
  passed: number
  failed: number
  skipped: number
  errors: number
}

interface ActsFailure {
  message: string
  step_id?: string
  expected?: string
  actual?: string
  assertion_path?: string
}

interface ActsTestResult {
  id: string
  name: string
  level: ActsLevel
  result: ActsResult
  duration_ms: number
  skip_reason?: string
  failure?: ActsFailure
  steps?: { id: string; result: ActsResult; duration_ms: number; failure?: ActsFailure }[]
}

interface ActsReport {
  acts_version: string
  spec_version: string
  generated_at: string
  sdk: { name: string; version: string; language: string }
  transport: string
  environment: Record<string, string>
  summary: ActsCounts & { duration_ms: number; by_level: Record<ActsLevel, ActsCounts> }
  suites: { id: string; name: string; tests: ActsTestResult[] }[]
}

/** The draft has four results: what says nothing about the agent is a skip, what could not be judged an error. */
const RESULTS: Readonly<Record<RunVerdict, ActsResult>> = {
  pass: 'pass',
  info: 'pass',
  warn: 'pass',
  fail: 'fail',
  'not-applicable': 'skip',
  skip: 'skip',
  known: 'skip',
  'spec-conflict': 'skip',
  'not-measured': 'error',
  'harness-error': 'error',
}

export const acts = documentFormat(
  'acts',
  'the report of the ACTS draft, per protocol version and transport',
  (run, { file }) => {
    const [home] = run.footer.interfaces
    // What is about the card alone counts for the interface the card prefers.
    const groups = Map.groupBy(
      run.results,
      ({ version = home?.version ?? '1.0', binding = home?.binding ?? 'jsonrpc' }) =>
        JSON.stringify([version, binding]),
    )
    if (groups.size === 0) groups.set(JSON.stringify([home?.version ?? '1.0', home?.binding ?? 'jsonrpc']), [])
    const reports = Array.from(groups, ([place, results]) => {
      const [version = '', transport = ''] = JSON.parse(place) as string[]
      return actsReport(run, { version, transport }, results)
    })
    const isLines = reports.length > 1 && file === undefined
    return reports.map((report) => ({
      suffix: `${report.spec_version}-${report.transport}`,
      text: `${isLines ? jsonText(report) : jsonText(report, 2)}\n`,
    }))
  },
)

function actsReport(
  { header, footer }: Run,
  { version, transport }: { version: string; transport: string },
  results: readonly RunResult[],
): ActsReport {
  const suites = Map.groupBy(results, ({ group }) => group)
  const level = (wanted: ActsLevel) => count(results.filter((result) => levelOf(result) === wanted))
  return {
    acts_version: results[0]?.suite?.actsVersion ?? '1.0',
    spec_version: version,
    generated_at: footer.startedAt,
    // What an agent is written with does not show from outside; its own name and version do.
    sdk: {
      name: footer.agentName ?? 'parley',
      version: footer.agentVersion ?? header.parleyVersion,
      language: 'unknown',
    },
    transport,
    environment: environmentOf(header, footer),
    summary: {
      ...count(results),
      duration_ms: footer.durationMs,
      by_level: { must: level('must'), should: level('should'), may: level('may') },
    },
    suites: Array.from(suites, ([id, members]) => ({
      id,
      name: members[0]?.suite?.name ?? id,
      tests: members.map(testResult),
    })),
  }
}

function environmentOf({ parleyVersion, runtime }: RunHeader, { agentUrl }: RunSubject): Record<string, string> {
  const [name = '', version = '', os = ''] = runtime.split(' ')
  const target: { target?: string } = agentUrl === undefined ? {} : { target: agentUrl }
  return { runner: `parley ${parleyVersion}`, runtime: `${name} ${version}`, os, ...target }
}

function testResult(result: RunResult): ActsTestResult {
  const { verdict, reason = result.message, steps = [] } = result
  const ends = RESULTS[verdict]
  const entry: ActsTestResult = {
    id: result.test,
    name: result.title,
    level: levelOf(result),
    result: ends,
    duration_ms: result.duration_ms ?? 0,
  }
  if (ends === 'skip' && reason !== undefined) entry.skip_reason = reason
  if (result.message !== undefined && (ends === 'fail' || ends === 'error')) {
    const { message, failedStep: stepId, expected, actual, path = result.pointer } = result
    entry.failure = actsFailure({ message, stepId, expected, actual, path })
  }
  if (steps.length > 0)
    entry.steps = steps.map(({ id, verdict: own, durationMs, failure }) => ({
      id,
      result: RESULTS[own],
      duration_ms: durationMs,
      ...(failure === undefined ? {} : { failure: actsFailure(failure) }),
    }))
  return entry
}

function actsFailure({ message, stepId, expected, actual, path }: RunFailure): ActsFailure {
  return { message, step_id: stepId, expected, actual, assertion_path: path === '' ? undefined : path }
}

function levelOf({ level }: RunResult): ActsLevel {
  return level === 'MUST' ? 'must' : level === 'SHOULD' ? 'should' : 'may'
}

function count(results: readonly RunResult[]): ActsCounts {
  const of = (ends: ActsResult) => results.filter(({ verdict }) => RESULTS[verdict] === ends).length
  return { total: results.length, passed: of('pass'), failed: of('fail'), skipped: of('skip'), errors: of('error') }
}
