// Which credentials a card of any generation asks for, and the flag that brings each of them.

import { isJsonObject, type JsonObject, type JsonValue, listAt, objectAt, textAt } from '../model/json.ts'

export interface WantedCredentials {
  /** "The card asks for a bearer token (scheme "token")." */
  sentence: string
  /** "Give it with --bearer TOKEN." */
  advice: string
}

interface Wanted {
  what: string
  how: string
}

const ANY_FLAG = '--bearer TOKEN, --api-key KEY, -H "Name: value", or --client-cert FILE with --client-key FILE'

/** `challenge` is the WWW-Authenticate header of the refusal, if it had one. */
export function wantedCredentials(card: JsonObject | undefined, challenge?: string): WantedCredentials {
  const alternatives = alternativesOf(card)
  if (alternatives.length === 0) {
    const asked = challenge === undefined ? '' : ` It answers "WWW-Authenticate: ${challenge}".`
    return {
      sentence: `The card does not say which credentials it wants.${asked}`,
      advice: `Declare securitySchemes and what is required in the card, so that clients know; then give ${ANY_FLAG}.`,
    }
  }
  const shown = alternatives.map((all) => all.map(({ what }) => what).join(' together with '))
  const flags = [...new Set(alternatives.map((all) => all.map(({ how }) => how).join(' and ')))]
  return { sentence: `The card asks for ${shown.join(', or ')}.`, advice: `Give ${flags.join(', or ')}.` }
}

/** One list per alternative; all of its members are needed together. */
function alternativesOf(card: JsonObject | undefined): Wanted[][] {
  const schemes = objectAt(card, 'securitySchemes') ?? {}
  const named = (names: readonly string[]) => names.map((name) => wantedFor(name, schemes[name]))
  const required = [
    ...(listAt(card, 'securityRequirements') ?? []).map((entry) => Object.keys(objectAt(entry, 'schemes') ?? {})),
    ...(listAt(card, 'security') ?? []).map((entry) => (isJsonObject(entry) ? Object.keys(entry) : [])),
  ].filter((names) => names.length > 0)
  if (required.length > 0) return required.map(named)
  const declared = Object.keys(schemes)
  if (declared.length > 0) return declared.map((name) => named([name]))
  // The first generation has only the names of HTTP schemes.
  const oldest = listAt(objectAt(card, 'authentication'), 'schemes') ?? []
  return oldest.flatMap((scheme) => (typeof scheme === 'string' ? [[ofHttp(scheme, scheme)]] : []))
}

function wantedFor(name: string, scheme: JsonValue | undefined): Wanted {
  const type = textAt(scheme, 'type')
  const member = (wrapped: string, old: string) =>
    objectAt(scheme, wrapped) ?? (type === old && isJsonObject(scheme) ? scheme : undefined)
  const key = member('apiKeySecurityScheme', 'apiKey')
  if (key !== undefined) return ofApiKey(name, key)
  const http = member('httpAuthSecurityScheme', 'http')
  if (http !== undefined) return ofHttp(name, textAt(http, 'scheme') ?? 'bearer')
  if (member('mtlsSecurityScheme', 'mutualTLS') !== undefined) {
    return { what: `a client certificate (scheme "${name}")`, how: '--client-cert FILE with --client-key FILE' }
  }
  const isOpenId = member('openIdConnectSecurityScheme', 'openIdConnect')
  const oauth = member('oauth2SecurityScheme', 'oauth2') ?? isOpenId
  if (oauth === undefined)
    return { what: `credentials of the scheme "${name}", which it does not declare`, how: ANY_FLAG }
  const kind = isOpenId === undefined ? 'OAuth 2.0' : 'OpenID Connect'
  const from = textAt(oauth, 'openIdConnectUrl') ?? tokenUrlOf(oauth)
  return {
    what: `an access token (${kind}, scheme "${name}"${from === undefined ? '' : `, from ${from}`})`,
    how: '--client-id ID to log in, --client-id ID with --client-secret SECRET, or --bearer TOKEN with an access token',
  }
}

function ofHttp(name: string, scheme: string): Wanted {
  if (/^bearer$/i.test(scheme)) return { what: `a bearer token (scheme "${name}")`, how: '--bearer TOKEN' }
  return { what: `HTTP ${scheme} credentials (scheme "${name}")`, how: `-H "Authorization: ${scheme} …"` }
}

function ofApiKey(name: string, key: JsonObject): Wanted {
  const place = textAt(key, 'location') ?? textAt(key, 'in') ?? 'header'
  const field = textAt(key, 'name') ?? 'X-API-Key'
  const what = `an API key in the ${place} "${field}" (scheme "${name}")`
  if (place === 'header') return { what, how: '--api-key KEY' }
  if (place === 'cookie') return { what, how: `-H "Cookie: ${field}=KEY"` }
  return { what, how: 'it in a header, if the agent takes it there (-H "Name: value"); Parley sends no key in a query' }
}

function tokenUrlOf(oauth: JsonObject): string | undefined {
  for (const flow of Object.values(objectAt(oauth, 'flows') ?? {})) {
    const url = textAt(flow, 'tokenUrl')
    if (url !== undefined) return url
  }
  return undefined
}
