// Which definition of the `tasks/send` generation describes which message.

import type { Operation } from '../../model/operation.ts'
import type { SchemaName0_1 } from './definitions.ts'

type Names = Readonly<Partial<Record<Operation, SchemaName0_1>>>

export const REQUESTS_0_1: Names = {
  sendMessage: 'TaskSendParams',
  streamMessage: 'TaskSendParams',
  getTask: 'TaskQueryParams',
  cancelTask: 'TaskIdParams',
  subscribeTask: 'TaskQueryParams',
  createPushConfig: 'TaskPushNotificationConfig',
  getPushConfig: 'TaskIdParams',
  getCard: 'NoParams',
}

export const RESULTS_0_1: Names = {
  sendMessage: 'Task',
  streamMessage: 'StreamEvent',
  getTask: 'Task',
  cancelTask: 'Task',
  subscribeTask: 'StreamEvent',
  createPushConfig: 'TaskPushNotificationConfig',
  getPushConfig: 'TaskPushNotificationConfig',
  getCard: 'AgentCard',
}
