// REST routes of 1.0 (§11.3 and the http options of the proto). A client takes the first route of an operation; a
// server matches all of them in this order.

import type { Route } from '../dialect.ts'

const ROUTES_OF_THE_SPEC: readonly Route[] = [
  { method: 'POST', path: '/message:send', op: 'sendMessage' },
  { method: 'POST', path: '/message:stream', op: 'streamMessage' },
  { method: 'POST', path: '/tasks/{id}:cancel', op: 'cancelTask' },
  // §11.3.2 says POST, the proto says GET: clients of both kinds exist.
  { method: 'POST', path: '/tasks/{id}:subscribe', op: 'subscribeTask' },
  { method: 'GET', path: '/tasks/{id}:subscribe', op: 'subscribeTask' },
  { method: 'POST', path: '/tasks/{taskId}/pushNotificationConfigs', op: 'createPushConfig' },
  { method: 'GET', path: '/tasks/{taskId}/pushNotificationConfigs', op: 'listPushConfigs' },
  { method: 'GET', path: '/tasks/{taskId}/pushNotificationConfigs/{id}', op: 'getPushConfig' },
  { method: 'DELETE', path: '/tasks/{taskId}/pushNotificationConfigs/{id}', op: 'deletePushConfig' },
  { method: 'GET', path: '/tasks/{id}', op: 'getTask' },
  { method: 'GET', path: '/tasks', op: 'listTasks' },
  { method: 'GET', path: '/extendedAgentCard', op: 'getExtendedCard' },
]

/** Every route may be prefixed by a tenant (the additional bindings of the proto). */
export const ROUTES: readonly Route[] = [
  ...ROUTES_OF_THE_SPEC,
  ...ROUTES_OF_THE_SPEC.map((route) => ({ ...route, path: `/{tenant}${route.path}` })),
]
