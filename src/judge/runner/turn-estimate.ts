// How many turns of the agent a plan will take, about: what each check took when it was measured against agents that
// show every behaviour (requirements/turns.yaml, written by `npm run turns`).

import type { DialectId } from '../../dialects/dialect.ts'
import { tooManyTurns } from '../probe/turns.ts'
import { readRequirementFile } from '../requirement-file.ts'
import { earlierCases } from './grounds.ts'
import type { Case } from './plan.ts'

interface TurnTable {
  /** Tasks that checks of one interface share. */
  shared: number
  checks: Readonly<Record<string, number>>
}

export const FIRST_WRITING_PHASE = 3
/** What a check takes that was not measured yet. */
const UNKNOWN = 1
/** So many checks of an interface together want all that there is to share. */
const MOST_SHARERS = 40

let tables: Readonly<Partial<Record<DialectId, TurnTable>>> | undefined

function tableOf(generation: DialectId): TurnTable {
  tables ??= readRequirementFile<NonNullable<typeof tables>>('turns')
  return tables[generation] ?? { shared: 0, checks: {} }
}

export function estimateTurns(cases: readonly Case[]): number {
  return cases.reduce((sum, item) => sum + turnsOf(item), 0) + sharedBy(cases)
}

/** Leaves out what does not fit, the mandatory last; the budget of the run itself sees to it that nothing exceeds it. */
export function withinTurns(cases: readonly Case[], max: number): Case[] {
  let left = max - Math.min(sharedBy(cases), Math.floor(max / 3))
  const fits = new Set<Case>()
  const byImportance = cases.toSorted((a, b) => Number(isMandatory(b)) - Number(isMandatory(a)))
  for (const item of byImportance) {
    const turns = turnsOf(item)
    if (turns > left) continue
    left -= turns
    fits.add(item)
  }
  const { message: reason, wouldNeed = '', notRun = '' } = tooManyTurns(max)
  return cases.map((item) =>
    fits.has(item) ? item : { ...item, skip: { verdict: 'not-measured', reason, wouldNeed, notRun } },
  )
}

/** So that no other check takes the turns they need: the mandatory with what they stand on, then the rest. */
export function basicsFirst(cases: readonly Case[]): [Case[], Case[]] {
  const byKey = new Map(cases.map((item) => [item.key, item]))
  const early = new Set<Case>()
  const take = (item: Case | undefined) => {
    if (item === undefined || early.has(item)) return
    early.add(item)
    for (const key of earlierCases(item)) take(byKey.get(key))
  }
  cases.filter(isMandatory).forEach(take)
  return [cases.filter((item) => early.has(item)), cases.filter((item) => !early.has(item))]
}

function turnsOf({ check, skip, generation }: Case): number {
  if (skip !== undefined || check.body === undefined) return 0
  return tableOf(generation).checks[check.id] ?? (check.phase >= FIRST_WRITING_PHASE ? UNKNOWN : 0)
}

/** What all checks of an interface share, and the part of it that a selection is likely to want. */
function sharedBy(cases: readonly Case[]): number {
  const writing = cases.filter(
    ({ check, skip }) => skip === undefined && check.body !== undefined && check.phase >= FIRST_WRITING_PHASE,
  )
  const bySurface = Map.groupBy(writing, ({ surface }) => surface)
  return [...bySurface].reduce(
    (sum, [{ generation }, items]) =>
      sum + Math.ceil(tableOf(generation).shared * Math.min(1, items.length / MOST_SHARERS)),
    0,
  )
}

function isMandatory({ check }: Case): boolean {
  return check.meta.mandatory === true
}
