// The codec of a generation whose JSON is not the model's: what is valid by its schema is translated by a table with one
// entry per operation, requests strictly, answers with what a peer forgot filled in.

import { A2AError } from '../model/errors.ts'
import type { StreamEvent } from '../model/event.ts'
import type { JsonValue } from '../model/json.ts'
import type { Operation, OperationRequest, OperationResult } from '../model/operation.ts'
import type { SchemaSet } from '../schema/schema-set.ts'
import type { Codec, Decoded } from './dialect.ts'
import { encoded, type Losses } from './losses.ts'

/** The validated wire value of an operation, translated. */
export interface Translation<O extends Operation, WireRequest, WireResult> {
  decodeRequest(wire: WireRequest): OperationRequest<O>
  encodeRequest(value: OperationRequest<O>, lost: Losses): unknown
  decodeResult(wire: WireResult): OperationResult<O>
  encodeResult(value: OperationResult<O>, lost: Losses): unknown
}

/** The table erases what each entry says about its wire types; validation has just established them. */
export type Translations = Readonly<Partial<Record<Operation, Translation<Operation, unknown, unknown>>>>

type Names<Name extends string> = Readonly<Partial<Record<Operation, Name>>>

export interface CodecTable<Name extends string> {
  /** As messages say it: '0.3'. */
  readonly version: string
  readonly schemas: SchemaSet<Name>
  readonly requests: Names<Name>
  readonly results: Names<Name>
  readonly translations: Translations
  /** The schema of one stream event. */
  readonly event: Name
  decodeEvent(wire: unknown): StreamEvent
  encodeEvent(value: StreamEvent, lost: Losses): unknown
  /** Another spelling in which answers of this generation were seen, brought into the usual one. */
  respelled?(name: Name, wire: JsonValue): JsonValue
}

export type AnswerReader<Name extends string> = <T>(
  name: Name,
  wire: JsonValue,
  translate: (read: unknown) => T,
) => Decoded<T>

/** Answers are read as written, else with the tags and members a peer forgot filled in. */
export function answerReader<Name extends string>(
  schemas: SchemaSet<Name>,
  respelled: (name: Name, wire: JsonValue) => JsonValue = (_, wire) => wire,
): AnswerReader<Name> {
  return (name, wire, translate) => {
    if (schemas.isValid(name, wire)) return { ok: true, value: translate(wire) }
    const read = schemas.readTolerantly(name, respelled(name, wire))
    if (read !== undefined) return { ok: true, value: translate(read) }
    return { ok: false, reason: 'invalid', issues: schemas.validate(name, wire) }
  }
}

export function tableCodec<Name extends string>(table: CodecTable<Name>): Codec {
  const { schemas, requests, results, translations } = table
  const readAnswer = answerReader(schemas, table.respelled)

  function translationOf(op: Operation): Translation<Operation, unknown, unknown> {
    const translation = translations[op]
    if (translation === undefined) throw new A2AError('UnsupportedOperation', `A2A ${table.version} has no ${op}`)
    return translation
  }

  return {
    eventsAreModelJson: false,
    decodeRequest<O extends Operation>(op: O, wire: JsonValue | undefined): Decoded<OperationRequest<O>> {
      const name = requests[op]
      const translation = translations[op]
      if (name === undefined || translation === undefined) return { ok: false, reason: 'not-in-dialect' }
      const given = wire ?? {}
      if (!schemas.isValid(name, given)) return { ok: false, reason: 'invalid', issues: schemas.validate(name, given) }
      return { ok: true, value: translation.decodeRequest(given) as OperationRequest<O> }
    },
    encodeRequest: (op, value) => encoded((lost) => translationOf(op).encodeRequest(value, lost)),
    decodeResult<O extends Operation>(op: O, wire: JsonValue | undefined): Decoded<OperationResult<O>> {
      const name = results[op]
      const translation = translations[op]
      if (name === undefined || translation === undefined) return { ok: false, reason: 'not-in-dialect' }
      return readAnswer(name, wire ?? null, (read) => translation.decodeResult(read) as OperationResult<O>)
    },
    encodeResult: (op, value) => encoded((lost) => translationOf(op).encodeResult(value, lost)),
    decodeEvent: (wire) => readAnswer(table.event, wire, (read) => table.decodeEvent(read)),
    encodeEvent: (value) => encoded((lost) => table.encodeEvent(value, lost)),
  }
}

/** Generations before 1.0 knew no tenants. */
export function tenantDropper(version: string) {
  return <T extends { tenant?: string }>(value: T, lost: Losses): Omit<T, 'tenant'> => {
    const { tenant, ...rest } = value
    if (tenant !== undefined && tenant !== '') lost.add('/tenant', `${version} knows no tenants`)
    return rest
  }
}
