// Results of cases as a run: what did not hold with its line, and what was expected beside what came.

import { EXIT } from '../../model/errors.ts'
import { plainRun } from '../../run/plain-run.ts'
import type { Run, RunHeader, RunResult } from '../../run/run.ts'
import { shellWord } from '../../trace/shell-word.ts'
import type { CaseResult } from './run-case.ts'
import type { RunReport } from './run-cases.ts'

const STATUSES = { passed: 'pass', failed: 'fail', skipped: 'skip' } as const

export function runOfCases(report: RunReport, header: RunHeader): Run {
  const results = report.results.map(caseResult)
  const isFailed = results.some(({ status }) => status === 'fail')
  const exitCode = isFailed ? EXIT.failed : EXIT.ok
  return plainRun(header, results, { durationMs: report.durationMs, exitCode, complete: true })
}

export function caseResult({ id, file, variant, outcome, ...rest }: CaseResult): RunResult {
  const { generation, binding, streaming } = variant
  const status = STATUSES[outcome]
  const mode = streaming ? 'streaming' : 'blocking'
  const [problem] = rest.problems
  const result: RunResult = {
    test: id,
    key: `${id}@${generation}/${binding}/${mode}`,
    group: file,
    title: rest.description ?? id,
    status,
    verdict: status,
    level: 'MUST',
    version: generation,
    binding,
    mode,
    message: problem?.message ?? rest.reason,
    duration_ms: rest.durationMs,
    sections: [],
    requirements: [],
    source: `${file}:${problem?.line ?? 1}`,
    reason: rest.reason,
    problems: rest.problems.map(({ line, message }) => ({ line, message })),
    differences: rest.diffs.map(({ turn, lines }) => ({ turn, lines: lines.map((line) => ({ ...line })) })),
  }
  if (status === 'fail') {
    const words = ['--a2a-version', generation, '--binding', binding, '--mode', mode]
    result.reproduction = { parley: `parley run ${shellWord(file)} ${words.join(' ')}`, curl: [] }
  }
  return result
}
