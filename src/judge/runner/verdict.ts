// From results to a verdict: the level, what to fix first, what was covered, and the exit code.

import type { BindingId, DialectId } from '../../dialects/dialect.ts'
import { EXIT } from '../../model/errors.ts'
import { coversBinding, registerOf } from '../register.ts'
import type { Case } from './plan.ts'
import type { ConformanceLevel, ConformanceResult, Coverage, Diagnosis, Summary, Verdict } from './result.ts'

const VERDICTS: readonly Verdict[] = [
  'pass',
  'fail',
  'warn',
  'info',
  'spec-conflict',
  'not-applicable',
  'not-measured',
  'known',
  'harness-error',
]

export function countVerdicts(results: readonly ConformanceResult[]): Record<Verdict, number> {
  const counts = Object.fromEntries(VERDICTS.map((verdict) => [verdict, 0])) as Record<Verdict, number>
  for (const { verdict } of results) counts[verdict]++
  return counts
}

export function summarise(results: readonly ConformanceResult[]): Summary {
  const count = (status: ConformanceResult['status']) => results.filter((result) => result.status === status).length
  return { total: results.length, passed: count('pass'), failed: count('fail'), skipped: count('skip') }
}

/** A failed requirement, counted or excused by the baseline: what the agent does, not what its owner knows. */
function isBroken(result: ConformanceResult): boolean {
  return result.verdict === 'fail' || (result.verdict === 'known' && result.level === 'MUST')
}

const OPTIONAL = new Set([
  'streaming',
  'pushNotifications',
  'extendedAgentCard',
  'extensions',
  'signatures',
  'multi-binding',
])

export function levelOf(
  cases: readonly Case[],
  results: readonly ConformanceResult[],
  diagnosis: Diagnosis | undefined,
): { level: ConformanceLevel; reasons: string[] } {
  if (diagnosis !== undefined) return { level: 'non-conformant', reasons: [diagnosis.message] }
  const caseOf = new Map(cases.map((item) => [item.key, item]))
  const broken = results.filter(isBroken)
  const basics = broken.filter((result) => caseOf.get(result.key)?.check.meta.basic === true)
  if (basics.length > 0) return { level: 'non-conformant', reasons: names('basics broken', basics) }
  const isOptional = (result: ConformanceResult) =>
    caseOf.get(result.key)?.rows.every((row) => OPTIONAL.has(row.capability)) ?? result.category === 'interop'
  const core = broken.filter((result) => !isOptional(result))
  if (core.length > 0) return { level: 'minimal', reasons: names('core requirements broken', core) }
  if (broken.length > 0) return { level: 'partial', reasons: names('optional features broken', broken) }
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
  return reasons.length === 0 ? { level: 'full', reasons: [] } : { level: 'partial', reasons }
}

function names(what: string, results: readonly ConformanceResult[]): string[] {
  const tests = [...new Set(results.map((result) => result.test))]
  const shown = tests.slice(0, 5).join(', ')
  return [`${what}: ${shown}${tests.length > 5 ? ` and ${tests.length - 5} more` : ''}`]
}

const MEASURED: ReadonlySet<Verdict> = new Set(['pass', 'fail', 'warn', 'info', 'known', 'spec-conflict'])

export function coverageOf(
  results: readonly ConformanceResult[],
  judged: readonly { version: DialectId; binding: BindingId }[],
): Coverage[] {
  return [...new Set(judged.map(({ version }) => version))].map((version) => {
    const bindings = judged.filter((item) => item.version === version).map(({ binding }) => binding)
    const rows = [...registerOf(version).rows.values()].filter(
      (row) => row.side === 'server' && bindings.some((binding) => coversBinding(row, binding)),
    )
    const measured = new Set(
      results
        .filter((result) => result.version === version && MEASURED.has(result.verdict))
        .flatMap((result) => result.requirements),
    )
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

/** More harness errors than this share of what ran, and nobody should trust the rest. */
const TRUSTED_ERROR_SHARE = 0.05

export function exitCodeOf(
  results: readonly ConformanceResult[],
  options: { diagnosis: Diagnosis | undefined; stale: number },
): number {
  const counts = countVerdicts(results)
  const ran = results.length - counts['not-applicable'] - counts['not-measured']
  if (counts['harness-error'] > ran * TRUSTED_ERROR_SHARE) return EXIT.bug
  if (options.diagnosis !== undefined) return options.diagnosis.exitCode
  if (results.some((result) => result.status === 'fail')) return EXIT.failed
  if (options.stale > 0) return EXIT.staleBaseline
  return ran - counts['harness-error'] === 0 ? EXIT.inconclusive : EXIT.ok
}
