// What a run found, put together as the report: level, counts, findings, coverage and where it all came from.

import { packageVersion } from '../../base/package-version.ts'
import type { Redactor } from '../../trace/redact.ts'
import { NO_CREDENTIALS } from '../probe/gate.ts'
import { TURNED_AWAY } from '../probe/rate-limit.ts'
import type { RunContext } from '../probe/run-context.ts'
import { applyBaseline } from './baseline.ts'
import type { CertifyOptions } from './certify.ts'
import type { RunEnd } from './end-of-run.ts'
import { groupFindings, noteBlocked } from './findings.ts'
import { identityOf } from './identity.ts'
import { levelOf } from './level.ts'
import type { Case } from './plan.ts'
import {
  byCategory,
  type ConformanceReport,
  type ConformanceResult,
  type Diagnosis,
  type JudgedInterface,
  summarise,
} from './result.ts'
import type { Triage } from './triage.ts'
import { type Circumstances, countVerdicts, coverageOf, exitCodeOf, scoreOf } from './verdict.ts'

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
  const limited = results.filter(({ notRun }) => TURNED_AWAY.has(notRun)).length
  const circumstances = { diagnosis, end, stale: stale.length, locked: locked.length + refused, limited }
  const { name, version, cardUrl, cardSha256 } = identityOf(facts, ending.redactor)
  const report: ConformanceReport = {
    agentUrl: ending.target,
    agentName: name,
    agentVersion: version,
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
      tasksCreated: run.tasksCreated.size,
      turns: ending.turns,
      durationMs: ending.durationMs,
    },
  }
  if (end !== undefined) report.incompleteReason = end.reason
  if (diagnosis !== undefined) report.diagnosis = diagnosis
  if (stale.length > 0) report.staleBaseline = stale
  if (cardUrl !== undefined) report.provenance.cardUrl = cardUrl
  if (cardSha256 !== undefined) report.provenance.cardSha256 = cardSha256
  return { report, circumstances }
}
