// What a place says in which the specification contradicts itself, in the words of the report.

import { specConflicts } from '../register.ts'

/** The sentence about the agent, and why it is no failure: what contradicts what. */
export function inConflict(place: number, message: string): string {
  const row = specConflicts().get(place)
  if (row === undefined) throw new Error(`There is no place ${place} in requirements/spec-conflicts.yaml.`)
  return `${message}. The specification is not clear here: ${row.conflict.trim()} (docs/spec-conflicts.md, place ${place})`
}
