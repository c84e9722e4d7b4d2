// Findings by cause: what one repair puts right is one finding, and it answers for everything that could not be measured
// because of it. The finding whose repair turns most results green comes first.

import { ANSWER_EVERY_REQUEST } from '../probe/check-failure.ts'
import type { Level } from '../register.ts'
import { SEEN_INSTEAD } from './execute.ts'
import type { Case } from './plan.ts'
import type { ConformanceResult, FindingGroup } from './result.ts'

const RANK: Readonly<Record<Level, number>> = { MUST: 0, SHOULD: 1, MAY: 2 }

/** Tells every failed result what is not measured because of it. */
export function noteBlocked(results: readonly ConformanceResult[]): void {
  const byKey = new Map(results.map((result) => [result.key, result]))
  for (const result of results) {
    const root = rootOf(result, byKey)
    if (root === undefined) continue
    result.blockedBy = root.key
    root.blocks = [...(root.blocks ?? []), result.key]
  }
}

/** What a result stands on may itself stand on something. */
function rootOf(
  { blockedBy }: ConformanceResult,
  byKey: ReadonlyMap<string, ConformanceResult>,
): ConformanceResult | undefined {
  let root = blockedBy === undefined ? undefined : byKey.get(blockedBy)
  for (let depth = 0; root?.blockedBy !== undefined && depth < byKey.size; depth++) root = byKey.get(root.blockedBy)
  return root
}

/** What a finding is made of; a run of suites has such results, too. */
type Found = Pick<
  ConformanceResult,
  'key' | 'title' | 'message' | 'level' | 'recommendation' | 'blocks' | 'blockedBy' | 'notes'
> & {
  verdict: string
}

/** What fails comes before what warns; the more a repair turns green, the earlier. */
export function groupFindings(cases: readonly Case[], results: readonly Found[]): FindingGroup[] {
  const isMandatory = new Map(cases.map((item) => [item.key, item.check.meta.mandatory === true]))
  const open = results.filter(({ verdict }) => verdict === 'fail' || verdict === 'warn')
  // That an operation does not work is one thing, whichever check shows it over which binding.
  const shownBy = new Map(cases.map((item) => [item.key, item.check.meta.groundOf]))
  const ownCause = ({ key, recommendation = '' }: Found) =>
    // So is an agent that leaves requests unanswered, whichever they are.
    recommendation === ANSWER_EVERY_REQUEST ? recommendation : (shownBy.get(key) ?? recommendation)
  const elsewhere = toldElsewhere(results, new Map(open.map((result) => [result.key, result])))
  const causeOf = (result: Found) => ownCause(elsewhere.get(claimOf(result)) ?? result)
  const groups = [...Map.groupBy(open, causeOf).values()].map((found) => {
    const members = found.toSorted((a, b) => weight(a) - weight(b) || (b.blocks?.length ?? 0) - (a.blocks?.length ?? 0))
    const [first] = members
    const blocks = members.flatMap((member) => member.blocks ?? [])
    const failing = members.filter(({ verdict }) => verdict === 'fail').length
    return {
      group: {
        cause: first?.message ?? first?.title ?? '',
        recommendation: first?.recommendation ?? '',
        level: members.map(({ level }) => level).toSorted((a, b) => RANK[a] - RANK[b])[0] ?? 'MUST',
        tests: members.map(({ key }) => key),
        blocks,
      } satisfies FindingGroup,
      repairs: failing + blocks.length,
      isMandatory: members.some(({ key, verdict }) => verdict === 'fail' && isMandatory.get(key) === true),
      weight: first === undefined ? 0 : weight(first),
    }
  })
  return groups
    .sort(
      (a, b) =>
        b.repairs - a.repairs ||
        Number(b.isMandatory) - Number(a.isMandatory) ||
        a.weight - b.weight ||
        b.group.tests.length - a.group.tests.length,
    )
    .map(({ group }) => group)
}

/**
 * What a check has met over one binding, and another check tells there, is the same thing over the other binding: the
 * results that tell it, by the claim.
 */
function toldElsewhere(results: readonly Found[], open: ReadonlyMap<string, Found>): Map<string, Found> {
  const told = new Map<string, Found>()
  for (const result of results) {
    const teller = open.get(result.blockedBy ?? '')
    const hasSeen = result.notes?.some((note) => note.startsWith(SEEN_INSTEAD)) === true
    if (teller !== undefined && hasSeen) told.set(claimOf(result), teller)
  }
  return told
}

/** The check and its generation, without the binding. */
function claimOf({ key }: Found): string {
  return key.split('/', 1)[0] ?? key
}

function weight({ verdict, level }: Found): number {
  return (verdict === 'fail' ? 0 : 10) + RANK[level]
}
