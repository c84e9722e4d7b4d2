// The level of an agent, or why there is none: a level is a claim about the whole agent, so a run that looked at less
// says so. What is broken is broken however little was looked at.

import { EXIT } from '../../model/errors.ts'
import { RUN_ENDED, type RunEnd } from './end-of-run.ts'
import type { Case } from './plan.ts'
import type { ConformanceLevel, ConformanceResult, Diagnosis } from './result.ts'
import { isBroken, isUntrustworthy } from './verdict.ts'

/** What a run did not look at, and why. */
export interface Gaps {
  diagnosis: Diagnosis | undefined
  end: RunEnd | undefined
  /** Checks that would have run without --only and --skip. */
  leftOut: number
  /** Declared interfaces that could not be used for want of credentials. */
  locked: readonly string[]
  isQuick: boolean
}

const OPTIONAL = new Set([
  'streaming',
  'pushNotifications',
  'extendedAgentCard',
  'extensions',
  'signatures',
  'multi-binding',
])

export interface LevelWithReasons {
  level: ConformanceLevel
  reasons: string[]
}

export function levelOf(cases: readonly Case[], results: readonly ConformanceResult[], gaps: Gaps): LevelWithReasons {
  const { diagnosis } = gaps
  // Only what is wrong with the agent itself speaks against it.
  if (diagnosis?.exitCode === EXIT.failed) return { level: 'non-conformant', reasons: [diagnosis.message] }
  if (isUntrustworthy(results)) return { level: 'not determined', reasons: ['errors of Parley itself'] }
  const caseOf = new Map(cases.map((item) => [item.key, item]))
  const broken = results.filter(isBroken)
  const mandatory = broken.filter((result) => caseOf.get(result.key)?.check.meta.mandatory === true)
  if (mandatory.length > 0) return { level: 'non-conformant', reasons: names('mandatory broken', mandatory) }
  const missing = missingOf(results, gaps)
  if (missing.length > 0) return { level: 'not determined', reasons: missing }
  if (gaps.isQuick) return { level: 'at least minimal', reasons: ['--quick runs the mandatory checks only'] }
  const isOptional = (result: ConformanceResult) =>
    caseOf.get(result.key)?.rows.every((row) => OPTIONAL.has(row.capability)) ?? result.category === 'interop'
  const core = broken.filter((result) => !isOptional(result))
  if (core.length > 0) return { level: 'minimal', reasons: names('core requirements broken', core) }
  if (broken.length > 0) return { level: 'partial', reasons: names('optional features broken', broken) }
  const reasons = unseenFeatures(caseOf, results)
  return { level: reasons.length === 0 ? 'full' : 'partial', reasons }
}

/** Why too little was looked at to speak of the whole agent. */
function missingOf(results: readonly ConformanceResult[], gaps: Gaps): string[] {
  const { diagnosis, end, leftOut, locked } = gaps
  const reasons: string[] = []
  if (diagnosis !== undefined) reasons.push(diagnosis.message)
  else if (end !== undefined) reasons.push(end.reason)
  // When nothing else could be asked, the diagnosis tells of them.
  for (const url of diagnosis === undefined ? new Set(locked) : [])
    reasons.push(`${url} requires credentials and was not tested`)
  if (leftOut > 0) reasons.push(`${checks(leftOut)} left out by --only or --skip`)
  for (const [reason, found] of Map.groupBy(results, ({ notRun }) => notRun)) {
    if (reason !== undefined && reason !== RUN_ENDED) reasons.push(`${checks(found.length)} not run: ${reason}`)
  }
  if (reasons.length === 0 && results.length === 0) reasons.push('no check of its own was selected')
  else if (reasons.length === 0 && !results.some(({ status }) => status !== 'skip'))
    reasons.push('nothing could be measured')
  return reasons
}

function unseenFeatures(caseOf: ReadonlyMap<string, Case>, results: readonly ConformanceResult[]): string[] {
  const reasons: string[] = []
  for (const [capability, feature] of [
    ['streaming', 'streaming'],
    ['pushNotifications', 'push notifications'],
  ] as const) {
    const about = results.filter((result) => caseOf.get(result.key)?.rows.some((row) => row.capability === capability))
    const verdicts = new Set(about.map((result) => result.verdict))
    if (about.length === 0 || (verdicts.size === 1 && verdicts.has('not-applicable')))
      reasons.push(`${feature} not offered`)
    else if (!verdicts.has('pass')) reasons.push(`${feature} could not be measured`)
  }
  return reasons
}

function checks(count: number): string {
  return count === 1 ? '1 check' : `${count} checks`
}

function names(what: string, results: readonly ConformanceResult[]): string[] {
  const tests = [...new Set(results.map((result) => result.test))]
  const shown = tests.slice(0, 5).join(', ')
  return [`${what}: ${shown}${tests.length > 5 ? ` and ${tests.length - 5} more` : ''}`]
}
