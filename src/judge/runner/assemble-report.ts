// What a run found, put together as the report: level, counts, findings, coverage and where it all came from.

import { createHash, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Redactor } from '../../trace/redact.ts'
import { NO_CREDENTIALS } from '../probe/gate.ts'
import type { RunContext } from '../probe/run-context.ts'
import { textAt } from '../probe/seen.ts'
import { applyBaseline } from './baseline.ts'
import type { CertifyOptions } from './certify.ts'
import type { RunEnd } from './end-of-run.ts'
import { groupFindings, noteBlocked } from './findings.ts'
import { levelOf } from './level.ts'
import type { Case } from './plan.ts'
import {
  byCategory,
  type ConformanceReport,
  type ConformanceResult,
  type Diagnosis,
  type JudgedInterface,
} from './result.ts'
import type { Triage } from './triage.ts'
import { type Circumstances, countVerdicts, coverageOf, exitCodeOf, scoreOf, summarise } from './verdict.ts'

export interface Ending {
  target: string
  options: CertifyOptions
  interfaces: JudgedInterface[]
  triaged: Triage
  cases: readonly Case[]
  results: ConformanceResult[]
  run: RunContext
  startedAt: Date
  durationMs: number
  turns: { about: number; used: number }
  end: RunEnd | undefined
  /** How many checks would have run without --only and --skip. */
  leftOut: number
  diagnosis: Diagnosis | undefined
  redactor: Redactor
}

/** A report, and what its exit code rests on besides the results. */
export interface Assembled {
  report: ConformanceReport
  circumstances: Circumstances
}

export function assembleReport(ending: Ending): Assembled {
  const { options, interfaces, triaged, cases, results, run, diagnosis, end, leftOut } = ending
  const { facts } = triaged
  noteBlocked(results)
  const isWhole = end === undefined && leftOut === 0
  const { stale } = applyBaseline(results, options.baseline ?? [], isWhole)
  const locked = facts.locked.map(({ declared }) => ending.redactor.url(declared.url))
  const { level, reasons } = levelOf(cases, results, {
    diagnosis,
    end,
    leftOut,
    locked,
    isQuick: options.isQuick ?? false,
  })
  const refused = results.filter(({ notRun }) => notRun === NO_CREDENTIALS).length
  const circumstances = { diagnosis, end, stale: stale.length, locked: locked.length + refused }
  const report: ConformanceReport = {
    agentUrl: ending.target,
    agentName: textAt(facts.card, 'name') ?? '(unknown)',
    agentVersion: textAt(facts.card, 'version') ?? '(unknown)',
    testDate: ending.startedAt.toISOString(),
    summary: summarise(results),
    categories: byCategory(results),
    conformanceLevel: level,
    schemaVersion: 1,
    verdicts: countVerdicts(results),
    levelReasons: reasons,
    exitCode: exitCodeOf(results, circumstances),
    complete: end === undefined,
    interfaces,
    findings: groupFindings(cases, results),
    coverage: coverageOf(results, interfaces),
    score: scoreOf(results, interfaces),
    provenance: {
      parleyVersion: packageVersion(),
      specRevision: run.revision,
      flags: [...(options.flags ?? [])],
      seed: randomUUID(),
      tasksCreated: run.tasksCreated.size,
      turns: ending.turns,
      durationMs: ending.durationMs,
    },
  }
  if (end !== undefined) report.incompleteReason = end.reason
  if (diagnosis !== undefined) report.diagnosis = diagnosis
  if (stale.length > 0) report.staleBaseline = stale
  if (facts.cardUrl !== undefined) report.provenance.cardUrl = ending.redactor.url(facts.cardUrl)
  const cardBytes = facts.cardExchange?.response?.body
  if (cardBytes !== undefined) report.provenance.cardSha256 = createHash('sha256').update(cardBytes).digest('hex')
  return { report, circumstances }
}

function packageVersion(): string {
  const manifest = new URL('../../../package.json', import.meta.url)
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version
}
