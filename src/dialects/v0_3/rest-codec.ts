// REST of 0.3: written as ProtoJSON, which is what its clients and servers really exchange, and read in either shape.

import type { StreamEvent } from '../../model/event.ts'
import { isJsonObject, type JsonValue } from '../../model/json.ts'
import type { Operation, OperationRequest, OperationResult } from '../../model/operation.ts'
import type { Codec, Encoded } from '../dialect.ts'
import { encoded, type Losses } from '../losses.ts'
import { encodeProtoCard } from './card.ts'
import { jsonRpcCodec } from './codec.ts'
import { fromProtoJson } from './from-proto-json.ts'
import { REQUESTS, RESULTS } from './schema/operations.ts'
import { protoCreatePushConfig, protoEvent, protoSendRequest, protoTask, protoTaskPushConfig } from './to-proto-json.ts'
import type { WireEvent, WireSendParams, WireTask, WireTaskPushConfig } from './wire.ts'

/** Second step of writing: `kind` JSON, as the JSON-RPC codec just wrote it, to ProtoJSON. */
type Rewriting = (kind: unknown, lost: Losses) => unknown

const REQUEST_BODIES: Readonly<Partial<Record<Operation, Rewriting>>> = {
  sendMessage: (kind, lost) => protoSendRequest(kind as WireSendParams, lost),
  streamMessage: (kind, lost) => protoSendRequest(kind as WireSendParams, lost),
  // `taskId` beside the body's own members is the path's.
  createPushConfig: (kind) => {
    const config = kind as WireTaskPushConfig
    return { taskId: config.taskId, ...protoCreatePushConfig(config) }
  },
}

const RESULT_BODIES: Readonly<Partial<Record<Operation, Rewriting>>> = {
  sendMessage: (kind, lost) => protoEvent(kind as WireEvent, lost),
  streamMessage: (kind, lost) => protoEvent(kind as WireEvent, lost),
  subscribeTask: (kind, lost) => protoEvent(kind as WireEvent, lost),
  getTask: (kind, lost) => protoTask(kind as WireTask, '', lost),
  cancelTask: (kind, lost) => protoTask(kind as WireTask, '', lost),
  createPushConfig: (kind) => protoTaskPushConfig(kind as WireTaskPushConfig),
  getPushConfig: (kind) => protoTaskPushConfig(kind as WireTaskPushConfig),
  listPushConfigs: (kind) => ({ configs: (kind as WireTaskPushConfig[]).map(protoTaskPushConfig) }),
}

export const restCodec: Codec = {
  eventsAreModelJson: false,
  decodeRequest(op, wire) {
    const name = REQUESTS[op]
    return jsonRpcCodec.decodeRequest(op, name === undefined || wire === undefined ? wire : fromProtoJson(name, wire))
  },
  encodeRequest: <O extends Operation>(op: O, value: OperationRequest<O>) =>
    rewritten(jsonRpcCodec.encodeRequest(op, value), REQUEST_BODIES[op]),
  decodeResult(op, wire) {
    const name = RESULTS[op]
    return jsonRpcCodec.decodeResult(op, name === undefined || wire === undefined ? wire : fromProtoJson(name, wire))
  },
  encodeResult<O extends Operation>(op: O, value: OperationResult<O>): Encoded {
    if (op === 'deletePushConfig') return { ...jsonRpcCodec.encodeResult(op, value), wire: {} }
    if (op === 'getExtendedCard' && isJsonObject(value)) {
      return encoded((lost) => encodeProtoCard(value as OperationResult<'getExtendedCard'>, lost))
    }
    return rewritten(jsonRpcCodec.encodeResult(op, value), RESULT_BODIES[op])
  },
  decodeEvent: (wire: JsonValue) => jsonRpcCodec.decodeEvent(fromProtoJson('StreamEvent', wire)),
  encodeEvent: (value: StreamEvent) =>
    rewritten(jsonRpcCodec.encodeEvent(value), (kind, lost) => protoEvent(kind as WireEvent, lost)),
}

function rewritten(kind: Encoded, rewriting: Rewriting | undefined): Encoded {
  if (rewriting === undefined) return kind
  const proto = encoded((lost) => rewriting(kind.wire, lost))
  return proto.lost.length === 0
    ? { ...kind, wire: proto.wire }
    : { wire: proto.wire, lost: [...kind.lost, ...proto.lost] }
}
