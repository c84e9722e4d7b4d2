// Which generations wrote a card, and which endpoints it names: every dialect is asked whether the raw card is its own.

import type { CardForm, CardInterface } from '../dialects/card-forms.ts'
import type { CardClaim, Dialect, DialectId } from '../dialects/dialect.ts'
import { DIALECTS } from '../dialects/index.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts'

/** One endpoint as the card declares it. */
export interface DeclaredInterface extends CardInterface {
  /** The generation whose shape the declaration has: what to assume where it names no version. */
  shapedLike: DialectId
}

/** A card read as one of a protocol version. */
export interface Reading extends CardClaim {
  /** The generation that can read the card. */
  dialect: DialectId
}

export interface Recognition {
  /** Newest first; several when the card is blended or looks alike in two generations, none when it is no card. */
  readings: readonly Reading[]
  /** In the order of the card, each URL, binding and version once. */
  interfaces: readonly DeclaredInterface[]
}

const ALL: readonly Dialect[] = DIALECTS
const FORMS: readonly CardForm[] = [...new Set(ALL.map(({ card }) => card.form))]

export function recognise(card: JsonValue): Recognition {
  if (!isJsonObject(card)) return { readings: [], interfaces: [] }
  const claims = claimsOf(card)
  return {
    readings: claims.map(({ dialect, ...claim }) => ({ dialect: dialect.id, ...claim })),
    interfaces: FORMS.flatMap((form) => {
      const shape = claims.find(({ dialect }) => dialect.card.form === form)
      return shape === undefined ? [] : interfacesIn(card, form, shape.dialect.id)
    }).filter((entry, at, all) => all.findIndex((other) => isSame(other, entry)) === at),
  }
}

/** What any object declares in any form, for those who judge a card that no generation would call its own. */
export function declaredInterfaces(card: JsonObject): DeclaredInterface[] {
  const claims = claimsOf(card)
  return FORMS.flatMap((form) => {
    const shape = claims.find(({ dialect }) => dialect.card.form === form)?.dialect ?? oldestOf(form)
    return shape === undefined ? [] : interfacesIn(card, form, shape.id)
  })
}

/** The generations by which a card is judged: one for each form it takes. */
export function cardForms(card: JsonObject): DialectId[] {
  const claims = claimsOf(card)
  return FORMS.flatMap((form) => {
    const claim = claims.find(({ dialect }) => dialect.card.form === form)
    if (claim !== undefined) return [claim.dialect.id]
    return form.interfacesIn(card).length > 0 ? (oldestOf(form)?.id ?? []) : []
  })
}

/** Generations whose cards name their interfaces in the same way. */
export function dialectsOfForm(form: CardForm): readonly Dialect[] {
  return ALL.filter(({ card }) => card.form === form)
}

function claimsOf(card: JsonObject): (CardClaim & { dialect: Dialect })[] {
  const claims = ALL.flatMap((dialect) => {
    const claim = dialect.card.claim(card)
    return claim === undefined ? [] : [{ dialect, ...claim }]
  })
  // What may also be another generation's is, when that one is certain.
  const isCertainOf = (form: CardForm) =>
    claims.some(({ dialect, isCertain }) => isCertain && dialect.card.form === form)
  return claims.filter(({ dialect, isCertain }) => isCertain || !isCertainOf(dialect.card.form))
}

function interfacesIn(card: JsonObject, form: CardForm, shapedLike: DialectId): DeclaredInterface[] {
  return form.interfacesIn(card).map((entry) => ({ ...entry, shapedLike }))
}

function oldestOf(form: CardForm): Dialect | undefined {
  return dialectsOfForm(form).at(-1)
}

function isSame(a: DeclaredInterface, b: DeclaredInterface): boolean {
  return (
    a.url === b.url &&
    a.protocolBinding === b.protocolBinding &&
    a.protocolVersion === b.protocolVersion &&
    a.tenant === b.tenant
  )
}
