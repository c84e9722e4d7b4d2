import { keyText } from '../../../model/key-text.ts'
import type { Scope } from '../../../model/scope.ts'

/** A scope as it stands in the table of scopes. */
export function namesOf({ agent, tenant, subject }: Scope): [string, string, string] {
  return [agent, keyText(tenant), keyText(subject)]
}
