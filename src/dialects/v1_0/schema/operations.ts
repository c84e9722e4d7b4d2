// Which definition of 1.0 describes which message. Both JSON bindings carry the same objects (1.0 §5.1).

import type { Operation } from '../../../model/operation.ts'
import type { MessageSchemas } from '../../message-schemas.ts'
import type { SchemaName } from './definitions.ts'
import { schemas } from './schemas.ts'

export const REQUESTS: Readonly<Record<Operation, SchemaName>> = {
  sendMessage: 'SendMessageRequest',
  streamMessage: 'SendMessageRequest',
  getTask: 'GetTaskRequest',
  listTasks: 'ListTasksRequest',
  cancelTask: 'CancelTaskRequest',
  subscribeTask: 'SubscribeToTaskRequest',
  createPushConfig: 'CreateTaskPushNotificationConfigRequest',
  getPushConfig: 'GetTaskPushNotificationConfigRequest',
  listPushConfigs: 'ListTaskPushNotificationConfigsRequest',
  deletePushConfig: 'DeleteTaskPushNotificationConfigRequest',
  getCard: 'GetExtendedAgentCardRequest',
  getExtendedCard: 'GetExtendedAgentCardRequest',
}

export const RESULTS: Readonly<Record<Operation, SchemaName>> = {
  sendMessage: 'SendMessageResponse',
  streamMessage: 'StreamResponse',
  getTask: 'Task',
  listTasks: 'ListTasksResponse',
  cancelTask: 'Task',
  subscribeTask: 'StreamResponse',
  createPushConfig: 'TaskPushNotificationConfig',
  getPushConfig: 'TaskPushNotificationConfig',
  listPushConfigs: 'ListTaskPushNotificationConfigsResponse',
  deletePushConfig: 'Empty',
  getCard: 'AgentCard',
  getExtendedCard: 'AgentCard',
}

export const MESSAGES: MessageSchemas = {
  set: schemas,
  requests: { jsonrpc: REQUESTS, rest: REQUESTS, grpc: REQUESTS },
  results: { jsonrpc: RESULTS, rest: RESULTS, grpc: RESULTS },
  errors: { jsonrpc: 'JsonRpcResponse', rest: 'RestError', grpc: 'RestError' },
}
