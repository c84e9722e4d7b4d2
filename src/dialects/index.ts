// All generations Parley speaks, newest first. A generation is its folder and its row here.

import { A2AError, type A2AErrorKind } from '../model/errors.ts'
import type { Dialect, DialectId } from './dialect.ts'
import { v0_1 } from './v0_1/dialect.ts'
import { v0_3 } from './v0_3/dialect.ts'
import { v1_0 } from './v1_0/dialect.ts'
import { majorMinor } from './version.ts'

export const DIALECTS = [v1_0, v0_3, v0_1] as const

export const DIALECT_IDS: readonly DialectId[] = DIALECTS.map(({ id }) => id)

/** The generation the model is shaped after: what files mean that name none. */
export const MODEL_GENERATION: DialectId = v1_0.id

const ALL: readonly Dialect[] = DIALECTS
const BY_ID: ReadonlyMap<DialectId, Dialect> = new Map(ALL.map((dialect) => [dialect.id, dialect]))

/** Errors that generations declare beyond the kinds of the model: name and nearest kind. */
export const DECLARED_ERRORS: ReadonlyMap<string, A2AErrorKind> = new Map(
  ALL.flatMap((dialect) => Object.entries(dialect.errors().declared).map(([name, row]) => [name, row.nearest])),
)

/** The error a person names in a file: a kind of the model, or one that a generation declares. */
export function errorNamed(name: string, message: string): A2AError {
  const nearest = DECLARED_ERRORS.get(name)
  if (nearest !== undefined) return new A2AError(nearest, message, { declaredAs: name })
  return new A2AError(name as A2AErrorKind, message)
}

export function dialectById(id: DialectId): Dialect {
  return BY_ID.get(id) ?? v1_0
}

/** The generation that answers for a version string as written in a card, header or flag: 1.0.1, v0.3, 0.2.5. */
export function dialectOfVersion(written: string): Dialect | undefined {
  const version = majorMinor(written)
  return version === undefined ? undefined : ALL.find(({ versions }) => versions.includes(version))
}
