// Judges one agent twice in the same process of it, so that what one run leaves behind may not change the next.

import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type ConformanceReport,
  type ConformanceResult,
  certify,
  readBehaviours,
  resultsOf,
} from '../../src/judge/index.ts'
import { jsonText } from '../../src/trace/json-text.ts'
import { startAgent } from './agent-process.ts'
import { BUILD } from './build.ts'
import type { ClosedDoor } from './closed-door.ts'
import { type AgentEntry, type Folder, rulingsFor } from './corpus.ts'
import { type Settlement, settle } from './settle.ts'

export interface Judged {
  folder: string
  agent: string
  reports: ConformanceReport[]
  results: ConformanceResult[]
  settlement: Settlement
  /** Complaints that are not about a single result. */
  problems: string[]
  /** Hosts the framework tried to reach. */
  calledOut: string[]
}

const RUNS = 2
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
      await keep(`${folder.name}-${agent.name}-${run}.json`, `${jsonText(report, 2)}\n`)
      if (!report.complete) problems.push(`run ${run} is not complete: ${report.incompleteReason ?? 'no reason given'}`)
      if (running.hasEnded()) {
        problems.push(`the agent ended during run ${run}:\n${running.output().slice(-4_000)}`)
        break
      }
    }
  } finally {
    await running.stop()
    await keep(`${folder.name}-${agent.name}.log`, running.output())
  }
  const runs = reports.map(resultsOf)
  return {
    folder: folder.name,
    agent: agent.name,
    reports,
    results: runs.flat(),
    settlement: settle(runs, rulingsFor(agent.name, folder.rulings)),
    problems,
    calledOut: door.takeAttempts(),
  }
}

async function keep(name: string, text: string): Promise<void> {
  const reports = join(BUILD, 'reports')
  await mkdir(reports, { recursive: true })
  await writeFile(join(reports, name), text)
}
