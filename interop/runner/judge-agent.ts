// Judges one agent twice in the same process of it, so that what one run leaves behind may not change the next.

import { join } from 'node:path'
import { type ConformanceReport, certify, readBehaviours, resultsOf } from '../../src/judge/index.ts'
import { jsonText } from '../../src/trace/json-text.ts'
import { startAgent } from './agent-process.ts'
import type { ClosedDoor } from './closed-door.ts'
import { type AgentEntry, type Folder, rulingsFor } from './corpus.ts'
import { type Judged, keepReport, RUNS } from './judged.ts'
import { settle } from './settle.ts'

const DEFAULT_TIMEOUT_MS = 10_000

export async function judgeAgent(folder: Folder, agent: AgentEntry, door: ClosedDoor): Promise<Judged> {
  const running = await startAgent(folder, agent, door.env)
  const behaviours = agent.prompts === undefined ? {} : await readBehaviours(join(folder.path, agent.prompts))
  const { bearer, bearerB, apiKey } = agent
  const reports: ConformanceReport[] = []
  const problems: string[] = []
  try {
    for (let run = 1; run <= RUNS; run++) {
      const report = await certify(running.url, {
        behaviours,
        timeoutMs: agent.timeout ?? DEFAULT_TIMEOUT_MS,
        ...(agent.version === undefined ? {} : { versions: [agent.version] }),
        ...(bearer === undefined ? {} : { bearer }),
        ...(bearerB === undefined ? {} : { bearerB }),
        ...(apiKey === undefined ? {} : { apiKey }),
      })
      reports.push(report)
      await keepReport(`${folder.name}-${agent.name}-${run}.json`, `${jsonText(report, 2)}\n`)
      if (!report.complete) problems.push(`run ${run} is not complete: ${report.incompleteReason ?? 'no reason given'}`)
      if (running.hasEnded()) {
        problems.push(`the agent ended during run ${run}:\n${running.output().slice(-4_000)}`)
        break
      }
    }
  } finally {
    await running.stop()
    await keepReport(`${folder.name}-${agent.name}.log`, running.output())
  }
  const runs = reports.map(resultsOf)
  return {
    ...{ folder: folder.name, role: 'agent', peer: agent.name },
    runs: reports.map(({ conformanceLevel, verdicts, provenance }) => ({
      level: conformanceLevel,
      verdicts,
      durationMs: provenance.durationMs,
    })),
    results: runs.flat(),
    settlement: settle(runs, rulingsFor(agent.name, folder.rulings)),
    problems,
    calledOut: door.takeAttempts(),
  }
}
