// Push configurations: one per task here, nested, with a list of schemes.

import type { PushAuthentication, PushConfig } from '../../model/operation.ts'
import type { WirePushConfig, WireTaskPushConfig } from './wire.ts'

type WireAuthentication = NonNullable<WirePushConfig['authentication']>

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

/** 1.0 has one scheme: the first. A longer list stays beside it, unknown to 1.0, for the way back. */
function decodeAuthentication(wire: WireAuthentication): PushAuthentication {
  const { schemes, ...rest } = wire
  return { ...rest, scheme: schemes[0] ?? '', ...(schemes.length > 1 ? { schemes } : {}) }
}

function encodeAuthentication(authentication: PushAuthentication): WireAuthentication {
  const { scheme, schemes, ...rest } = authentication as PushAuthentication & { schemes?: string[] }
  return { ...rest, schemes: schemes ?? (scheme === '' ? [] : [scheme]) }
}
