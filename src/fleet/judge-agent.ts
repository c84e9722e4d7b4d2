// One attempt at one agent: the judge with the manners of a fleet. What comes out is a result with its run record, or the
// host's wish to be left alone, or nothing at all because the worker has to stop.

import { gzipSync } from 'node:zlib'
import { certify } from '../judge/runner/certify.ts'
import type { ConformanceReport } from '../judge/runner/result.ts'
import { EXIT, ParleyError } from '../model/errors.ts'
import { beginRun } from '../run/begin-run.ts'
import { runOfReport } from '../run/conformance-run.ts'
import { RecordWriter } from '../run/record-writer.ts'
import { lookUp } from './credential-references.ts'
import { Manners, type Premises, type Refusal } from './manners.ts'
import { isDead, type Outcome, stageOf } from './outcome.ts'
import { userAgentOf } from './settings.ts'
import type { AgentResult, Attempt } from './work-book.ts'

export type Judged =
  | { readonly is: 'result'; readonly result: AgentResult; readonly restMs: number }
  | { readonly is: 'refusal'; readonly refusal: Refusal; readonly turns: number; readonly restMs: number }
  /** The worker stopped, or lost its lease. */
  | { readonly is: 'interrupted' }

export async function judgeAgent(attempt: Attempt, enter: Premises['enter'], signal: AbortSignal): Promise<Judged> {
  const { settings, entry, profile, url } = attempt
  const credentials = lookUp(entry.credentials)
  if (typeof credentials === 'string')
    return { is: 'result', result: unasked('no-credentials', credentials, EXIT.unauthenticated), restMs: 0 }
  const manners = new Manners(settings, { origin: attempt.origin, enter })
  const started = performance.now()
  const header = beginRun({ kind: 'checks', flags: [], target: url })
  try {
    const report = await certify(url, {
      ...credentials,
      isQuick: profile === 'quick' && entry.only === undefined,
      ...(entry.only === undefined ? {} : { only: entry.only }),
      maxTurns: attempt.turns,
      concurrency: 1,
      timeoutMs: settings.timeoutMs,
      deadlineMs: settings.deadlineMs,
      signal: AbortSignal.any([signal, manners.signal]),
      conduct: { reach: manners.reach, onExchange: manners.onExchange, userAgent: userAgentOf(settings) },
    })
    if (signal.aborted) return { is: 'interrupted' }
    const { refusal } = manners
    if (refusal !== undefined && refusal.kind !== 'payment')
      return { is: 'refusal', refusal, turns: report.provenance.turns.used, restMs: manners.restMs }
    const record = recordOf(report, header)
    return { is: 'result', result: { ...resultOf(report, manners), record }, restMs: manners.restMs }
  } catch (error) {
    if (signal.aborted) return { is: 'interrupted' }
    // What is wrong with the entry, such as a check there is not, is said; anything else is ours.
    const message = error instanceof Error ? error.message : String(error)
    const exitCode = error instanceof ParleyError ? error.exitCode : EXIT.bug
    const durationMs = Math.round(performance.now() - started)
    return { is: 'result', result: { ...unasked('error', message, exitCode), durationMs }, restMs: manners.restMs }
  }
}

/** A result of an agent that was not asked, or not to any purpose. */
export function unasked(outcome: Outcome, message: string, exitCode: number = EXIT.inconclusive): AgentResult {
  const nothing = { stage: 0, kept: 0, measured: 0, turns: 0, durationMs: 0 }
  return { outcome, message, exitCode, level: 'not determined', name: '', ...nothing }
}

function resultOf(report: ConformanceReport, { refusal, forbidden }: Manners): AgentResult {
  const outcome = outcomeOf(report, refusal, forbidden)
  const sum = (of: 'mustKept' | 'mustMeasured') => report.score.reduce((so, score) => so + score[of], 0)
  return {
    outcome,
    stage: outcome === 'refused' ? 0 : stageOf(report),
    level: report.conformanceLevel,
    kept: sum('mustKept'),
    measured: sum('mustMeasured'),
    exitCode: report.exitCode,
    turns: report.provenance.turns.used,
    durationMs: report.provenance.durationMs,
    message: messageOf(report, outcome, forbidden),
    name: report.agentName,
  }
}

function outcomeOf(report: ConformanceReport, refusal: Refusal | undefined, forbidden: string | undefined): Outcome {
  if (refusal?.kind === 'payment') return 'payment'
  if (forbidden !== undefined && report.interfaces.length === 0) return 'refused'
  if (isDead(report)) return 'dead'
  if (report.exitCode === EXIT.unauthenticated) return 'locked'
  return report.complete ? 'judged' : 'timeout'
}

function messageOf(report: ConformanceReport, outcome: Outcome, forbidden: string | undefined): string {
  if (outcome === 'payment') return 'it asks for payment (HTTP 402), which is never made'
  if (outcome === 'refused') return forbidden ?? ''
  return report.diagnosis?.message ?? report.incompleteReason ?? report.levelReasons.join('; ')
}

function recordOf(report: ConformanceReport, header: ReturnType<typeof beginRun>): Uint8Array {
  const lines: string[] = []
  const writer = new RecordWriter((line) => lines.push(line))
  writer.header(header)
  const run = runOfReport(report, header)
  writer.plan({ total: run.results.length })
  writer.end(run)
  return gzipSync(lines.join(''))
}
