// One fault in how an agent refuses shows in dozens of checks. A symptom names what a check has met, alike for all that
// meet it on a surface, so that the check whose business the error is can tell it for the others (runner/same-fault.ts).

import type { RawError } from '../../bindings/probe.ts'
import { BINDINGS } from '../../bindings/registry.ts'
import type { BindingId, DialectId, SpecRevision } from '../../dialects/dialect.ts'
import type { A2AErrorKind } from '../../model/errors.ts'
import { isJsonObject, type JsonValue } from '../../model/json.ts'
import type { Exchange } from '../../trace/exchange.ts'
import { numbersOf } from './error-table.ts'

/** Refused, but not as one of these errors. */
export function wrongErrorSymptoms(
  { generation, binding }: { generation: DialectId; binding: BindingId },
  error: RawError,
  kinds: readonly A2AErrorKind[],
  revision: SpecRevision,
): string[] {
  const { errors } = BINDINGS[binding].probe
  const symptoms = kinds.map((kind) => `${kind}: ${errors.actual(error)}`)
  const hasNumber = kinds.some((kind) => errors.matchNumber(error, numbersOf(generation, kind), revision).fits)
  if (hasNumber && error.reason !== undefined) symptoms.push(`the reason is ${error.reason}`)
  if (error.code === INTERNAL_ERROR || error.httpStatus >= 500) symptoms.push('refusals are internal errors')
  return symptoms
}

/** A task whose end was seen is not found; it may be "completed and purged" (1.0 §3.3.2). */
export const FORGOTTEN = 'tasks that have ended are not found'

const INTERNAL_ERROR = -32603

/** It went by what a query should have done; whether queries are read at all has a check of its own. */
export function querySymptoms({ binding }: { binding: BindingId }, exchange: Exchange | undefined): string[] {
  const isQuery = BINDINGS[binding].probe.sharesPaths && exchange?.request.url.includes('?') === true
  return isQuery ? ['it was asked for in a query'] : []
}

/** An error that was sent as a result. */
export function describesError(result: JsonValue | undefined): boolean {
  if (!isJsonObject(result)) return false
  return (typeof result.code === 'number' && typeof result.message === 'string') || isJsonObject(result.error)
}

/** Not refused, but what came is no result either. */
export function unrefusedSymptoms(result: JsonValue | undefined): string[] {
  if (describesError(result)) return ['refusals are results that describe an error']
  const isEmpty = isJsonObject(result) ? Object.keys(result).length === 0 : result === undefined || result === null
  return isEmpty || result === '' ? ['refusals are empty results'] : []
}
