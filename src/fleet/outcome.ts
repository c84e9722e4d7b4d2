// What became of one agent in one run, and how far along the funnel it came. The steps are nested: an agent counts for a
// step when it passed all before it.

import { allChecks } from '../judge/checks/all.ts'
import { type ConformanceReport, resultsOf } from '../judge/runner/result.ts'

/** How the run of an agent ended. */
export type Outcome =
  | 'judged'
  /** Nothing answers at its address. */
  | 'dead'
  /** It answers, but not to us: no credentials, or not enough of them. */
  | 'locked'
  /** Its credentials refer to something this worker does not have. */
  | 'no-credentials'
  /** Its host asked to be left alone for longer than the run waits. */
  | 'throttled'
  /** It wants money, which is never paid. */
  | 'payment'
  /** Its address is not one that may be called. */
  | 'refused'
  /** The time for one agent was over. */
  | 'timeout'
  /** Every attempt was interrupted. */
  | 'given-up'
  /** Something of ours went wrong. */
  | 'error'

export const STAGES = ['listed', 'reachable', 'card valid', 'speaks', 'at least minimal', 'partial', 'full'] as const
export const AT_LEAST_MINIMAL = 4

const LEVEL_STAGE: Readonly<Record<string, number>> = { 'at least minimal': 4, minimal: 4, partial: 5, full: 6 }

/** Diagnoses of an address where HTTP is not spoken. */
const DEAD = new Set(['unreachable', 'timeout'])

export function stageOf(report: ConformanceReport): number {
  if (isDead(report)) return 0
  if (report.provenance.cardUrl === undefined || isCardBroken(report)) return 1
  if (report.interfaces.length === 0) return 2
  return LEVEL_STAGE[report.conformanceLevel] ?? 3
}

export function isDead({ diagnosis, interfaces, provenance }: ConformanceReport): boolean {
  if (interfaces.length > 0 || provenance.cardUrl !== undefined || diagnosis === undefined) return false
  return DEAD.has(diagnosis.code)
}

let mandatory: ReadonlySet<string> | undefined

/** What is mandatory about a card; the rest costs the level, not the card. */
function isCardBroken(report: ConformanceReport): boolean {
  mandatory ??= new Set(
    allChecks()
      .filter(({ category, meta }) => category === 'agent-card' && meta.mandatory === true)
      .map(({ id }) => id),
  )
  return resultsOf(report).some(({ test, verdict }) => verdict === 'fail' && mandatory?.has(test) === true)
}

export interface Funnel {
  /** As many entries as there are stages. */
  readonly stages: readonly number[]
  /** How many agents were judged with the profile that can tell partial and full. */
  readonly full: number
}

/** The steps that can be told of these agents: partial and full only where it was looked at. */
export function funnelLines({ stages, full }: Funnel): { stage: string; agents: number }[] {
  const shown = full > 0 ? STAGES.length : AT_LEAST_MINIMAL + 1
  return STAGES.slice(0, shown).map((stage, at) => ({ stage, agents: stages[at] ?? 0 }))
}
