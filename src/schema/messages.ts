// Finds the schema of a message by what it is, for those who judge raw JSON without knowing the names of a generation.

import type { Issue } from '../model/issue.ts'
import type { Operation } from '../model/operation.ts'
import { REQUESTS_0_1, RESULTS_0_1 } from './v0_1/operations.ts'
import { REQUESTS_0_3, REST_REQUESTS_0_3, REST_RESULTS_0_3, RESULTS_0_3 } from './v0_3/operations.ts'
import { REQUESTS_1_0, RESULTS_1_0 } from './v1_0/operations.ts'
import { type Generation, isValid, type SchemaNames, validate } from './validate.ts'

type Names<G extends Generation> = Readonly<Partial<Record<Operation, SchemaNames[G]>>>
type Tables<G extends Generation> = Readonly<Record<'jsonrpc' | 'rest', { request: Names<G>; result: Names<G> }>>

const MESSAGES: { readonly [G in Generation]: Tables<G> } = {
  '0.1': {
    jsonrpc: { request: REQUESTS_0_1, result: RESULTS_0_1 },
    rest: { request: {}, result: {} },
  },
  '0.3': {
    jsonrpc: { request: REQUESTS_0_3, result: RESULTS_0_3 },
    rest: { request: REST_REQUESTS_0_3, result: REST_RESULTS_0_3 },
  },
  '1.0': {
    jsonrpc: { request: REQUESTS_1_0, result: RESULTS_1_0 },
    rest: { request: REQUESTS_1_0, result: RESULTS_1_0 },
  },
}

/**
 * JSON-RPC params or result, REST body, or (for streaming operations) one event. The text of 0.3 promises over REST what
 * JSON-RPC carries while its proto and SDKs do otherwise, so there both are right.
 */
export function validateMessage<G extends Generation>(
  generation: G,
  binding: 'jsonrpc' | 'rest',
  direction: 'request' | 'result',
  op: Operation,
  value: unknown,
): readonly Issue[] {
  const tables = MESSAGES[generation]
  const name = tables[binding][direction][op]
  if (name === undefined) return [{ pointer: '', message: `A2A ${generation} has no ${op} over ${binding}` }]
  const byText = tables.jsonrpc[direction][op]
  if (byText !== undefined && byText !== name && isValid(generation, byText, value)) return []
  return validate(generation, name, value)
}
