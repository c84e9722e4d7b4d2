// Every check there is, in the order of the areas. A new area is one file and one line here.

import type { PlacedCheck } from './check.ts'
import { getTaskChecks } from './get-task.ts'
import { schemaChecks } from './schema.ts'

export function allChecks(): PlacedCheck[] {
  return [...getTaskChecks, ...schemaChecks]
}
