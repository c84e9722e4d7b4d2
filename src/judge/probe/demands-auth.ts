// What a card of any generation says about who may call.

import { isJsonObject, type JsonObject } from '../../model/json.ts'
import { listAt, objectAt } from './raw.ts'

/** Does the card demand credentials for calling the agent? */
export function demandsAuth(card: JsonObject | undefined): boolean {
  if (
    (listAt(card, 'securityRequirements') ?? []).some(
      (entry) => Object.keys(objectAt(entry, 'schemes') ?? {}).length > 0,
    )
  )
    return true
  if ((listAt(card, 'security') ?? []).some((entry) => isJsonObject(entry) && Object.keys(entry).length > 0))
    return true
  return (listAt(objectAt(card, 'authentication'), 'schemes') ?? []).length > 0
}
