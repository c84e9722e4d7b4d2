// Which form of the card an interface is declared in: a card of two generations lists each in its own place.

import type { DialectId } from '../../dialects/dialect.ts'
import type { DeclaredInterface } from '../probe/surface.ts'

export function isOfForm({ pointer }: DeclaredInterface, form: DialectId): boolean {
  return pointer.startsWith('/supportedInterfaces') === (form === '1.0')
}
