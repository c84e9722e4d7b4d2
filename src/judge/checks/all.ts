// Every check there is, in the order of the areas. A new area is one file and one line here.

import { cardChecks } from './card.ts'
import { cardInterfaceChecks } from './card-interfaces.ts'
import { cardSecurityChecks } from './card-security.ts'
import { cardSkillChecks } from './card-skills.ts'
import type { PlacedCheck } from './check.ts'
import { getTaskChecks } from './get-task.ts'
import { schemaChecks } from './schema.ts'

export function allChecks(): PlacedCheck[] {
  return [
    ...cardChecks,
    ...cardInterfaceChecks,
    ...cardSkillChecks,
    ...cardSecurityChecks,
    ...getTaskChecks,
    ...schemaChecks,
  ]
}
