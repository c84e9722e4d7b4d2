// Which schema of a generation describes which message, for those who judge raw JSON without knowing its names.

import type { Issue } from '../model/issue.ts'
import type { Operation } from '../model/operation.ts'
import type { SchemaSet } from '../schema/schema-set.ts'
import type { BindingId } from './dialect.ts'

export type SchemaNames = Readonly<Partial<Record<Operation, string>>>

export interface MessageSchemas {
  readonly set: SchemaSet
  /** JSON-RPC params, or REST bodies together with path and query. */
  readonly requests: Readonly<Record<BindingId, SchemaNames>>
  /** Results, and for streaming operations one event. */
  readonly results: Readonly<Record<BindingId, SchemaNames>>
  /** Answers that are errors, whole; undefined where the text fixes no shape. */
  readonly errors: Readonly<Record<BindingId, string | undefined>>
}

/**
 * Undefined when the generation has no such message. The text of 0.3 promises over REST what JSON-RPC carries while its
 * proto and SDKs do otherwise, so there both are right.
 */
export function messageIssues(
  messages: MessageSchemas,
  direction: 'requests' | 'results',
  binding: BindingId,
  op: Operation,
  value: unknown,
): readonly Issue[] | undefined {
  const tables = messages[direction]
  const name = tables[binding][op]
  if (name === undefined) return undefined
  const byText = tables.jsonrpc[op]
  if (byText !== undefined && byText !== name && messages.set.isValid(byText, value)) return []
  return messages.set.validate(name, value)
}

/** Undefined where the text fixes no shape of errors. */
export function errorIssues(
  messages: MessageSchemas,
  binding: BindingId,
  value: unknown,
): readonly Issue[] | undefined {
  const name = messages.errors[binding]
  return name === undefined ? undefined : messages.set.validate(name, value)
}
