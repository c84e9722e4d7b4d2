// Push configurations: nested and with a list of schemes in 0.3, flat and with one scheme in 1.0.

import type { PushConfig } from '../../model/operation.ts'
import type { Losses } from '../losses.ts'
import { decodeAuthentication, encodeAuthentication } from '../older-shapes.ts'
import type { WirePushConfig, WireTaskPushConfig } from './wire.ts'

export function decodePushConfig(wire: WirePushConfig): PushConfig {
  const { authentication, ...rest } = wire
  return authentication === undefined ? rest : { ...rest, authentication: decodeAuthentication(authentication) }
}

export function encodePushConfig(config: PushConfig, pointer: string, lost: Losses): WirePushConfig {
  const { tenant: _, taskId: __, authentication, ...rest } = config
  lost.check(config, 'tenant', pointer, '0.3 knows no tenants')
  return authentication === undefined ? rest : { ...rest, authentication: encodeAuthentication(authentication) }
}

export function decodeTaskPushConfig(wire: WireTaskPushConfig): PushConfig {
  const { taskId, pushNotificationConfig, ...unknown } = wire
  return { ...unknown, ...decodePushConfig(pushNotificationConfig), taskId }
}

export function encodeTaskPushConfig(config: PushConfig, pointer: string, lost: Losses): WireTaskPushConfig {
  return { taskId: config.taskId ?? '', pushNotificationConfig: encodePushConfig(config, pointer, lost) }
}
