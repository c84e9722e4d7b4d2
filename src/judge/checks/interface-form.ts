// Which form of the card an interface is declared in: a card of two generations lists each in its own place.

import type { DialectId } from '../../dialects/dialect.ts'
import type { DeclaredInterface } from '../probe/surface.ts'

/** Where each form lists its interfaces; the older ones have a main url and more beside it. */
const PLACES: Readonly<Record<DialectId, RegExp>> = {
  '1.0': /^\/supportedInterfaces/,
  '0.3': /^\/(url|additionalInterfaces)/,
  '0.1': /^\/(url|additionalInterfaces)/,
}

export function isOfForm({ pointer }: DeclaredInterface, form: DialectId): boolean {
  return PLACES[form].test(pointer)
}
