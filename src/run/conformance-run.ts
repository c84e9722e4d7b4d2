// A report of checks as a run, and back: the report is the published shape that `--format json` prints, the run is what
// every format reads and what a record holds. Nothing is lost either way.

import { byCategory, type ConformanceReport, type ConformanceResult, resultsOf } from '../judge/runner/result.ts'
import { outcomeOf } from './begin-run.ts'
import { type Run, type RunHeader, type RunResult, type RunSubject, subjectsOf } from './run.ts'

export function runOfReport(report: ConformanceReport, header: RunHeader): Run {
  const { second } = report
  const results = second === undefined ? resultsOf(report) : [...named(report, 'first'), ...named(second, 'second')]
  return {
    header,
    agents: [],
    results: results.map(runResultOf),
    footer: {
      verdict: outcomeOf(report.exitCode),
      ...subjectOf(report),
      ...(second === undefined ? {} : { second: subjectOf(second) }),
    },
  }
}

function named(report: ConformanceReport, whose: 'first' | 'second'): ConformanceResult[] {
  return resultsOf(report).map((result) => ({ ...result, agent: result.agent ?? whose }))
}

export function runResultOf(result: ConformanceResult): RunResult {
  return { ...result, group: result.category }
}

function subjectOf(report: ConformanceReport): RunSubject {
  const { provenance: from } = report
  return {
    agentUrl: report.agentUrl,
    agentName: report.agentName,
    agentVersion: report.agentVersion,
    startedAt: report.testDate,
    durationMs: from.durationMs,
    exitCode: report.exitCode,
    complete: report.complete,
    incompleteReason: report.incompleteReason,
    summary: report.summary,
    verdicts: report.verdicts,
    conformanceLevel: report.conformanceLevel,
    levelReasons: report.levelReasons,
    score: report.score,
    coverage: report.coverage,
    findings: report.findings,
    interfaces: report.interfaces,
    diagnosis: report.diagnosis,
    staleBaseline: report.staleBaseline,
    tasksCreated: from.tasksCreated,
    turns: from.turns,
    cardUrl: from.cardUrl,
    cardSha256: from.cardSha256,
  }
}

export function reportOfRun(run: Run): ConformanceReport {
  const [first, second] = subjectsOf(run).map(({ subject, results }) => reportOf(run.header, subject, results))
  if (first === undefined) throw new Error('a run has at least one subject')
  return second === undefined ? first : { ...first, second }
}

function reportOf(header: RunHeader, subject: RunSubject, results: readonly RunResult[]): ConformanceReport {
  const { tasksCreated = 0, turns = { about: 0, used: 0 }, durationMs, cardUrl, cardSha256 } = subject
  return {
    agentUrl: subject.agentUrl ?? header.target ?? '(unknown)',
    agentName: subject.agentName ?? '(unknown)',
    agentVersion: subject.agentVersion ?? '(unknown)',
    testDate: subject.startedAt,
    summary: subject.summary,
    categories: byCategory(results.map(conformanceResultOf)),
    conformanceLevel: subject.conformanceLevel ?? 'not determined',
    schemaVersion: 1,
    verdicts: subject.verdicts as ConformanceReport['verdicts'],
    levelReasons: subject.levelReasons,
    exitCode: subject.exitCode,
    complete: subject.complete,
    incompleteReason: subject.incompleteReason,
    diagnosis: subject.diagnosis,
    interfaces: subject.interfaces,
    findings: subject.findings,
    coverage: subject.coverage,
    score: subject.score,
    staleBaseline: subject.staleBaseline,
    provenance: {
      parleyVersion: header.parleyVersion,
      specRevision: (header.specRevision ?? '1.0.1') as ConformanceReport['provenance']['specRevision'],
      flags: header.flags,
      tasksCreated,
      turns,
      durationMs,
      cardUrl,
      cardSha256,
    },
  }
}

function conformanceResultOf(run: RunResult): ConformanceResult {
  const { group: _, ...result } = run
  return result as ConformanceResult
}
