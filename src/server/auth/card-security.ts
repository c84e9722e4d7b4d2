// The card and the configuration must say the same about authentication: derived when the author leaves it out,
// compared when the author wrote it. A card that promises less or more than the server asks for is refused at start.

import type { AgentCard, SecurityRequirement, SecurityScheme } from '../../model/card.ts'
import { ParleyError } from '../../model/errors.ts'
import type { AuthConfig } from './auth-config.ts'
import { discoveryUrl } from './token-verifier.ts'

export interface CardSecurity {
  readonly securitySchemes: { [name: string]: SecurityScheme }
  /** One alternative per scheme: any of them is enough (1.0 §4.5). */
  readonly securityRequirements: SecurityRequirement[]
}

/** The card's part for these configurations; undefined for an open server. */
export function securitySchemesFor(configs: readonly AuthConfig[]): CardSecurity | undefined {
  if (configs.length === 0) return undefined
  const schemes = new Map<string, { scheme: SecurityScheme; scopes: readonly string[] }>()
  const seen = new Set<string>()
  for (const config of configs) {
    const scheme = schemeFor(config)
    const face = JSON.stringify(scheme)
    if (seen.has(face)) continue
    seen.add(face)
    const base = NAMES[config.kind]
    let name = base
    for (let n = 2; schemes.has(name); n++) name = `${base}${n}`
    schemes.set(name, { scheme, scopes: 'scopes' in config ? config.scopes : [] })
  }
  return {
    securitySchemes: Object.fromEntries([...schemes].map(([name, { scheme }]) => [name, scheme])),
    securityRequirements: [...schemes].map(([name, { scopes }]) => ({ schemes: { [name]: { list: [...scopes] } } })),
  }
}

/** Throws a ParleyError that names the first disagreement. `elsewhere`: schemes that something else than `configs` checks. */
export function checkCardAgainstAuth(
  card: AgentCard,
  configs: readonly AuthConfig[],
  elsewhere: readonly string[] = [],
): void {
  const declared = Object.entries(card.securitySchemes ?? {})
  const required = new Set((card.securityRequirements ?? []).flatMap(({ schemes }) => Object.keys(schemes)))
  for (const name of required) {
    if (!declared.some(([known]) => known === name)) {
      throw disagree(card, `requires the scheme '${name}', which it does not declare`)
    }
  }
  for (const [name, scheme] of declared) {
    if (!elsewhere.includes(name) && !configs.some((config) => serves(config, scheme))) {
      throw disagree(card, `declares the scheme '${name}', which no --auth provides`)
    }
  }
  for (const config of configs) {
    if (!declared.some(([name, scheme]) => required.has(name) && serves(config, scheme))) {
      throw disagree(card, `does not require ${config.kind}, which --auth ${config.kind} demands of every caller`)
    }
  }
}

const NAMES: { readonly [kind in AuthConfig['kind']]: string } = {
  bearer: 'bearer',
  'api-key': 'apiKey',
  jwt: 'jwt',
  oidc: 'oidc',
  mtls: 'mtls',
}

function schemeFor(config: AuthConfig): SecurityScheme {
  switch (config.kind) {
    case 'bearer':
      return { httpAuthSecurityScheme: { scheme: 'Bearer' } }
    case 'api-key':
      return { apiKeySecurityScheme: { location: config.location, name: config.name } }
    case 'jwt':
      return { httpAuthSecurityScheme: { scheme: 'Bearer', bearerFormat: 'JWT' } }
    case 'oidc':
      return { openIdConnectSecurityScheme: { openIdConnectUrl: discoveryUrl(config.issuer) } }
    case 'mtls':
      return { mtlsSecurityScheme: {} }
  }
}

/** Whether a caller who follows the scheme is let in by the configuration. */
function serves(config: AuthConfig, scheme: SecurityScheme): boolean {
  const { apiKeySecurityScheme: key, openIdConnectSecurityScheme: oidc, mtlsSecurityScheme: mtls } = scheme
  const isBearer = scheme.httpAuthSecurityScheme?.scheme.toLowerCase() === 'bearer'
  switch (config.kind) {
    case 'bearer':
      return isBearer
    case 'jwt':
      return isBearer || scheme.oauth2SecurityScheme !== undefined
    case 'oidc':
      return (
        isBearer || scheme.oauth2SecurityScheme !== undefined || oidc?.openIdConnectUrl === discoveryUrl(config.issuer)
      )
    case 'api-key': {
      if (key?.location !== config.location) return false
      // Header names have no case, the others do.
      return config.location === 'header'
        ? key.name.toLowerCase() === config.name.toLowerCase()
        : key.name === config.name
    }
    case 'mtls':
      return mtls !== undefined
  }
}

function disagree(card: AgentCard, what: string): ParleyError {
  return new ParleyError('card-disagrees-with-auth', `The card of '${card.name}' ${what}.`, {
    hint: 'Make the card and --auth agree, or leave the security part out of the card to have it derived.',
  })
}
