// REST carries the same JSON as JSON-RPC, except that query parameters arrive as strings (1.0 §11.5) and deleting
// answers the {} of google.protobuf.Empty.

import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts'
import type { Operation } from '../../model/operation.ts'
import type { Codec } from '../dialect.ts'
import { asWritten, decodeRequest, jsonRpcCodec } from './codec.ts'

/** Operations whose members travel in the query string. */
const BY_QUERY: ReadonlySet<Operation> = new Set(['getTask', 'listTasks', 'listPushConfigs'])

export const restCodec: Codec = {
  ...jsonRpcCodec,
  decodeRequest: (op, wire) => decodeRequest(op, BY_QUERY.has(op) && isJsonObject(wire) ? fromQuery(wire) : wire),
  encodeResult: (op, value) => (op === 'deletePushConfig' ? asWritten({}) : jsonRpcCodec.encodeResult(op, value)),
}

/** What does not look like the type stays a string, and validation says so in the caller's terms. */
function fromQuery(wire: JsonObject): JsonObject {
  const typed: JsonObject = { ...wire }
  for (const name of ['historyLength', 'pageSize', 'history_length', 'page_size']) typed[name] = asInteger(wire[name])
  for (const name of ['includeArtifacts', 'include_artifacts']) typed[name] = asBoolean(wire[name])
  for (const [name, value] of Object.entries(typed)) if (value === undefined) delete typed[name]
  return typed
}

function asInteger(value: JsonValue | undefined): JsonValue | undefined {
  return typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value
}

function asBoolean(value: JsonValue | undefined): JsonValue | undefined {
  if (value === 'true') return true
  return value === 'false' ? false : value
}
