// A push configuration in any generation's shape, read forgivingly: flat in 1.0, nested before.

import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts'
import { listAt, objectAt, textAt } from './raw.ts'

export interface RawPushConfig {
  id: string | undefined
  taskId: string | undefined
  url: string | undefined
  token: string | undefined
  /** The HTTP scheme of `authentication`, whichever way it is written. */
  scheme: string | undefined
  credentials: string | undefined
  json: JsonObject
}

export function rawPushConfig(json: JsonValue | undefined): RawPushConfig | undefined {
  if (!isJsonObject(json)) return undefined
  const inner = objectAt(json, 'pushNotificationConfig') ?? json
  const authentication = objectAt(inner, 'authentication')
  const schemes = listAt(authentication, 'schemes')?.[0]
  // The REST form of 0.3 names configurations by their resource path.
  const path = /^tasks\/([^/]+)\/pushNotificationConfigs\/(.+)$/.exec(textAt(json, 'name') ?? '')
  return {
    id: textAt(inner, 'id') ?? path?.[2],
    taskId: textAt(json, 'taskId') ?? path?.[1] ?? (inner === json ? undefined : textAt(json, 'id')),
    url: textAt(inner, 'url'),
    token: textAt(inner, 'token'),
    scheme: textAt(authentication, 'scheme') ?? (typeof schemes === 'string' ? schemes : undefined),
    credentials: textAt(authentication, 'credentials'),
    json,
  }
}

/** The configurations in the result of a listing: an array, or an object that holds one. */
export function rawPushConfigs(json: JsonValue | undefined): RawPushConfig[] {
  const list = Array.isArray(json) ? json : (listAt(json, 'configs') ?? [])
  return list.flatMap((entry) => rawPushConfig(entry) ?? [])
}
