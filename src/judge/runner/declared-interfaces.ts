// What a card declares, in the words of the judge: the interfaces as discovery reads them, with what they mean here.

import { bindingSpelled } from '../../bindings/registry.ts'
import { MAX_INTERFACES } from '../../dialects/card-forms.ts'
import type { Dialect, DialectId } from '../../dialects/dialect.ts'
import { DIALECTS, dialectById, dialectOfVersion, MODEL_GENERATION } from '../../dialects/index.ts'
import { dialectsOfForm, cardForms as formsOf, declaredInterfaces as interfacesIn } from '../../discovery/recognise.ts'
import type { JsonObject } from '../../model/json.ts'
import { listAt } from '../probe/raw.ts'
import type { DeclaredInterface } from '../probe/surface.ts'

/** What the card declares beyond what is looked at, as a sentence; undefined when there is nothing. */
export function leftOutInterfaces(card: JsonObject): string | undefined {
  for (const member of new Set(DIALECTS.flatMap((dialect) => dialect.card.form.lists))) {
    const count = listAt(card, member)?.length ?? 0
    if (count > MAX_INTERFACES)
      return `the card lists ${count} entries in ${member}; the first ${MAX_INTERFACES} are tested, the others are ignored`
  }
  return undefined
}

export function declaredInterfaces(card: JsonObject): DeclaredInterface[] {
  return interfacesIn(card).map(({ url, protocolBinding, protocolVersion, shapedLike, tenant, pointer }) => {
    const alike = dialectsOfForm(dialectById(shapedLike).card.form).map(({ id }) => id)
    return {
      ...{ url, tenant, pointer },
      binding: bindingSpelled(protocolBinding),
      bindingText: protocolBinding,
      generation: dialectOfVersion(protocolVersion ?? shapedLike)?.id,
      alternatives: protocolVersion === undefined ? alike : [],
      versionText: protocolVersion ?? shapedLike,
    }
  })
}

/** The generations whose card form this is. */
export function cardForms(card: JsonObject): DialectId[] {
  const forms = formsOf(card)
  return forms.length === 0 ? [nearestForm(card)] : forms
}

/** Of no form at all: judged as the newest, unless it has a member that only another requires; what is missing is named. */
function nearestForm(card: JsonObject): DialectId {
  const { requiredMembers: usual } = dialectById(MODEL_GENERATION).card
  const isMarked = ({ card: { requiredMembers } }: Dialect) =>
    requiredMembers.some((member) => !usual.includes(member) && card[member] !== undefined)
  return DIALECTS.find(isMarked)?.id ?? MODEL_GENERATION
}
