// Where the tokens of an agent come from: what its card declares (OAuth 2.0 flows), or what the OpenID Connect document
// or OAuth metadata it points at says. The card is a stranger's word, so who may be sent a secret is decided elsewhere.

import { defined } from '../base/defined.ts'
import type { AgentCard, OAuthFlow, OAuthFlowName } from '../model/card.ts'
import { EXIT, ParleyError } from '../model/errors.ts'
import type { HttpClient } from '../net/http-client.ts'
import { objectIn } from './token-endpoint.ts'

export type FlowName = 'client-credentials' | 'authorization-code' | 'device-code'

export interface OAuthEndpoints {
  readonly tokenUrl: string
  readonly authorizationUrl?: string
  readonly deviceUrl?: string
  readonly flows: readonly FlowName[]
  /** Scopes the card asks for with the scheme. */
  readonly scopes: readonly string[]
}

const FLOW_NAMES: readonly (readonly [OAuthFlowName, FlowName])[] = [
  ['clientCredentials', 'client-credentials'],
  ['authorizationCode', 'authorization-code'],
  ['deviceCode', 'device-code'],
]

/** One entry per scheme; none when the card declares neither OAuth 2.0 nor OpenID Connect. */
export async function endpointsOf(
  card: AgentCard,
  { http, issuer, signal }: { http: HttpClient; issuer?: string | undefined; signal?: AbortSignal | undefined },
): Promise<OAuthEndpoints[]> {
  const scopes = requiredScopes(card)
  if (issuer !== undefined) return [await fromDocument(discoveryUrl(issuer), scopes, http, signal)]
  const found: OAuthEndpoints[] = []
  for (const scheme of Object.values(card.securitySchemes ?? {})) {
    const { oauth2SecurityScheme: oauth2, openIdConnectSecurityScheme: openId } = scheme
    const declared = oauth2 === undefined ? undefined : fromFlows(oauth2.flows, scopes)
    const url = openId?.openIdConnectUrl ?? oauth2?.oauth2MetadataUrl
    if (declared !== undefined) found.push(declared)
    else if (url !== undefined) found.push(await fromDocument(url, scopes, http, signal))
  }
  return found
}

/** A secret calls for the flow without a person; without one a person has to log in. */
export function chooseFlow(
  offered: readonly OAuthEndpoints[],
  { flow, hasSecret }: { flow?: FlowName | undefined; hasSecret: boolean },
): { flow: FlowName; endpoints: OAuthEndpoints } {
  const withoutPerson: readonly FlowName[] = hasSecret ? ['client-credentials'] : []
  const preferred = flow === undefined ? ([...withoutPerson, 'authorization-code', 'device-code'] as const) : [flow]
  for (const name of preferred) {
    const endpoints = offered.find(({ flows }) => flows.includes(name))
    if (endpoints !== undefined) return { flow: name, endpoints }
  }
  const names = [...new Set(offered.flatMap(({ flows }) => flows))]
  const wanted = flow ?? 'a login without --client-secret'
  const there = names.length === 0 ? 'none that Parley knows' : names.join(', ')
  throw new ParleyError('no-such-flow', `The agent does not offer ${wanted}; it offers ${there}.`, {
    exitCode: EXIT.unauthenticated,
    hint: 'Give --client-secret, choose with --oauth-flow, or give an access token with --bearer TOKEN.',
  })
}

function fromFlows(flows: { [flow in OAuthFlowName]?: OAuthFlow }, scopes: string[]): OAuthEndpoints | undefined {
  const offered = FLOW_NAMES.filter(([name]) => flows[name]?.tokenUrl !== undefined)
  const tokenUrl = offered.map(([name]) => flows[name]?.tokenUrl).find((url) => url !== undefined)
  if (tokenUrl === undefined) return undefined
  const authorizationUrl = flows.authorizationCode?.authorizationUrl
  const deviceUrl = flows.deviceCode?.deviceAuthorizationUrl
  return {
    tokenUrl,
    ...defined({ authorizationUrl, deviceUrl }),
    flows: offered.map(([, name]) => name),
    scopes,
  }
}

/** OpenID Connect Discovery 1.0 §4 and RFC 8414: the same members. */
async function fromDocument(
  url: string,
  scopes: string[],
  http: HttpClient,
  signal: AbortSignal | undefined,
): Promise<OAuthEndpoints> {
  const response = await http.request({ url, headers: [['Accept', 'application/json']], signal })
  const document = objectIn(await response.text())
  const at = (name: string) => (typeof document[name] === 'string' ? document[name] : undefined)
  const tokenUrl = at('token_endpoint')
  if (response.status !== 200 || tokenUrl === undefined)
    throw new ParleyError('no-token-endpoint', `${url} (HTTP ${response.status}) names no token endpoint.`, {
      exitCode: EXIT.unauthenticated,
      hint: 'Give an access token with --bearer TOKEN, or another --issuer URL.',
    })
  const authorizationUrl = at('authorization_endpoint')
  const deviceUrl = at('device_authorization_endpoint')
  return {
    tokenUrl,
    ...defined({ authorizationUrl, deviceUrl }),
    flows: [
      'client-credentials',
      ...(authorizationUrl === undefined ? [] : ['authorization-code' as const]),
      ...(deviceUrl === undefined ? [] : ['device-code' as const]),
    ],
    scopes,
  }
}

function discoveryUrl(issuer: string): string {
  return issuer.includes('/.well-known/') ? issuer : `${issuer.replace(/\/+$/, '')}/.well-known/openid-configuration`
}

/** Of the first requirement that names scopes. */
function requiredScopes({ securityRequirements = [] }: AgentCard): string[] {
  const lists = securityRequirements.flatMap(({ schemes }) => Object.values(schemes).map(({ list = [] }) => list))
  return lists.find((list) => list.length > 0) ?? []
}
