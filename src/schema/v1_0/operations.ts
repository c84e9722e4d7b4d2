// Which definition of 1.0 describes which message. Both JSON bindings carry the same objects (1.0 §5.1).

import type { Operation } from '../../model/operation.ts'
import type { SchemaName1_0 } from './definitions.ts'

export const REQUESTS_1_0: Readonly<Record<Operation, SchemaName1_0>> = {
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

export const RESULTS_1_0: Readonly<Record<Operation, SchemaName1_0>> = {
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
