// The facts of an error as one plain object in `data`, which the generations before 1.0 leave to the server.

import type { A2AError, A2AErrorOptions } from '../../model/errors.ts'
import type { Issue } from '../../model/issue.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts'

/** With a `reason` the object names the error, too: numbers with two meanings are told apart by it. */
export function factsOf(error: A2AError, reason?: string): JsonValue | undefined {
  const { details, metadata, issues, retryAfterSeconds } = error.options
  if (details !== undefined && details.length > 0) return details.length === 1 ? details[0] : [...details]
  const facts: JsonObject = { ...(reason !== undefined && { reason }), ...metadata }
  if (issues !== undefined) facts.issues = issues.map(({ pointer, message }) => ({ pointer, message }))
  if (retryAfterSeconds !== undefined) facts.retryAfterSeconds = retryAfterSeconds
  return Object.keys(facts).length === 0 ? undefined : facts
}

export function factOptions(data: JsonValue | undefined): A2AErrorOptions {
  if (Array.isArray(data)) return { details: data.filter(isJsonObject) }
  if (!isJsonObject(data)) return typeof data === 'string' ? { metadata: { data } } : {}
  const options: A2AErrorOptions = { details: [data] }
  if (Array.isArray(data.issues)) options.issues = data.issues.filter(isIssue)
  if (typeof data.retryAfterSeconds === 'number') options.retryAfterSeconds = data.retryAfterSeconds
  const facts = Object.entries(data).filter((fact): fact is [string, string] => typeof fact[1] === 'string')
  if (facts.length > 0) options.metadata = Object.fromEntries(facts)
  return options
}

function isIssue(value: unknown): value is Issue & JsonObject {
  return isJsonObject(value) && typeof value.pointer === 'string' && typeof value.message === 'string'
}
