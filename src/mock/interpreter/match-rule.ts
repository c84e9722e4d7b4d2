// Which rule a request meets, and, when it meets none, which came closest and why not.

import type { RequestFacts } from '../script/condition.ts'
import type { Rule } from '../script/script.ts'

/** The rule that came nearest to a message that none fits. */
export interface NearestRule {
  /** Its id. */
  readonly rule: string
  /** One reason per condition that did not hold. */
  readonly why: readonly string[]
}

export type RuleMatch =
  | { ok: true; rule: Rule; captures: { readonly [name: string]: string } | undefined }
  | { ok: false; nearest: NearestRule | undefined }

/** `turn` is the index of this message in its task; `played` how often each rule was chosen so far. */
export function matchRule(
  rules: readonly Rule[],
  facts: RequestFacts,
  turn: number,
  played: ReadonlyMap<string, number>,
): RuleMatch {
  for (const rule of rules) {
    if ((rule.turn ?? 0) !== turn || (played.get(rule.id) ?? 0) >= rule.times.max) continue
    const captures = capturesOf(rule, facts)
    if (captures !== false) return { ok: true, rule, captures }
  }
  return { ok: false, nearest: nearestOf(rules, facts, turn, played) }
}

/** False when a condition does not hold; undefined when there is nothing to capture. */
function capturesOf(rule: Rule, facts: RequestFacts): { [name: string]: string } | undefined | false {
  let captures: { [name: string]: string } | undefined
  for (const condition of rule.conditions) {
    const verdict = condition.check(facts)
    if (!verdict.ok) return false
    if (verdict.captures !== undefined) captures = { ...captures, ...verdict.captures }
  }
  return captures
}

function nearestOf(
  rules: readonly Rule[],
  facts: RequestFacts,
  turn: number,
  played: ReadonlyMap<string, number>,
): NearestRule | undefined {
  let nearest: (NearestRule & { held: number }) | undefined
  for (const rule of rules) {
    const why: string[] = []
    const wantedTurn = rule.turn ?? 0
    if (wantedTurn !== turn) why.push(`it answers message ${wantedTurn} of a task, this is message ${turn}`)
    if ((played.get(rule.id) ?? 0) >= rule.times.max)
      why.push(`it already matched ${rule.times.max} time${rule.times.max === 1 ? '' : 's'}`)
    for (const condition of rule.conditions) {
      const verdict = condition.check(facts)
      if (!verdict.ok) why.push(verdict.why())
    }
    const held = rule.conditions.length + 2 - why.length
    // Fewest unmet conditions first; among those, most met ones.
    if (
      nearest === undefined ||
      why.length < nearest.why.length ||
      (why.length === nearest.why.length && held > nearest.held)
    )
      nearest = { rule: rule.id, why, held }
  }
  return nearest && { rule: nearest.rule, why: nearest.why }
}

export function describeNearest(nearest: NearestRule | undefined): string {
  if (nearest === undefined) return 'the script has no rules'
  return `the nearest is '${nearest.rule}', but ${nearest.why.join(', and ')}`
}
