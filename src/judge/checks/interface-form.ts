// Which form of the card an interface is declared in: a card of two generations lists each in its own place.

import type { DialectId } from '../../dialects/dialect.ts'
import { dialectById } from '../../dialects/index.ts'
import type { DeclaredInterface } from '../probe/surface.ts'

export function isOfForm({ pointer }: DeclaredInterface, generation: DialectId): boolean {
  return dialectById(generation).card.form.has(pointer)
}
