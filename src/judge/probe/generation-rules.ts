// What the generations ask for differently where no row of a register can say it: the one place where the judge tells them
// apart.

import type { BindingId, DialectId } from '../../dialects/dialect.ts'

export interface GenerationRules {
  /** A required member of the card is not only there but also set. */
  readonly requiredIsSet: boolean
  /** The card may be behind access control. */
  readonly cardMayBeProtected: boolean
  /** Methods of what an agent does not declare may be unknown to it. */
  readonly optionalMethods: boolean
  /** Messages are ProtoJSON: null is absent, bytes come in either alphabet. */
  readonly isProtoJson: boolean
  /** historyLength 0 and none given can be told apart. */
  readonly zeroIsGiven: boolean
  /** A webhook hears also of an end that a client asked for; the older texts speak only of what the agent does. */
  readonly notifiesCancellation: boolean
  /** Codes of the errors of A2A are advice: the place of docs/spec-conflicts.md. */
  readonly codesAreAdvice: number | undefined
  /** Places that leave room for other numbers of failed validation, by binding. */
  readonly validationLeeway: Readonly<Record<BindingId, number | undefined>> | undefined
}

const BEFORE_1_0 = {
  requiredIsSet: false,
  optionalMethods: true,
  isProtoJson: false,
  zeroIsGiven: false,
  notifiesCancellation: false,
  validationLeeway: undefined,
}

export const GENERATION_RULES: Readonly<Record<DialectId, GenerationRules>> = {
  '1.0': {
    requiredIsSet: true,
    cardMayBeProtected: false,
    optionalMethods: false,
    isProtoJson: true,
    zeroIsGiven: true,
    notifiesCancellation: true,
    codesAreAdvice: undefined,
    validationLeeway: { jsonrpc: 43, rest: 46 },
  },
  '0.3': { ...BEFORE_1_0, cardMayBeProtected: true, codesAreAdvice: 41 },
  '0.1': { ...BEFORE_1_0, cardMayBeProtected: false, codesAreAdvice: 41 },
}
