// One test of a suite as a result of a run, whether it has just been run or was read from a document.

import type { SuitesDocument } from './report-shape.ts'
import type { RunResult } from './run.ts'

export type SuiteTest = SuitesDocument['tests'][number]

const LEVELS = { must: 'MUST', should: 'SHOULD', may: 'MAY' } as const

export function suiteTestResult(test: Omit<SuiteTest, 'transcript' | 'curl'>): RunResult {
  const { suite, id, verdict, failure, actsVersion, specVersion, transport, reason } = test
  return {
    test: id,
    key: `${suite.id}/${id}@${specVersion}/${transport}`,
    group: suite.id,
    title: test.name,
    status: verdict === 'pass' || verdict === 'fail' ? verdict : 'skip',
    verdict,
    level: LEVELS[test.level],
    version: specVersion,
    binding: transport,
    message: failure?.message ?? reason,
    duration_ms: test.durationMs,
    sections: [],
    requirements: [],
    source: test.source,
    url: test.url,
    suite: { ...suite, actsVersion, specVersion },
    expected: failure?.expected,
    actual: failure?.actual,
    failedStep: failure?.stepId,
    path: failure?.path,
    reason,
    steps: test.steps,
  }
}
