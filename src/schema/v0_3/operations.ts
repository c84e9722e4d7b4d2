// Which definition of 0.3 describes which message: `kind` shapes on JSON-RPC, proto shapes in REST bodies.

import type { Operation } from '../../model/operation.ts'
import type { SchemaName0_3 } from './definitions.ts'

type Names = Readonly<Partial<Record<Operation, SchemaName0_3>>>

export const REQUESTS_0_3: Names = {
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

export const RESULTS_0_3: Names = {
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

export const REST_REQUESTS_0_3: Names = {
  ...REQUESTS_0_3,
  sendMessage: 'proto.SendMessageRequest',
  streamMessage: 'proto.SendMessageRequest',
  createPushConfig: 'proto.CreateTaskPushNotificationConfigRequest',
}

export const REST_RESULTS_0_3: Names = {
  ...RESULTS_0_3,
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
