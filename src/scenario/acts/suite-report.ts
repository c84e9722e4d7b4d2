// From the outcomes of a run to what is reported: every secret taken out, the bytes of what did not pass made
// readable, and the exit code.

import { readFileSync } from 'node:fs'
import { transcriptOf } from '../../judge/runner/evidence.ts'
import { EXIT } from '../../model/errors.ts'
import type { SuiteFailure, SuiteReport, SuiteTest, SuiteVerdict } from '../../report/acts.ts'
import { toCurl } from '../../trace/curl.ts'
import type { Redactor } from '../../trace/redact.ts'
import type { TestOutcome } from './outcome.ts'
import type { SuiteRun } from './run-suites.ts'

const WITH_EVIDENCE: ReadonlySet<SuiteVerdict> = new Set(['fail', 'not-measured', 'harness-error'])
const MAX_EXCHANGES = 12

export interface SuiteReportOptions {
  redactor: Redactor
  /** Failures of `should` and `may` count too. */
  strict: boolean
  startedAt: Date
}

export function suiteReport(run: SuiteRun, options: SuiteReportOptions): SuiteReport {
  const verdicts: Record<SuiteVerdict, number> = {
    pass: 0,
    fail: 0,
    'not-applicable': 0,
    skip: 0,
    'not-measured': 0,
    'harness-error': 0,
  }
  for (const { verdict } of run.outcomes) verdicts[verdict]++
  return {
    schemaVersion: 1,
    target: options.redactor.url(run.target),
    agentName: options.redactor.text(run.agentName),
    agentVersion: options.redactor.text(run.agentVersion),
    startedAt: options.startedAt.toISOString(),
    durationMs: run.durationMs,
    complete: run.complete,
    exitCode: exitCodeOf(run.outcomes, options.strict),
    parleyVersion: packageVersion(),
    verdicts,
    tests: run.outcomes.map((outcome) => reported(outcome, options.redactor)),
  }
}

/** Conformant is who passes every `must` that applies (ACTS §12.7); nothing measured is no success. */
export function exitCodeOf(outcomes: readonly TestOutcome[], strict: boolean): number {
  if (outcomes.some(({ verdict }) => verdict === 'harness-error')) return EXIT.bug
  const counting = outcomes.filter(({ level }) => strict || level === 'must')
  if (counting.some(({ verdict }) => verdict === 'fail')) return EXIT.failed
  if (counting.some(({ verdict }) => verdict === 'not-measured')) return EXIT.inconclusive
  return outcomes.some(({ verdict }) => verdict === 'pass') ? EXIT.ok : EXIT.inconclusive
}

function reported(outcome: TestOutcome, redactor: Redactor): SuiteTest {
  const { exchanges, generation: _, failure, reason, steps, ...rest } = outcome
  const test: SuiteTest = {
    ...rest,
    steps: steps.map(({ failure: found, ...step }) => (found ? { ...step, failure: redacted(found, redactor) } : step)),
  }
  if (reason !== undefined) test.reason = redactor.text(reason)
  if (failure !== undefined) test.failure = redacted(failure, redactor)
  if (WITH_EVIDENCE.has(outcome.verdict)) {
    const kept = exchanges.slice(-MAX_EXCHANGES)
    test.transcript = kept.map((exchange) => transcriptOf(exchange, redactor))
    test.curl = kept.map((exchange) => toCurl(exchange.request, { redactor, placeholders: true }))
  }
  return test
}

function redacted(failure: SuiteFailure, redactor: Redactor): SuiteFailure {
  const copy: SuiteFailure = { ...failure, message: redactor.text(failure.message) }
  if (failure.expected !== undefined) copy.expected = redactor.text(failure.expected)
  if (failure.actual !== undefined) copy.actual = redactor.text(failure.actual)
  return copy
}

function packageVersion(): string {
  const manifest = new URL('../../../package.json', import.meta.url)
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version
}
