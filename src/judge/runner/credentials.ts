// Which headers identify whom. API keys go where the card asks for them.

import { type TokenProvider, tokenSourceOf } from '../../auth/token-provider.ts'
import { isJsonObject, type JsonObject } from '../../model/json.ts'
import { LiveToken } from '../probe/live-token.ts'
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
  /** Where the bearer token comes from, for runs that outlast it: asked before every call, and when one is refused. */
  tokens?: TokenProvider
}

/** With the first token of their source. */
export async function withToken<O extends CredentialOptions>(options: O): Promise<O> {
  const { bearer, tokens } = options
  if (bearer !== undefined || tokens === undefined) return options
  return { ...options, bearer: await tokenSourceOf(tokens).token() }
}

export function liveToken({ bearer, tokens }: CredentialOptions): LiveToken | undefined {
  return bearer === undefined || tokens === undefined ? undefined : new LiveToken(tokens, bearer)
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
