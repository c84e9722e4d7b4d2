// From the outcomes of suites to what is reported: every secret taken out, the bytes of what did not pass made readable,
// and the exit code.

import { transcriptOf } from '../../judge/runner/transcript-of.ts'
import { EXIT } from '../../model/errors.ts'
import { plainRun } from '../../run/plain-run.ts'
import type { Run, RunFailure, RunHeader, RunResult } from '../../run/run.ts'
import { suiteTestResult } from '../../run/suite-result.ts'
import type { Redactor } from '../../trace/redact.ts'
import { reproduce } from '../../trace/reproduce.ts'
import { shellWord } from '../../trace/shell-word.ts'
import type { ActsVerdict, TestOutcome } from './outcome.ts'
import type { SuiteRun } from './run-suites.ts'

const WITH_EVIDENCE: ReadonlySet<ActsVerdict> = new Set(['fail', 'not-measured', 'harness-error'])
const MAX_EXCHANGES = 12

export interface SuiteReportOptions {
  redactor: Redactor
  header: RunHeader
  /** Failures of `should` and `may` count too. */
  strict: boolean
  /** How the process will end because it was interrupted. */
  exitCode: number | undefined
}

export function runOfSuites(run: SuiteRun, options: SuiteReportOptions): Run {
  const { redactor, header } = options
  const results = run.outcomes.map((outcome) => suiteResult(outcome, header.target ?? run.target, redactor))
  const exitCode = options.exitCode ?? exitCodeOf(run.outcomes, options.strict)
  return plainRun(header, results, {
    agentUrl: redactor.url(run.target),
    agentName: redactor.text(run.agentName),
    agentVersion: redactor.text(run.agentVersion),
    durationMs: run.durationMs,
    exitCode,
    complete: run.complete,
    incompleteReason: run.complete ? undefined : 'the run was stopped before its end',
  })
}

/** Conformant is who passes every `must` that applies (ACTS §12.7); nothing measured is no success. */
export function exitCodeOf(outcomes: readonly TestOutcome[], strict: boolean): number {
  if (outcomes.some(({ verdict }) => verdict === 'harness-error')) return EXIT.bug
  const counting = outcomes.filter(({ level }) => strict || level === 'must')
  if (counting.some(({ verdict }) => verdict === 'fail')) return EXIT.failed
  if (counting.some(({ verdict }) => verdict === 'not-measured')) return EXIT.inconclusive
  return outcomes.some(({ verdict }) => verdict === 'pass') ? EXIT.ok : EXIT.inconclusive
}

export function suiteResult(outcome: TestOutcome, target: string, redactor: Redactor): RunResult {
  const { failure, reason, url, steps, verdict } = outcome
  const result = suiteTestResult({
    ...outcome,
    failure: failure && redacted(failure, redactor),
    reason: reason && redactor.text(reason),
    url: url && redactor.url(url),
    steps: steps.map(({ failure: found, ...step }) => (found ? { ...step, failure: redacted(found, redactor) } : step)),
  })
  if (WITH_EVIDENCE.has(verdict)) {
    const kept = outcome.exchanges.slice(-MAX_EXCHANGES)
    result.transcript = kept.map((exchange) => transcriptOf(exchange, redactor))
    result.reproduction = {
      parley: reproductionOf(outcome, target),
      curl: kept.map((exchange) => reproduce(exchange.request, { redactor, placeholders: true })),
    }
  }
  return result
}

function reproductionOf({ id, source, generation, transport }: TestOutcome, target: string): string {
  const file = source.replace(/:\d+$/, '')
  const words = ['--suite', shellWord(file), '--only', shellWord(id), '--a2a-version', generation]
  return `parley test ${shellWord(target)} ${words.join(' ')} --transport ${transport}`
}

function redacted(failure: RunFailure, redactor: Redactor): RunFailure {
  const copy: RunFailure = { ...failure, message: redactor.text(failure.message) }
  if (failure.expected !== undefined) copy.expected = redactor.text(failure.expected)
  if (failure.actual !== undefined) copy.actual = redactor.text(failure.actual)
  return copy
}
