// What can be said about a run whose record has no footer: what was found until then, and that it is not all.

import { groupFindings } from '../judge/runner/findings.ts'
import { summarise } from '../judge/runner/result.ts'
import { EXIT } from '../model/errors.ts'
import { countVerdicts } from './plain-run.ts'
import type { RunAgent, RunFooter, RunHeader, RunResult, RunSubject } from './run.ts'

const REASON = 'the record ends before the run did: it is still running, or it was killed'

export function unfinishedFooter(
  header: RunHeader,
  agents: readonly RunAgent[],
  results: readonly RunResult[],
): RunFooter {
  const of = (which: 'first' | 'second') => agents.find(({ agent = 'first' }) => agent === which)
  const first = subject(
    header,
    header.target,
    of('first'),
    results.filter(({ agent }) => agent !== 'second'),
  )
  if (header.second === undefined) return { verdict: 'inconclusive', ...first }
  const others = results.filter(({ agent }) => agent === 'second')
  return { verdict: 'inconclusive', ...first, second: subject(header, header.second, of('second'), others) }
}

function subject(
  header: RunHeader,
  target: string | undefined,
  agent: RunAgent | undefined,
  results: readonly RunResult[],
): RunSubject {
  const isJudged = header.kind === 'checks' || header.kind === 'clients'
  return {
    agentUrl: agent?.url ?? target,
    agentName: agent?.name,
    agentVersion: agent?.version,
    startedAt: header.startedAt,
    durationMs: results.reduce((sum, { duration_ms: ms = 0 }) => sum + ms, 0),
    exitCode: EXIT.inconclusive,
    complete: false,
    incompleteReason: REASON,
    summary: summarise(results),
    verdicts: countVerdicts(results),
    conformanceLevel: isJudged ? 'not determined' : undefined,
    levelReasons: isJudged ? [REASON] : [],
    score: [],
    coverage: [],
    findings: isJudged ? groupFindings([], results) : [],
    interfaces: agent?.interfaces ?? [],
    cardUrl: agent?.cardUrl,
    cardSha256: agent?.cardSha256,
  }
}
