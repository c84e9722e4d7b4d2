// gRPC carries the same JSON once more, as the ProtoJSON of its messages (1.0 §10): protocol buffers leave out what has
// its default value, and deleting answers google.protobuf.Empty.

import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts'
import type { Operation } from '../../model/operation.ts'
import type { Codec, GrpcService } from '../dialect.ts'
import { asWritten, jsonRpcCodec } from './codec.ts'
import { METHODS } from './methods.ts'

/** Members 1.0 requires although their default value does not travel. */
const ALWAYS_THERE: Readonly<Partial<Record<Operation, JsonObject>>> = {
  listTasks: { tasks: [], nextPageToken: '', pageSize: 0, totalSize: 0 },
  listPushConfigs: { configs: [] },
}

export const grpcCodec: Codec = {
  ...jsonRpcCodec,
  encodeResult: (op, value) => (op === 'deletePushConfig' ? asWritten({}) : jsonRpcCodec.encodeResult(op, value)),
  decodeResult: (op, wire) => jsonRpcCodec.decodeResult(op, complete(op, wire)),
}

function complete(op: Operation, wire: JsonValue | undefined): JsonValue | undefined {
  const defaults = ALWAYS_THERE[op]
  return defaults === undefined || !isJsonObject(wire) ? wire : { ...defaults, ...wire }
}

/** Eleven rpcs; the card itself comes over HTTP. */
export const GRPC: GrpcService = {
  service: 'lf.a2a.v1.A2AService',
  rpcs: METHODS,
}
