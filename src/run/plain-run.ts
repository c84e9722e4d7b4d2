// A run that claims no level, which is what suites, cases and fleets come to: its results, counted.

import { summarise } from '../judge/runner/result.ts'
import { outcomeOf } from './begin-run.ts'
import type { Run, RunHeader, RunResult, RunSubject, RunVerdict } from './run.ts'

type Ending = Pick<RunSubject, 'durationMs' | 'exitCode' | 'complete'> &
  Partial<Pick<RunSubject, 'agentUrl' | 'agentName' | 'agentVersion' | 'incompleteReason'>>

export function plainRun(header: RunHeader, results: RunResult[], ending: Ending): Run {
  const { agentUrl, agentName, agentVersion, durationMs, exitCode, complete, incompleteReason } = ending
  return {
    header,
    agents: [],
    results,
    footer: {
      verdict: outcomeOf(exitCode),
      agentUrl,
      agentName,
      agentVersion,
      startedAt: header.startedAt,
      durationMs,
      exitCode,
      complete,
      incompleteReason,
      summary: summarise(results),
      verdicts: countVerdicts(results),
      levelReasons: [],
      score: [],
      coverage: [],
      findings: [],
      interfaces: [],
    },
  }
}

export function countVerdicts(results: readonly RunResult[]): Partial<Record<RunVerdict, number>> {
  const counts: Partial<Record<RunVerdict, number>> = {}
  for (const { verdict } of results) counts[verdict] = (counts[verdict] ?? 0) + 1
  return counts
}
