// Which headers identify whom. API keys go where the card asks for them.

import { isJsonObject, type JsonObject } from '../../model/json.ts'
import { objectAt, textAt } from '../probe/raw.ts'
import type { RunContext } from '../probe/run-context.ts'

/** What shows the agent who is judging it. */
export interface CredentialOptions {
  /** Sent as `Authorization: Bearer`. */
  bearer?: string
  /** Sent in the header the card names; X-API-Key where it names none. */
  apiKey?: string
  /** Further header fields, name and value, sent with every request. */
  headers?: readonly (readonly [string, string])[]
  /** The bearer token of a second user. */
  bearerB?: string
}

export function credentialsFor(card: JsonObject | undefined, options: CredentialOptions): RunContext['credentials'] {
  const first: [string, string][] = (options.headers ?? []).map(([name, value]) => [name, value])
  if (options.bearer !== undefined) first.push(['Authorization', `Bearer ${options.bearer}`])
  if (options.apiKey !== undefined) first.push([apiKeyHeader(card), options.apiKey])
  const wrong = first.map(([name, value]): [string, string] => [
    name,
    value.replace(/[^ ]+$/, 'parley-wrong-credential'),
  ])
  const isSecret = /authorization|key|token|cookie|secret/i
  return {
    first,
    none: first.filter(([name]) => !isSecret.test(name)),
    wrong: wrong.some(([name]) => isSecret.test(name)) ? wrong : [['Authorization', 'Bearer parley-wrong-credential']],
    second: options.bearerB === undefined ? undefined : [['Authorization', `Bearer ${options.bearerB}`]],
  }
}

/** The header the card's API key scheme names, in the spelling of any generation. */
function apiKeyHeader(card: JsonObject | undefined): string {
  for (const scheme of Object.values(objectAt(card, 'securitySchemes') ?? {})) {
    const key =
      objectAt(scheme, 'apiKeySecurityScheme') ??
      (isJsonObject(scheme) && scheme.type === 'apiKey' ? scheme : undefined)
    const place = textAt(key, 'location') ?? textAt(key, 'in')
    const name = textAt(key, 'name')
    if (place === 'header' && name !== undefined) return name
  }
  return 'X-API-Key'
}
