// JSON-RPC method names of 0.3 (0.3 §3.5.6). There is no list of tasks.

import type { Operation } from '../../model/operation.ts'

export const METHODS: Readonly<Partial<Record<Operation, string>>> = {
  sendMessage: 'message/send',
  streamMessage: 'message/stream',
  getTask: 'tasks/get',
  cancelTask: 'tasks/cancel',
  subscribeTask: 'tasks/resubscribe',
  createPushConfig: 'tasks/pushNotificationConfig/set',
  getPushConfig: 'tasks/pushNotificationConfig/get',
  listPushConfigs: 'tasks/pushNotificationConfig/list',
  deletePushConfig: 'tasks/pushNotificationConfig/delete',
  getExtendedCard: 'agent/getAuthenticatedExtendedCard',
}
