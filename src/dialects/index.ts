// All generations Parley speaks, newest first.

import { A2AError, type A2AErrorKind } from '../model/errors.ts'
import type { Dialect, DialectId } from './dialect.ts'
import { v0_1 } from './v0_1/dialect.ts'
import { v0_3 } from './v0_3/dialect.ts'
import { v1_0 } from './v1_0/dialect.ts'

const BY_ID: Readonly<Record<DialectId, Dialect>> = { '1.0': v1_0, '0.3': v0_3, '0.1': v0_1 }

export const DIALECTS: readonly Dialect[] = [v1_0, v0_3, v0_1]

/** Errors that generations declare beyond the kinds of the model: name and nearest kind. */
export const DECLARED_ERRORS: ReadonlyMap<string, A2AErrorKind> = new Map(
  DIALECTS.flatMap((dialect) => Object.entries(dialect.errors().declared).map(([name, row]) => [name, row.nearest])),
)

/** The error a person names in a file: a kind of the model, or one that a generation declares. */
export function errorNamed(name: string, message: string): A2AError {
  const nearest = DECLARED_ERRORS.get(name)
  if (nearest !== undefined) return new A2AError(nearest, message, { declaredAs: name })
  return new A2AError(name as A2AErrorKind, message)
}

export function dialectById(id: DialectId): Dialect {
  return BY_ID[id]
}
