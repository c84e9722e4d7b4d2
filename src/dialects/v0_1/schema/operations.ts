// Which definition of the `tasks/send` generation describes which message.

import type { Operation } from '../../../model/operation.ts'
import type { MessageSchemas } from '../../message-schemas.ts'
import type { SchemaName } from './definitions.ts'
import { schemas } from './schemas.ts'

type Names = Readonly<Partial<Record<Operation, SchemaName>>>

export const REQUESTS: Names = {
  sendMessage: 'TaskSendParams',
  streamMessage: 'TaskSendParams',
  getTask: 'TaskQueryParams',
  cancelTask: 'TaskIdParams',
  subscribeTask: 'TaskQueryParams',
  createPushConfig: 'TaskPushNotificationConfig',
  getPushConfig: 'TaskIdParams',
  getCard: 'NoParams',
}

export const RESULTS: Names = {
  sendMessage: 'Task',
  streamMessage: 'StreamEvent',
  getTask: 'Task',
  cancelTask: 'Task',
  subscribeTask: 'StreamEvent',
  createPushConfig: 'TaskPushNotificationConfig',
  getPushConfig: 'TaskPushNotificationConfig',
  getCard: 'AgentCard',
}

export const MESSAGES: MessageSchemas = {
  set: schemas,
  requests: { jsonrpc: REQUESTS, rest: {}, grpc: {} },
  results: { jsonrpc: RESULTS, rest: {}, grpc: {} },
  errors: { jsonrpc: 'JsonRpcResponse', rest: undefined, grpc: undefined },
}
