// gRPC of 0.3: the ProtoJSON of its REST bodies, with ids as resource names (`tasks/{id}`) instead of path members.

import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts'
import type { Operation, OperationRequest } from '../../model/operation.ts'
import type { Codec, GrpcService } from '../dialect.ts'
import { restCodec } from './rest-codec.ts'

export const grpcCodec: Codec = {
  ...restCodec,
  decodeRequest: (op, wire) => restCodec.decodeRequest(op, isJsonObject(wire) ? fromNames(op, wire) : wire),
  encodeRequest<O extends Operation>(op: O, value: OperationRequest<O>) {
    const encoded = restCodec.encodeRequest(op, value)
    return isJsonObject(encoded.wire) ? { ...encoded, wire: toNames(op, encoded.wire) } : encoded
  },
  decodeResult: (op, wire) =>
    restCodec.decodeResult(op, op === 'listPushConfigs' && isJsonObject(wire) ? { configs: [], ...wire } : wire),
}

const CONFIGS = 'pushNotificationConfigs'
/** Named by their task. */
const BY_TASK: ReadonlySet<Operation> = new Set(['getTask', 'cancelTask', 'subscribeTask'])
const BY_CONFIG: ReadonlySet<Operation> = new Set(['getPushConfig', 'deletePushConfig'])

function fromNames(op: Operation, wire: JsonObject): JsonObject {
  const { name, parent, ...rest } = wire
  // What is no resource name stays what it is: no task has such an id.
  const [, id = text(name ?? parent), configId = ''] =
    /^tasks\/([^/]*)(?:\/pushNotificationConfigs\/([^/]*))?$/.exec(text(name ?? parent)) ?? []
  if (BY_TASK.has(op)) return { ...rest, id }
  if (BY_CONFIG.has(op)) return { ...rest, id, pushNotificationConfigId: configId }
  if (op === 'createPushConfig') return { ...wire, taskId: id }
  return op === 'listPushConfigs' ? { id } : wire
}

function toNames(op: Operation, wire: JsonObject): JsonObject {
  const { id, pushNotificationConfigId, taskId: _, metadata: _metadata, ...rest } = wire
  if (BY_TASK.has(op)) return { ...rest, name: `tasks/${text(id)}` }
  if (BY_CONFIG.has(op)) return { name: `tasks/${text(id)}/${CONFIGS}/${text(pushNotificationConfigId)}` }
  if (op === 'createPushConfig') return rest
  if (op === 'listPushConfigs') return { parent: `tasks/${text(id)}` }
  return op === 'getExtendedCard' ? {} : wire
}

function text(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : ''
}

/** No ListTasks, and the card is an rpc of its own: what it answers to a known caller is the extended one. */
export const GRPC: GrpcService = {
  service: 'a2a.v1.A2AService',
  hasOneCardRpc: true,
  rpcs: {
    sendMessage: 'SendMessage',
    streamMessage: 'SendStreamingMessage',
    getTask: 'GetTask',
    cancelTask: 'CancelTask',
    subscribeTask: 'TaskSubscription',
    createPushConfig: 'CreateTaskPushNotificationConfig',
    getPushConfig: 'GetTaskPushNotificationConfig',
    listPushConfigs: 'ListTaskPushNotificationConfig',
    deletePushConfig: 'DeleteTaskPushNotificationConfig',
    getExtendedCard: 'GetAgentCard',
  },
}
