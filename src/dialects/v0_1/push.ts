// Push configurations: one per task here, nested, with a list of schemes.

import type { PushConfig } from '../../model/operation.ts'
import { decodeAuthentication, encodeAuthentication } from '../older-shapes.ts'
import type { WirePushConfig, WireTaskPushConfig } from './wire.ts'

export function decodePushConfig(wire: WirePushConfig): PushConfig {
  const { authentication, ...rest } = wire
  return authentication === undefined ? rest : { ...rest, authentication: decodeAuthentication(authentication) }
}

export function encodePushConfig(config: PushConfig): WirePushConfig {
  // A task has one configuration, so its id says nothing.
  const { tenant: _, taskId: __, id: ___, authentication, ...rest } = config
  return authentication === undefined ? rest : { ...rest, authentication: encodeAuthentication(authentication) }
}

export function decodeTaskPushConfig(wire: WireTaskPushConfig): PushConfig {
  return { ...decodePushConfig(wire.pushNotificationConfig), taskId: wire.id }
}

export function encodeTaskPushConfig(config: PushConfig): WireTaskPushConfig {
  return { id: config.taskId ?? '', pushNotificationConfig: encodePushConfig(config) }
}
