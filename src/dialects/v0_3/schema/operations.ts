// Which definition of 0.3 describes which message: `kind` shapes on JSON-RPC, proto shapes in REST bodies.

import type { Operation } from '../../../model/operation.ts'
import type { MessageSchemas } from '../../message-schemas.ts'
import type { SchemaName } from './definitions.ts'
import { schemas } from './schemas.ts'

type Names = Readonly<Partial<Record<Operation, SchemaName>>>

export const REQUESTS: Names = {
  sendMessage: 'MessageSendParams',
  streamMessage: 'MessageSendParams',
  getTask: 'TaskQueryParams',
  cancelTask: 'TaskIdParams',
  subscribeTask: 'TaskIdParams',
  createPushConfig: 'TaskPushNotificationConfig',
  getPushConfig: 'GetTaskPushNotificationConfigParams',
  listPushConfigs: 'TaskIdParams',
  deletePushConfig: 'DeleteTaskPushNotificationConfigParams',
  getCard: 'NoParams',
  getExtendedCard: 'NoParams',
}

export const RESULTS: Names = {
  sendMessage: 'SendMessageResult',
  streamMessage: 'StreamEvent',
  getTask: 'Task',
  cancelTask: 'Task',
  subscribeTask: 'StreamEvent',
  createPushConfig: 'TaskPushNotificationConfig',
  getPushConfig: 'TaskPushNotificationConfig',
  listPushConfigs: 'TaskPushNotificationConfigs',
  deletePushConfig: 'Nothing',
  getCard: 'AgentCard',
  getExtendedCard: 'AgentCard',
}

const REST_REQUESTS: Names = {
  ...REQUESTS,
  sendMessage: 'proto.SendMessageRequest',
  streamMessage: 'proto.SendMessageRequest',
  createPushConfig: 'proto.CreateTaskPushNotificationConfigRequest',
}

const REST_RESULTS: Names = {
  ...RESULTS,
  sendMessage: 'proto.SendMessageResponse',
  streamMessage: 'proto.StreamResponse',
  getTask: 'proto.Task',
  cancelTask: 'proto.Task',
  subscribeTask: 'proto.StreamResponse',
  createPushConfig: 'proto.TaskPushNotificationConfig',
  getPushConfig: 'proto.TaskPushNotificationConfig',
  listPushConfigs: 'proto.ListTaskPushNotificationConfigResponse',
  getExtendedCard: 'proto.AgentCard',
}

export const MESSAGES: MessageSchemas = {
  set: schemas,
  requests: { jsonrpc: REQUESTS, rest: REST_REQUESTS, grpc: REST_REQUESTS },
  results: { jsonrpc: RESULTS, rest: REST_RESULTS, grpc: REST_RESULTS },
  // The shape of errors over REST and gRPC is not fixed in 0.3.
  errors: { jsonrpc: 'JsonRpcResponse', rest: undefined, grpc: undefined },
}
