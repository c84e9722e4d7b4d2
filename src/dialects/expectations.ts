// What a generation asks of an agent where no row of a register can say it: the data the judge judges by. Error numbers
// are written down a second time on purpose: the table of errors.ts answers for our own server, this one judges others.

import type { A2AErrorKind } from '../model/errors.ts'
import type { BindingId, SpecRevision } from './dialect.ts'

/** What a generation's table says about one kind of error. */
export interface ErrorNumbers {
  code?: number
  /** HTTP status per revision; the first is the newest. */
  http?: Readonly<Record<SpecRevision, number>>
  /** gRPC status by name, per revision. */
  grpc?: Readonly<Record<SpecRevision, string>>
  reason?: string
  /** Canonical status names that fit (1.0 §11.6). */
  statusNames?: readonly string[]
}

export interface GenerationRules {
  /** A required member of the card is not only there but also set. */
  readonly requiredIsSet: boolean
  /** The card may be behind access control. */
  readonly cardMayBeProtected: boolean
  /** Members of a skill are not only there but also say something. */
  readonly skillsSaySomething: boolean
  /** A skill has at least one tag. */
  readonly skillsHaveTags: boolean
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
  readonly validationLeeway: Readonly<Partial<Record<BindingId, number>>> | undefined
}

export interface Expectations {
  readonly rules: GenerationRules
  readonly errors: Readonly<Partial<Record<A2AErrorKind, ErrorNumbers>>>
  /** Numbers of errors the model has no kind for, by name. */
  readonly declaredErrors?: Readonly<Record<string, ErrorNumbers>>
}

/** The same status in every revision. */
export function inAllRevisions<T extends number | string>(status: T): Readonly<Record<SpecRevision, T>> {
  return { '1.0.1': status, '1.0.0': status }
}
