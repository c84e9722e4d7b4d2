// From results to a verdict: counts, what was covered, what of it is kept, and the exit code.

import type { BindingId, DialectId } from '../../dialects/dialect.ts'
import { EXIT } from '../../model/errors.ts'
import { coversBinding, type Requirement, registerOf } from '../register.ts'
import { AREAS } from './areas.ts'
import type { RunEnd } from './end-of-run.ts'
import type { AreaScore, ConformanceResult, Coverage, Diagnosis, Score, Verdict } from './result.ts'
import { VERDICTS } from './verdicts.ts'

export function countVerdicts(results: readonly ConformanceResult[]): Record<Verdict, number> {
  const counts = Object.fromEntries(VERDICTS.map((verdict) => [verdict, 0])) as Record<Verdict, number>
  for (const { verdict } of results) counts[verdict]++
  return counts
}

/** A failed requirement, counted or excused by the baseline: what the agent does, not what its owner knows. */
export function isBroken(result: ConformanceResult): boolean {
  return result.verdict === 'fail' || (result.verdict === 'known' && result.level === 'MUST')
}

const MEASURED: ReadonlySet<Verdict> = new Set(['pass', 'fail', 'warn', 'info', 'known', 'spec-conflict'])

export function coverageOf(
  results: readonly ConformanceResult[],
  judged: readonly { version: DialectId; binding: BindingId }[],
): Coverage[] {
  return [...new Set(judged.map(({ version }) => version))].map((version) => {
    const rows = rowsOf(version, judged)
    const measured = new Set(measuredOf(version, results).flatMap((result) => result.requirements))
    const must = rows.filter((row) => row.level === 'MUST')
    const isMeasured = (row: { id: string }) => measured.has(row.id)
    return {
      version,
      rows: rows.length,
      measured: rows.filter(isMeasured).length,
      mustRows: must.length,
      mustMeasured: must.filter(isMeasured).length,
    }
  })
}

/** What the generation asks of an agent over the bindings that were judged; over any when only the card was. */
function rowsOf(version: DialectId, judged: readonly { version: DialectId; binding: BindingId }[]): Requirement[] {
  const bindings = judged.filter((item) => item.version === version).map(({ binding }) => binding)
  return [...registerOf(version).rows.values()].filter(
    (row) =>
      row.side === 'server' && (bindings.length === 0 || bindings.some((binding) => coversBinding(row, binding))),
  )
}

function measuredOf(version: DialectId, results: readonly ConformanceResult[]): ConformanceResult[] {
  return results.filter((result) => result.version === version && MEASURED.has(result.verdict))
}

/** Of the MUST that were measured, how many are kept. A requirement counts once, in the area of the first that proves it. */
export function scoreOf(
  results: readonly ConformanceResult[],
  judged: readonly { version: DialectId; binding: BindingId }[],
): Score[] {
  const versions = new Set(results.flatMap(({ version }) => version ?? []))
  return [...versions].flatMap((version) => {
    const measured = measuredOf(version, results)
    const broken = new Set(measured.filter(isBroken).flatMap((result) => result.requirements))
    const areaOf = new Map(measured.toReversed().flatMap((one) => one.requirements.map((id) => [id, one.area])))
    const areas = new Map<string, AreaScore>()
    for (const { id, level } of rowsOf(version, judged)) {
      const name = areaOf.get(id)
      if (level !== 'MUST' || name === undefined) continue
      const area = areas.get(name) ?? { area: name, mustKept: 0, mustMeasured: 0 }
      area.mustMeasured++
      if (!broken.has(id)) area.mustKept++
      areas.set(name, area)
    }
    if (areas.size === 0) return []
    const sorted = AREAS.flatMap((name) => areas.get(name) ?? [])
    const sum = (of: 'mustKept' | 'mustMeasured') => sorted.reduce((so, area) => so + area[of], 0)
    return [{ version, mustKept: sum('mustKept'), mustMeasured: sum('mustMeasured'), areas: sorted }]
  })
}

/** More harness errors than this share of what ran, and the rest cannot be trusted. */
const TRUSTED_ERROR_SHARE = 0.05

/** More of our own errors than can be believed: nothing of the run should be. */
export function isUntrustworthy(results: readonly ConformanceResult[]): boolean {
  const counts = countVerdicts(results)
  const ran = results.length - counts['not-applicable'] - counts['not-measured']
  return counts['harness-error'] > ran * TRUSTED_ERROR_SHARE
}

export interface Circumstances {
  diagnosis: Diagnosis | undefined
  /** Entries of the baseline that are not true any more. */
  stale: number
  /** How the run ended before it was through. */
  end: RunEnd | undefined
  /** Interfaces, and checks, that could not be judged for want of credentials. */
  locked: number
  /** Checks that were turned away for asking too often, or for not paying. */
  limited: number
}

export function exitCodeOf(results: readonly ConformanceResult[], circumstances: Circumstances): number {
  const { diagnosis, stale, end, locked, limited } = circumstances
  if (isUntrustworthy(results)) return EXIT.bug
  if (end?.isDecisive === true) return end.exitCode
  if (diagnosis !== undefined) return diagnosis.exitCode
  if (results.some((result) => result.status === 'fail')) return EXIT.failed
  if (end !== undefined) return end.exitCode
  if (locked > 0) return EXIT.unauthenticated
  if (limited > 0) return EXIT.inconclusive
  if (stale > 0) return EXIT.staleBaseline
  return results.some(({ verdict }) => MEASURED.has(verdict)) ? EXIT.ok : EXIT.inconclusive
}
