// REST routes of 0.3 (0.3 §3.5.6). Path members are named as in the JSON-RPC params, so that the folded request is
// those params.

import type { Route } from '../dialect.ts'

const ROUTES_OF_THE_SPEC: readonly Route[] = [
  { method: 'POST', path: '/message:send', op: 'sendMessage' },
  { method: 'POST', path: '/message:stream', op: 'streamMessage' },
  { method: 'POST', path: '/tasks/{id}:cancel', op: 'cancelTask' },
  // The text says POST, the proto GET.
  { method: 'POST', path: '/tasks/{id}:subscribe', op: 'subscribeTask' },
  { method: 'GET', path: '/tasks/{id}:subscribe', op: 'subscribeTask' },
  { method: 'POST', path: '/tasks/{taskId}/pushNotificationConfigs', op: 'createPushConfig' },
  { method: 'GET', path: '/tasks/{id}/pushNotificationConfigs', op: 'listPushConfigs' },
  { method: 'GET', path: '/tasks/{id}/pushNotificationConfigs/{pushNotificationConfigId}', op: 'getPushConfig' },
  { method: 'DELETE', path: '/tasks/{id}/pushNotificationConfigs/{pushNotificationConfigId}', op: 'deletePushConfig' },
  { method: 'GET', path: '/tasks/{id}', op: 'getTask' },
  { method: 'GET', path: '/card', op: 'getExtendedCard' },
]

/** The prefix belongs to 0.3; without it are those a header sent here. */
export const ROUTES: readonly Route[] = [
  ...ROUTES_OF_THE_SPEC.map((route) => ({ ...route, path: `/v1${route.path}` })),
  ...ROUTES_OF_THE_SPEC,
]
