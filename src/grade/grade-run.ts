// A grade as a run: what every report format reads.

import { registerOf } from '../judge/register.ts'
import { applyBaseline, type BaselineEntry } from '../judge/runner/baseline.ts'
import type { ConformanceLevel, FindingGroup, Score } from '../judge/runner/result.ts'
import { statusOf } from '../judge/runner/result.ts'
import { transcriptOf } from '../judge/runner/transcript-of.ts'
import { EXIT } from '../model/errors.ts'
import { plainRun } from '../run/plain-run.ts'
import type { Run, RunHeader, RunResult } from '../run/run.ts'
import { Redactor } from '../trace/redact.ts'
import { shellWord } from '../trace/shell-word.ts'
import type { Grade } from './grade.ts'
import { GROUND } from './plan.ts'
import type { ClaimResult } from './run-scenario.ts'
import { CURRENT, levelOf, surfaceKey } from './scenario.ts'

const MOST_CALLS = 6
const MOST_OUTPUT = 1_000
/** Below it, too little was seen to speak of the whole client. */
const ENOUGH = 0.5

export interface GradeRunOptions {
  /** Warnings fail the run too. */
  readonly strict: boolean
  /** Every scenario was asked for. */
  readonly isWhole: boolean
  /** Failures that are known and do not count. */
  readonly baseline?: readonly BaselineEntry[]
}

export function runOfGrade(grade: Grade, header: RunHeader, options: GradeRunOptions): Run {
  const results = grade.results.map((result) => gradeResult(result, options.strict))
  const { stale } = applyBaseline(results, options.baseline ?? [], options.isWhole)
  const { durationMs, complete } = grade
  const run = plainRun(header, results, {
    durationMs,
    complete,
    exitCode: complete ? exitCodeOf(results, stale) : grade.exitCode,
    ...(header.target !== undefined && { agentName: header.target }),
  })
  const { level, reasons } = conformanceOf(grade, options.isWhole)
  return {
    ...run,
    footer: {
      ...run.footer,
      conformanceLevel: level,
      levelReasons: reasons,
      score: scoresOf(grade.results),
      findings: findingsOf(results),
      ...(stale.length > 0 && { staleBaseline: stale }),
    },
  }
}

function exitCodeOf(results: readonly RunResult[], stale: readonly string[]): number {
  if (results.some(({ status }) => status === 'fail')) return EXIT.failed
  if (stale.length > 0) return EXIT.staleBaseline
  const isMeasured = results.some(({ verdict }) => !['not-measured', 'skip'].includes(verdict))
  return isMeasured ? EXIT.ok : EXIT.inconclusive
}

export function gradeResult(graded: ClaimResult, strict: boolean): RunResult {
  const { scenario, claim, surface, verdict, message, pointer, calls, exit, durationMs } = graded
  const rows = registerOf(CURRENT).rows
  const result: RunResult = {
    test: claim.id,
    key: `${claim.id}@${surfaceKey(surface)}`,
    group: scenario.area,
    area: scenario.area,
    title: claim.title,
    level: levelOf(claim.title),
    verdict,
    status: statusOf(verdict, strict),
    version: surface.version,
    binding: surface.binding,
    duration_ms: durationMs,
    sections: [...new Set(claim.proves.flatMap((id) => rows.get(id)?.section ?? []))],
    requirements: [...claim.proves],
    requirement: scenario.about,
  }
  if (message !== undefined) result.message = message
  if (verdict === 'not-measured' || verdict === 'pass') return result
  const redactor = new Redactor()
  result.recommendation = claim.fix
  result.expected = claim.title
  if (message !== undefined) result.actual = message
  if (pointer !== undefined) result.pointer = pointer
  result.transcript = calls.slice(0, MOST_CALLS).map(({ exchange }) => transcriptOf(exchange, redactor))
  const place = `--a2a-version ${surface.version} --transport ${surface.binding}`
  result.reproduction = { parley: `parley grade --serve ${shellWord(scenario.id)} ${place}`, curl: [] }
  result.notes = notesOf(exit, redactor, claim.cites)
  return result
}

function notesOf(exit: ClaimResult['exit'], redactor: Redactor, cites: readonly string[] = []): string[] {
  const notes: string[] = []
  if (exit !== undefined) {
    const { code, signal = 'an unknown signal' } = exit
    const how = code === undefined ? `was ended by ${signal}` : `exit code ${code}`
    const ended = exit.isTimeout ? 'was stopped at its time limit' : how
    notes.push(`the client: ${ended}, ${exit.durationMs} ms`)
    const said = exit.stderr.trim() || exit.stdout.trim()
    if (said !== '') notes.push(`it printed: ${redactor.text(said.slice(-MOST_OUTPUT))}`)
  }
  if (cites.length > 0) notes.push(`met before: ${cites.join(', ')}`)
  return notes
}

function conformanceOf({ results, complete }: Grade, isWhole: boolean): { level: ConformanceLevel; reasons: string[] } {
  const measured = results.filter(({ verdict }) => verdict !== 'not-measured')
  const failed = results.filter(({ verdict }) => verdict === 'fail')
  if (!complete) return { level: 'not determined', reasons: ['the run was interrupted'] }
  if (!isWhole) return { level: 'not determined', reasons: ['only some of the scenarios were run'] }
  const ground = failed.find(({ scenario }) => scenario.id === GROUND)
  if (ground !== undefined) return { level: 'non-conformant', reasons: [`${ground.claim.id}: ${ground.message ?? ''}`] }
  const current = results.filter(({ surface }) => surface.version === CURRENT)
  const share = measured.filter(({ surface }) => surface.version === CURRENT).length / Math.max(current.length, 1)
  if (failed.length > 0) return { level: 'partial', reasons: [`${failed.length} claims of level MUST do not hold`] }
  if (share < ENOUGH) return { level: 'at least minimal', reasons: ['less than half of the claims could be measured'] }
  return { level: 'full', reasons: ['every claim of level MUST that was measured holds'] }
}

/** One for each claim that does not hold; what most results say first, and MUST before SHOULD. */
function findingsOf(results: readonly RunResult[]): FindingGroup[] {
  const groups = new Map<string, FindingGroup>()
  for (const { test, key, verdict, level, message = '', recommendation = '' } of results) {
    if (verdict !== 'fail' && verdict !== 'warn') continue
    const group = groups.get(test) ?? { cause: message, recommendation, level, tests: [], blocks: [] }
    group.tests.push(key)
    groups.set(test, group)
  }
  const weight = ({ level, tests }: FindingGroup) => (level === 'MUST' ? 1_000 : 0) + tests.length
  return [...groups.values()].sort((a, b) => weight(b) - weight(a))
}

function scoresOf(results: readonly ClaimResult[]): Score[] {
  const must = results.filter(({ claim, verdict }) => levelOf(claim.title) === 'MUST' && verdict !== 'not-measured')
  const versions = [...new Set(must.map(({ surface }) => surface.version))]
  return versions.map((version) => {
    const own = must.filter(({ surface }) => surface.version === version)
    const areas = [...new Set(own.map(({ scenario }) => scenario.area))].map((area) => {
      const inArea = own.filter(({ scenario }) => scenario.area === area)
      return { area, mustKept: kept(inArea), mustMeasured: inArea.length }
    })
    return { version, mustKept: kept(own), mustMeasured: own.length, areas }
  })
}

const kept = (results: readonly ClaimResult[]): number => results.filter(({ verdict }) => verdict === 'pass').length
