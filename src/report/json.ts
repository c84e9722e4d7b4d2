// The run as one JSON document, for registries, dashboards and the next run: the published report of an agent for checks,
// and the documents that suites and cases have always had.

import { reportOfRun } from '../run/conformance-run.ts'
import type { Run, RunResult } from '../run/run.ts'
import { jsonText } from '../trace/json-text.ts'
import { documentFormat } from './reporter.ts'

export const json = documentFormat('json', 'one JSON document', (run) => `${jsonText(jsonReport(run), 2)}\n`)

export function jsonReport(run: Run): object {
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
      return { ...run.header, ...run.footer, agents: run.agents, results: run.results }
  }
}

function suitesDocument({ header, results, footer }: Run): object {
  return {
    schemaVersion: 1,
    target: footer.agentUrl,
    agentName: footer.agentName,
    agentVersion: footer.agentVersion,
    startedAt: footer.startedAt,
    durationMs: footer.durationMs,
    complete: footer.complete,
    exitCode: footer.exitCode,
    parleyVersion: header.parleyVersion,
    verdicts: {
      ...{ pass: 0, fail: 0, 'not-applicable': 0, skip: 0, 'not-measured': 0, 'harness-error': 0 },
      ...footer.verdicts,
    },
    tests: results.map(suiteTest),
  }
}

function suiteTest(result: RunResult): object {
  const { message, failedStep: stepId, expected, actual, path, verdict } = result
  const { id = '', name = '', actsVersion, specVersion } = result.suite ?? {}
  const hasFailure = verdict === 'fail' || stepId !== undefined
  return {
    suite: { id, name },
    id: result.test,
    name: result.title,
    level: result.level.toLowerCase(),
    verdict,
    reason: result.reason,
    failure: hasFailure ? { message, stepId, expected, actual, path } : undefined,
    steps: result.steps ?? [],
    durationMs: result.duration_ms,
    actsVersion,
    specVersion,
    transport: result.binding,
    url: result.url,
    source: result.source,
    transcript: result.transcript,
    curl: result.reproduction?.curl,
  }
}

const OUTCOMES = { pass: 'passed', fail: 'failed', skip: 'skipped' } as const

function casesDocument({ results, footer }: Run): object {
  return {
    ok: footer.summary.failed === 0,
    durationMs: footer.durationMs,
    results: results.map((result) => ({
      id: result.test,
      file: result.group,
      outcome: OUTCOMES[result.status],
      durationMs: result.duration_ms,
      variant: { generation: result.version, streaming: result.mode === 'streaming', binding: result.binding },
      reason: result.reason,
      problems: result.problems ?? [],
      diffs: result.differences ?? [],
    })),
  }
}
