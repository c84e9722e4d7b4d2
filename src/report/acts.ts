// The report of a run of declarative suites: our own form with all the evidence, and the form the ACTS draft defines
// for dashboards, which knows one generation and one transport per document.

import type { Transcript } from '../judge/runner/result.ts'

export type SuiteVerdict = 'pass' | 'fail' | 'not-applicable' | 'skip' | 'not-measured' | 'harness-error'
export type SuiteLevel = 'must' | 'should' | 'may'

export interface SuiteFailure {
  message: string
  stepId?: string
  expected?: string
  actual?: string
  path?: string
}

export interface SuiteStep {
  id: string
  verdict: SuiteVerdict
  durationMs: number
  failure?: SuiteFailure
}

export interface SuiteTest {
  suite: { id: string; name: string }
  id: string
  name: string
  level: SuiteLevel
  verdict: SuiteVerdict
  reason?: string
  failure?: SuiteFailure
  steps: SuiteStep[]
  durationMs: number
  actsVersion: string
  specVersion: string
  transport: 'jsonrpc' | 'rest' | 'grpc'
  url?: string
  /** File and line of the test. */
  source: string
  /** Every exchange of a test that did not pass. */
  transcript?: Transcript[]
  curl?: string[]
}

export interface SuiteReport {
  schemaVersion: 1
  target: string
  agentName: string
  agentVersion: string
  startedAt: string
  durationMs: number
  complete: boolean
  exitCode: number
  parleyVersion: string
  verdicts: Record<SuiteVerdict, number>
  tests: SuiteTest[]
}

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
  level: SuiteLevel
  result: ActsResult
  duration_ms: number
  skip_reason?: string
  failure?: ActsFailure
  steps?: { id: string; result: ActsResult; duration_ms: number; failure?: ActsFailure }[]
}

/** The report document of ACTS §13. */
export interface ActsReport {
  acts_version: string
  spec_version: string
  generated_at: string
  sdk: { name: string; version: string; language: string }
  transport: SuiteTest['transport']
  environment: Record<string, string>
  summary: ActsCounts & { duration_ms: number; by_level: Record<SuiteLevel, ActsCounts> }
  suites: { id: string; name: string; tests: ActsTestResult[] }[]
}

/** The draft has four results: what says nothing about the agent is a skip, what could not be judged an error. */
const RESULTS: Readonly<Record<SuiteVerdict, ActsResult>> = {
  pass: 'pass',
  fail: 'fail',
  'not-applicable': 'skip',
  skip: 'skip',
  'not-measured': 'error',
  'harness-error': 'error',
}

/** One document for each generation and transport of the run, in the order they were run. */
export function actsReports(report: SuiteReport): ActsReport[] {
  const groups = Map.groupBy(report.tests, ({ specVersion, transport }) => `${specVersion} ${transport}`)
  return [...groups.values()].map((tests) => actsReport(report, tests))
}

function actsReport(report: SuiteReport, tests: readonly SuiteTest[]): ActsReport {
  const [first] = tests
  const suites = Map.groupBy(tests, ({ suite }) => suite.id)
  return {
    acts_version: first?.actsVersion ?? '1.0',
    spec_version: first?.specVersion ?? '1.0',
    generated_at: report.startedAt,
    // What an agent is written with does not show from outside; its own name and version do.
    sdk: { name: report.agentName, version: report.agentVersion, language: 'unknown' },
    transport: first?.transport ?? 'jsonrpc',
    environment: {
      runner: `parley ${report.parleyVersion}`,
      runtime: `node ${process.versions.node}`,
      os: process.platform,
      target: report.target,
    },
    summary: {
      ...count(tests),
      duration_ms: report.durationMs,
      by_level: { must: countLevel(tests, 'must'), should: countLevel(tests, 'should'), may: countLevel(tests, 'may') },
    },
    suites: [...suites.values()].map((members) => ({
      id: members[0]?.suite.id ?? '',
      name: members[0]?.suite.name ?? '',
      tests: members.map(testResult),
    })),
  }
}

function testResult(test: SuiteTest): ActsTestResult {
  const result = RESULTS[test.verdict]
  const entry: ActsTestResult = {
    id: test.id,
    name: test.name,
    level: test.level,
    result,
    duration_ms: test.durationMs,
  }
  if (result === 'skip' && test.reason !== undefined) entry.skip_reason = test.reason
  if (test.failure !== undefined) entry.failure = actsFailure(test.failure)
  if (test.steps.length > 0) {
    entry.steps = test.steps.map(({ id, verdict, durationMs, failure }) => ({
      id,
      result: RESULTS[verdict],
      duration_ms: durationMs,
      ...(failure === undefined ? {} : { failure: actsFailure(failure) }),
    }))
  }
  return entry
}

function actsFailure({ message, stepId, expected, actual, path }: SuiteFailure): ActsFailure {
  return {
    message,
    ...(stepId === undefined ? {} : { step_id: stepId }),
    ...(expected === undefined ? {} : { expected }),
    ...(actual === undefined ? {} : { actual }),
    ...(path === undefined ? {} : { assertion_path: path }),
  }
}

function countLevel(tests: readonly SuiteTest[], level: SuiteLevel): ActsCounts {
  return count(tests.filter((test) => test.level === level))
}

function count(tests: readonly SuiteTest[]): ActsCounts {
  const of = (result: ActsResult) => tests.filter(({ verdict }) => RESULTS[verdict] === result).length
  return { total: tests.length, passed: of('pass'), failed: of('fail'), skipped: of('skip'), errors: of('error') }
}
