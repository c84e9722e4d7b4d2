// What a run found, put together as the report: level, counts, findings, coverage and where it all came from.

import { createHash, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { EXIT } from '../../model/errors.ts'
import type { Redactor } from '../../trace/redact.ts'
import type { RunContext } from '../probe/run-context.ts'
import { textAt } from '../probe/seen.ts'
import { applyBaseline } from './baseline.ts'
import type { CertifyOptions } from './certify.ts'
import { groupFindings, noteBlocked } from './findings.ts'
import type { Case } from './plan.ts'
import {
  byCategory,
  type ConformanceReport,
  type ConformanceResult,
  type Diagnosis,
  type JudgedInterface,
} from './result.ts'
import type { Triage } from './triage.ts'
import { countVerdicts, coverageOf, exitCodeOf, levelOf, summarise } from './verdict.ts'

export interface Ending {
  target: string
  options: CertifyOptions
  interfaces: JudgedInterface[]
  triaged: Triage
  cases: readonly Case[]
  results: ConformanceResult[]
  run: RunContext
  startedAt: Date
  started: number
  signal: AbortSignal
  diagnosis: Diagnosis | undefined
  redactor: Redactor
}

export function assembleReport(ending: Ending): ConformanceReport {
  const { options, interfaces, triaged, cases, results, run, diagnosis, signal } = ending
  const { facts } = triaged
  noteBlocked(results)
  const { stale } = applyBaseline(results, options.baseline ?? [])
  const { level, reasons } = levelOf(cases, results, diagnosis)
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
    exitCode:
      cases.length === 0 && diagnosis === undefined
        ? EXIT.inconclusive
        : exitCodeOf(results, { diagnosis, stale: stale.length }),
    complete: !signal.aborted,
    interfaces,
    findings: groupFindings(cases, results),
    coverage: coverageOf(results, interfaces),
    provenance: {
      parleyVersion: packageVersion(),
      specRevision: run.revision,
      flags: [...(options.flags ?? [])],
      seed: randomUUID(),
      tasksCreated: run.tasksCreated.size,
      durationMs: Math.round(performance.now() - ending.started),
    },
  }
  if (signal.aborted)
    report.incompleteReason = options.signal?.aborted === true ? 'interrupted' : 'the deadline of the run was reached'
  if (diagnosis !== undefined) report.diagnosis = diagnosis
  if (stale.length > 0) report.staleBaseline = stale
  if (facts.cardUrl !== undefined) report.provenance.cardUrl = ending.redactor.url(facts.cardUrl)
  const cardBytes = facts.cardExchange?.response?.body
  if (cardBytes !== undefined) report.provenance.cardSha256 = createHash('sha256').update(cardBytes).digest('hex')
  return report
}

function packageVersion(): string {
  const manifest = new URL('../../../package.json', import.meta.url)
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version
}
