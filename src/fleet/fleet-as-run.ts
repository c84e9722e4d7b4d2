// A fleet as a run whose results are its agents, so that every report format shows it.

import { EXIT } from '../model/errors.ts'
import { beginRun } from '../run/begin-run.ts'
import { plainRun } from '../run/plain-run.ts'
import type { Run, RunResult, RunVerdict } from '../run/run.ts'
import { standingOf } from './fleet-summary.ts'
import { AT_LEAST_MINIMAL } from './outcome.ts'
import type { FleetAgent, FleetInfo } from './result-book.ts'

/** What the exit codes of its agents make of a fleet: broken agents first, then those that could not be judged. */
export function fleetExitCode(codes: ReadonlyMap<number, number>): number {
  const kinds = [...codes.keys()]
  if (kinds.includes(EXIT.bug)) return EXIT.bug
  if (kinds.some((code) => code === EXIT.failed || code === EXIT.agentStopped)) return EXIT.failed
  return kinds.some((code) => code !== EXIT.ok) ? EXIT.inconclusive : EXIT.ok
}

export async function fleetAsRun({ name, run }: FleetInfo, agents: AsyncIterable<FleetAgent>): Promise<Run> {
  const started = performance.now()
  const results: RunResult[] = []
  const codes = new Map<number, number>()
  for await (const agent of agents) {
    results.push(resultOf(agent))
    const code = agent.result?.exitCode
    if (code !== undefined) codes.set(code, (codes.get(code) ?? 0) + 1)
  }
  const header = { ...beginRun({ kind: 'fleet', flags: [], target: name }), startedAt: run }
  return plainRun(header, results, {
    agentName: `Fleet ${name}`,
    durationMs: Math.round(performance.now() - started),
    exitCode: fleetExitCode(codes),
    complete: true,
  })
}

function resultOf(agent: FleetAgent): RunResult {
  const { url, origin, result } = agent
  const verdict = verdictOf(agent)
  const standing = standingOf(agent)
  return {
    test: url,
    key: url,
    group: origin,
    title: result?.name ? `${result.name}: ${standing}` : standing,
    status: verdict === 'pass' ? 'pass' : verdict === 'fail' ? 'fail' : 'skip',
    verdict,
    level: 'MUST',
    ...{ sections: [], requirements: [], url },
    ...(result === undefined || result.message === '' ? {} : { message: result.message }),
    ...(result === undefined ? {} : { duration_ms: result.durationMs, turns: result.turns }),
  }
}

function verdictOf({ result }: FleetAgent): RunVerdict {
  if (result === undefined || result.outcome !== 'judged') return 'not-measured'
  if (result.level === 'non-conformant') return 'fail'
  return result.stage >= AT_LEAST_MINIMAL ? 'pass' : 'not-measured'
}
