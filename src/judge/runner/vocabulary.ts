// The words for parts of the judge: checks, areas, categories, requirements and sections. `--only`, `--skip`, `explain`,
// reports and completion all take and print these, so a word seen in one place works in every other.

import { EXIT, ParleyError } from '../../model/errors.ts'
import { closest } from '../../yaml/did-you-mean.ts'
import type { PlacedCheck } from '../checks/check.ts'
import { GENERATIONS, registerOf } from '../register.ts'
import { scoreAreaOf } from './areas.ts'

/** Of one kind, each in the order of the checks. */
export interface Vocabulary {
  checks: readonly string[]
  /** As the score names them, and the finer ones of the files the checks stand in. */
  areas: readonly string[]
  categories: readonly string[]
  requirements: readonly string[]
  sections: readonly string[]
}

export function vocabularyOf(checks: readonly PlacedCheck[]): Vocabulary {
  return {
    checks: checks.map(({ id }) => id),
    areas: [...new Set(checks.flatMap((check) => [scoreAreaOf(check), check.area]))],
    categories: [...new Set(checks.map(({ category }) => category))],
    requirements: [...new Set(checks.flatMap(({ meta }) => meta.proves))],
    sections: [...new Set(checks.flatMap(sectionsOf))],
  }
}

/** Whether the check is what is wanted, or part of it. `get-task-unknown@1.0/rest` names the check before the @. */
export function answersTo(check: PlacedCheck, wanted: string): boolean {
  const [name = ''] = wanted.replace(/^§/, '').split('@')
  if (check.id === name || check.area === name || check.category === name || check.meta.proves.includes(name))
    return true
  if (scoreAreaOf(check) === name) return true
  return sectionsOf(check).some((section) => section === name || section.startsWith(`${name}.`))
}

function sectionsOf({ meta }: PlacedCheck): string[] {
  return GENERATIONS.flatMap((generation) => {
    const { rows } = registerOf(generation)
    return meta.proves.flatMap((id) => rows.get(id)?.section ?? [])
  })
}

/** `more`: words that are no less right where it was asked. */
export function unknownSelection(
  wanted: string,
  checks: readonly PlacedCheck[],
  more: readonly string[] = [],
): ParleyError {
  const near = closest(wanted, new Set([...Object.values(vocabularyOf(checks)).flat(), ...more]))
  const hint = near === undefined ? '' : `Did you mean '${near}'? `
  return new ParleyError('unknown-check', `There is no check, area, category, requirement or section '${wanted}'.`, {
    exitCode: EXIT.usage,
    hint: `${hint}\`parley explain\` lists areas and categories, \`parley test --list\` every check.`,
  })
}
