// A run as one JSON document, and back: the published report of an agent for checks, and the documents that suites and
// cases have always had.

import type { ConformanceReport } from '../judge/runner/result.ts'
import { reportOfRun, runOfReport } from './conformance-run.ts'
import { plainRun } from './plain-run.ts'
import type { CasesDocument, SuitesDocument } from './report-shape.ts'
import { RECORD_VERSION, type Run, type RunHeader, type RunKind, type RunResult } from './run.ts'
import { type SuiteTest, suiteTestResult } from './suite-result.ts'

export function documentOf(run: Run): ConformanceReport | SuitesDocument | CasesDocument | Run {
  switch (run.header.kind) {
    case 'checks':
      return reportOfRun(run)
    case 'suites':
      return suitesDocument(run)
    case 'cases':
      return casesDocument(run)
    case 'clients':
    case 'matrix':
    case 'fleet':
      return run
  }
}

export function runOfConformance(report: ConformanceReport): Run {
  const { agentUrl: target, testDate, second, provenance } = report
  const header = olderHeader('checks', testDate, {
    parleyVersion: provenance.parleyVersion,
    flags: provenance.flags,
    target,
    second: second?.agentUrl,
    specRevision: provenance.specRevision,
  })
  return runOfReport(report, header)
}

/** Documents do not say all that a header does. */
function olderHeader(kind: RunKind, startedAt: string, known: Partial<RunHeader>): RunHeader {
  const unknown = { parleyVersion: '(unknown)', runtime: '(unknown)', flags: [] }
  return { schemaVersion: RECORD_VERSION, kind, id: '(unknown)', startedAt, ...unknown, ...known }
}

const SUITE_VERDICTS = { pass: 0, fail: 0, 'not-applicable': 0, skip: 0, 'not-measured': 0, 'harness-error': 0 }

function suitesDocument({ header, results, footer }: Run): SuitesDocument {
  return {
    schemaVersion: 1,
    target: footer.agentUrl ?? header.target ?? '',
    agentName: footer.agentName ?? '(unknown)',
    agentVersion: footer.agentVersion ?? '(unknown)',
    startedAt: footer.startedAt,
    durationMs: footer.durationMs,
    complete: footer.complete,
    exitCode: footer.exitCode,
    parleyVersion: header.parleyVersion,
    verdicts: { ...SUITE_VERDICTS, ...footer.verdicts },
    tests: results.map(suiteTest),
  }
}

const LOWER = { MUST: 'must', SHOULD: 'should', MAY: 'may' } as const

function suiteTest(result: RunResult): SuiteTest {
  const { message = '', failedStep: stepId, expected, actual, path, verdict } = result
  const { id = '', name = '', actsVersion = '', specVersion = '' } = result.suite ?? {}
  const hasFailure = verdict === 'fail' || stepId !== undefined
  return {
    suite: { id, name },
    id: result.test,
    name: result.title,
    level: LOWER[result.level],
    verdict,
    reason: result.reason,
    failure: hasFailure ? { message, stepId, expected, actual, path } : undefined,
    steps: result.steps ?? [],
    durationMs: result.duration_ms ?? 0,
    actsVersion,
    specVersion,
    transport: result.binding ?? '',
    url: result.url,
    source: result.source ?? '',
    transcript: result.transcript,
    curl: result.reproduction?.curl,
  }
}

export function runOfSuitesDocument(document: SuitesDocument): Run {
  const { target, parleyVersion, startedAt } = document
  const results = document.tests.map((test): RunResult => {
    const { curl, transcript, id } = test
    const reproduction = curl === undefined ? undefined : { parley: `parley test ${target} --only ${id}`, curl }
    return { ...suiteTestResult(test), transcript, reproduction }
  })
  const files = [...new Set(document.tests.map(({ source }) => source.replace(/:\d+$/, '')))]
  return plainRun(olderHeader('suites', startedAt, { parleyVersion, target, files }), results, {
    agentUrl: target,
    agentName: document.agentName,
    agentVersion: document.agentVersion,
    durationMs: document.durationMs,
    exitCode: document.exitCode,
    complete: document.complete,
    incompleteReason: document.complete ? undefined : 'the run was stopped before its end',
  })
}

const OUTCOMES = { pass: 'passed', fail: 'failed', skip: 'skipped' } as const
const STATUSES = { passed: 'pass', failed: 'fail', skipped: 'skip' } as const

function casesDocument({ results, footer }: Run): CasesDocument {
  return {
    ok: footer.summary.failed === 0,
    durationMs: footer.durationMs,
    results: results.map((result) => ({
      id: result.test,
      file: result.group,
      outcome: OUTCOMES[result.status],
      durationMs: result.duration_ms ?? 0,
      variant: {
        generation: result.version ?? '',
        streaming: result.mode === 'streaming',
        binding: result.binding ?? '',
      },
      reason: result.reason,
      problems: result.problems ?? [],
      diffs: result.differences ?? [],
    })),
  }
}

export function runOfCasesDocument(document: CasesDocument): Run {
  const results = document.results.map(({ id, file, outcome, variant, problems, reason, ...rest }): RunResult => {
    const mode = variant.streaming ? 'streaming' : 'blocking'
    return {
      test: id,
      key: `${id}@${variant.generation}/${variant.binding}/${mode}`,
      group: file,
      title: id,
      status: STATUSES[outcome],
      verdict: STATUSES[outcome],
      level: 'MUST',
      version: variant.generation,
      binding: variant.binding,
      mode,
      message: problems[0]?.message ?? reason,
      duration_ms: rest.durationMs,
      sections: [],
      requirements: [],
      source: `${file}:${problems[0]?.line ?? 1}`,
      reason,
      problems,
      differences: rest.diffs,
    }
  })
  const files = [...new Set(results.map(({ group }) => group))]
  return plainRun(olderHeader('cases', new Date(0).toISOString(), { files }), results, {
    durationMs: document.durationMs,
    exitCode: document.ok ? 0 : 1,
    complete: true,
  })
}
