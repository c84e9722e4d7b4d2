// Which rule a request meets, and, when it meets none, which came closest and why not.

import type { RequestFacts } from '../script/condition.ts'
import type { Rule } from '../script/script.ts'

export interface NearestRule {
  readonly rule: string
  /** One reason per condition that did not hold. */
  readonly why: readonly string[]
}

export type RuleMatch =
  | { ok: true; rule: Rule; captures: { readonly [name: string]: string } }
  | { ok: false; nearest: NearestRule | undefined }

/** `turn` is the index of this message in its task; `played` how often each rule was chosen so far. */
export function matchRule(
  rules: readonly Rule[],
  facts: RequestFacts,
  turn: number,
  played: ReadonlyMap<string, number>,
): RuleMatch {
  let nearest: (NearestRule & { held: number }) | undefined
  for (const rule of rules) {
    const why: string[] = []
    let held = 0
    const captures: { [name: string]: string } = {}
    const wantedTurn = rule.turn ?? 0
    if (wantedTurn !== turn) why.push(`it answers message ${wantedTurn} of a task, this is message ${turn}`)
    else held++
    if ((played.get(rule.id) ?? 0) >= rule.times.max) why.push(`it was already played ${rule.times.max} times`)
    else held++
    for (const condition of rule.conditions) {
      const verdict = condition.check(facts)
      if (verdict.ok) {
        held++
        Object.assign(captures, verdict.captures)
      } else why.push(verdict.why)
    }
    if (why.length === 0) return { ok: true, rule, captures }
    // Fewest unmet conditions first; among those, most met ones.
    if (
      nearest === undefined ||
      why.length < nearest.why.length ||
      (why.length === nearest.why.length && held > nearest.held)
    )
      nearest = { rule: rule.id, why, held }
  }
  return { ok: false, nearest: nearest && { rule: nearest.rule, why: nearest.why } }
}

export function describeNearest(nearest: NearestRule | undefined): string {
  if (nearest === undefined) return 'the script has no rules'
  return `the nearest is '${nearest.rule}', but ${nearest.why.join(', and ')}`
}
