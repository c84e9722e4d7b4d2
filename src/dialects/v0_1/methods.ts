// JSON-RPC method names of the `tasks/send` generation.

import type { Operation } from '../../model/operation.ts'

export const METHODS: Readonly<Partial<Record<Operation, string>>> = {
  sendMessage: 'tasks/send',
  streamMessage: 'tasks/sendSubscribe',
  getTask: 'tasks/get',
  cancelTask: 'tasks/cancel',
  subscribeTask: 'tasks/resubscribe',
  createPushConfig: 'tasks/pushNotification/set',
  getPushConfig: 'tasks/pushNotification/get',
}
