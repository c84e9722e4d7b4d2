// The model is shaped like 1.0, so decoding is validation and encoding is (almost) nothing: values pass through
// uncopied and unknown members survive.

import type { StreamEvent } from '../../model/event.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts'
import type { Operation, OperationRequest, OperationResult } from '../../model/operation.ts'
import { type Codec, type Decoded, type Encoded, NOTHING_LOST } from '../dialect.ts'
import { canonicalProtoJson } from './proto-json.ts'
import type { SchemaName } from './schema/definitions.ts'
import { REQUESTS, RESULTS } from './schema/operations.ts'
import { schemas } from './schema/schemas.ts'
import { readTextChunk } from './text-chunk.ts'
import { readWithUnknownStates } from './unknown-states.ts'

export const jsonRpcCodec: Codec = {
  eventsAreModelJson: true,
  decodeRequest: decodeRequest,
  encodeRequest: <O extends Operation>(_op: O, value: OperationRequest<O>) => asWritten(withoutClientTaskId(value)),
  decodeResult,
  encodeResult,
  decodeEvent,
  readEvent: readTextChunk,
  encodeEvent: asWritten,
}

export function decodeRequest<O extends Operation>(op: O, wire: JsonValue | undefined): Decoded<OperationRequest<O>> {
  // ProtoJSON of a request whose members are all optional may be absent altogether.
  const given = wire ?? {}
  const name = REQUESTS[op]
  if (conforms<OperationRequest<O>>(name, given)) return { ok: true, value: withoutClientTaskId(given) }
  const canonical = canonicalProtoJson(given)
  if (conforms<OperationRequest<O>>(name, canonical)) return { ok: true, value: withoutClientTaskId(canonical) }
  return { ok: false, reason: 'invalid', issues: schemas.validate(name, given) }
}

function decodeResult<O extends Operation>(op: O, wire: JsonValue | undefined): Decoded<OperationResult<O>> {
  if (op === 'deletePushConfig') return decodeNothing<OperationResult<O>>(wire)
  return decodeAnswer<OperationResult<O>>(RESULTS[op], wire ?? null)
}

/** Deleting answers null, {}, or an empty body: the specification fixes none of them. */
function decodeNothing<T>(wire: JsonValue | undefined): Decoded<T> {
  const issues = schemas.validate('Empty', wire ?? null)
  return issues.length === 0 ? { ok: true, value: null as T } : { ok: false, reason: 'invalid', issues }
}

export function decodeAnswer<T>(name: SchemaName, wire: JsonValue): Decoded<T> {
  if (conforms<T>(name, wire)) return { ok: true, value: wire }
  const tolerated = schemas.readTolerantly(name, canonicalProtoJson(wire))
  if (tolerated !== undefined) return { ok: true, value: tolerated as T }
  const issues = schemas.validate(name, wire)
  const survived = readWithUnknownStates(wire, issues, (known) =>
    conforms<JsonValue>(name, known) ? known : (schemas.readTolerantly(name, canonicalProtoJson(known)) as JsonValue),
  )
  return survived === undefined ? { ok: false, reason: 'invalid', issues } : { ok: true, value: survived as T }
}

const EVENT_MEMBERS = ['task', 'message', 'statusUpdate', 'artifactUpdate']

/** An event whose members are all unknown is of a kind that came later (§5.7). */
export function decodeEvent(wire: JsonValue): Decoded<StreamEvent> {
  const isOfLater = isJsonObject(wire) && Object.keys(wire).length > 0 && !EVENT_MEMBERS.some((name) => name in wire)
  return isOfLater ? { ok: false, reason: 'not-in-dialect' } : decodeAnswer<StreamEvent>('StreamResponse', wire)
}

function encodeResult<O extends Operation>(op: O, value: OperationResult<O>): Encoded {
  if (op !== 'listTasks' || !isJsonObject(value)) return asWritten(value)
  // All four are required even where ProtoJSON would drop a default (1.0 §3.1.4).
  return asWritten({ tasks: [], nextPageToken: '', pageSize: 0, totalSize: 0, ...(value as JsonObject) })
}

function conforms<T>(name: SchemaName, value: unknown): value is T {
  return schemas.isValid(name, value)
}

/** The name a `tasks/send` client gave its task means nothing in 1.0, where servers name tasks (§3.4.2). */
function withoutClientTaskId<T>(value: T): T {
  if (typeof value !== 'object' || value === null || !('clientTaskId' in value)) return value
  const { clientTaskId: _, ...rest } = value
  return rest as T
}

export function asWritten(value: unknown): Encoded {
  return { wire: value as JsonValue, lost: NOTHING_LOST }
}
