// The card as a client of any generation served can read it: one form for whoever names a version, and for everybody else
// one object with the members of all of them (docs/decisions/0014).

import type { Dialect } from '../dialects/dialect.ts'
import type { AgentCard } from '../model/card.ts'
import { isJsonObject, type JsonValue } from '../model/json.ts'

/** `dialects` are those whose clients shall find the agent; where they use a member differently, the first wins. */
export function publishedCard(card: AgentCard, dialects: readonly Dialect[]): JsonValue {
  return dialects
    .map((dialect) => dialect.card.encode(card).wire)
    .reduceRight((older, newer) => overlay(older, newer), {})
}

/**
 * Members of both, the older ones in front: a reader of 0.3 may need `type` before everything else. Of lists that say the
 * same about the same things, such as skills, the entries are joined.
 */
function overlay(below: JsonValue, above: JsonValue): JsonValue {
  if (isJsonObject(below) && isJsonObject(above)) {
    const joined = { ...below }
    for (const [name, value] of Object.entries(above)) {
      const known = joined[name]
      joined[name] = known === undefined || value === undefined ? (value ?? known) : overlay(known, value)
    }
    return joined
  }
  if (!Array.isArray(below) || !Array.isArray(above) || below.length !== above.length) return above
  return above.map((entry, at) => overlay(below[at] ?? null, entry))
}
