// Which error it is, by the numbers the generation gives for judging (expectations.ts of its dialect): ErrorInfo.reason
// first, code second, HTTP status last.

import type { ErrorMatch, RawError } from '../../bindings/probe.ts'
import { BINDINGS } from '../../bindings/registry.ts'
import type { BindingId, DialectId, SpecRevision } from '../../dialects/dialect.ts'
import type { ErrorNumbers } from '../../dialects/expectations.ts'
import { dialectById } from '../../dialects/index.ts'
import type { A2AErrorKind } from '../../model/errors.ts'
import { isJsonObject, type JsonValue } from '../../model/json.ts'
import { listAt, objectAt, textAt } from './raw.ts'

/** The reasons of the errors the generation defines. */
export function reasonsOf(generation: DialectId): ReadonlySet<string> {
  const { errors, declaredErrors = {} } = dialectById(generation).expects
  return new Set([...Object.values(errors), ...Object.values(declaredErrors)].flatMap(({ reason }) => reason ?? []))
}

export function numbersOf(generation: DialectId, kind: A2AErrorKind): ErrorNumbers {
  return dialectById(generation).expects.errors[kind] ?? {}
}

/** The error member of a JSON-RPC response, or the body of a REST error, whatever shape it took. */
export function rawError(
  json: JsonValue | undefined,
  status: { httpStatus: number; statusText: string },
  pointer: string,
): RawError {
  const details = [...(listAt(json, 'details') ?? []), ...(listAt(json, 'data') ?? [])].filter(isJsonObject)
  const data = objectAt(json, 'data')
  if (data !== undefined) details.push(data)
  const info = details.find((detail) => typeof detail.reason === 'string')
  const code = isJsonObject(json) ? json.code : undefined
  return {
    code: numberIn(code),
    ...status,
    statusName: textAt(json, 'status'),
    message: textAt(json, 'message') ?? textAt(json, 'title') ?? textAt(json, 'detail'),
    details,
    reason: textAt(info, 'reason'),
    json: json ?? null,
    pointer,
  }
}

/** Is this error the one the specification asks for? */
export function matchError(
  generation: DialectId,
  binding: BindingId,
  error: RawError,
  kind: A2AErrorKind,
  revision: SpecRevision,
): ErrorMatch {
  const numbers = numbersOf(generation, kind)
  if (numbers.reason !== undefined && error.reason !== undefined) {
    return error.reason === numbers.reason ? { fits: true, by: 'reason' } : { fits: false }
  }
  return BINDINGS[binding].probe.errors.match(error, numbers, revision)
}

const A2A_CODE = (code: number | undefined) => code !== undefined && code <= -32001 && code >= -32099

/** The place of docs/spec-conflicts.md that leaves room for this refusal instead of one of these errors. */
export function leewayFor(
  generation: DialectId,
  binding: BindingId,
  error: RawError,
  kinds: readonly A2AErrorKind[],
): number | undefined {
  const isUnknownCaller = error.httpStatus === 401 || error.httpStatus === 403
  if (isUnknownCaller || error.httpStatus >= 500) return undefined
  const { codesAreAdvice, validationLeeway } = dialectById(generation).expects.rules
  if (codesAreAdvice !== undefined)
    return kinds.some((kind) => A2A_CODE(numbersOf(generation, kind).code)) ? codesAreAdvice : undefined
  if (error.code === -32603 || !kinds.includes('InvalidParams')) return undefined
  return BINDINGS[binding].probe.errors.isLenient(error) ? validationLeeway?.[binding] : undefined
}

/** "-32001 (TASK_NOT_FOUND)" or "HTTP 404 with reason TASK_NOT_FOUND", for the expectation line of a finding. */
export function describeExpected(
  generation: DialectId,
  binding: BindingId,
  kind: A2AErrorKind,
  revision: SpecRevision,
): string {
  const numbers = numbersOf(generation, kind)
  const where = BINDINGS[binding].probe.errors.expected(numbers, revision)
  return `${where} (${kind}${numbers.reason === undefined ? '' : `, reason ${numbers.reason}`})`
}

export function describeError(error: RawError): string {
  const parts = [error.statusText]
  // Over REST and gRPC it is the status once more.
  if (error.code !== undefined && error.code !== error.httpStatus) parts.push(`code ${error.code}`)
  if (error.reason !== undefined) parts.push(`reason ${error.reason}`)
  if (error.message !== undefined) parts.push(JSON.stringify(error.message.slice(0, 120)))
  return parts.join(', ')
}

/** A number that is written as a text says what it says; that it is a text is for the schema to tell. */
function numberIn(code: JsonValue | undefined): number | undefined {
  if (typeof code === 'string' && /^-?\d{1,9}$/.test(code)) return Number(code)
  return typeof code === 'number' ? code : undefined
}
