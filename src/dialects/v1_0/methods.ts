// JSON-RPC method names of 1.0 (§9.4). The public card has none: it is fetched from its well-known path.

import type { Operation } from '../../model/operation.ts'

export const METHODS: Readonly<Partial<Record<Operation, string>>> = {
  sendMessage: 'SendMessage',
  streamMessage: 'SendStreamingMessage',
  getTask: 'GetTask',
  listTasks: 'ListTasks',
  cancelTask: 'CancelTask',
  subscribeTask: 'SubscribeToTask',
  createPushConfig: 'CreateTaskPushNotificationConfig',
  getPushConfig: 'GetTaskPushNotificationConfig',
  listPushConfigs: 'ListTaskPushNotificationConfigs',
  deletePushConfig: 'DeleteTaskPushNotificationConfig',
  getExtendedCard: 'GetExtendedAgentCard',
}
