// Security declarations: 0.3 tags schemes with the OpenAPI `type` and lists scopes by name; 1.0 has oneof members.

import type { SecurityRequirement, SecurityScheme } from '../../model/card.ts'
import type { Losses } from '../losses.ts'
import type { WireSecurityRequirement, WireSecurityScheme } from './wire.ts'

export function decodeScheme(wire: WireSecurityScheme): SecurityScheme {
  switch (wire.type) {
    case 'apiKey': {
      const { type: _, in: location, ...rest } = wire
      return { apiKeySecurityScheme: { ...rest, location } }
    }
    case 'http': {
      const { type: _, ...rest } = wire
      return { httpAuthSecurityScheme: rest }
    }
    case 'oauth2': {
      const { type: _, ...rest } = wire
      return { oauth2SecurityScheme: rest }
    }
    case 'openIdConnect': {
      const { type: _, ...rest } = wire
      return { openIdConnectSecurityScheme: rest }
    }
    case 'mutualTLS': {
      const { type: _, ...rest } = wire
      return { mtlsSecurityScheme: rest }
    }
  }
}

/** Undefined when 0.3 has no such scheme. */
export function encodeScheme(scheme: SecurityScheme, pointer: string, lost: Losses): WireSecurityScheme | undefined {
  if (scheme.apiKeySecurityScheme !== undefined) {
    const { location, ...rest } = scheme.apiKeySecurityScheme
    return { type: 'apiKey', ...rest, in: location }
  }
  if (scheme.httpAuthSecurityScheme !== undefined) return { type: 'http', ...scheme.httpAuthSecurityScheme }
  if (scheme.openIdConnectSecurityScheme !== undefined) {
    return { type: 'openIdConnect', ...scheme.openIdConnectSecurityScheme }
  }
  if (scheme.mtlsSecurityScheme !== undefined) return { type: 'mutualTLS', ...scheme.mtlsSecurityScheme }
  if (scheme.oauth2SecurityScheme !== undefined) {
    const { deviceCode: _, ...flows } = scheme.oauth2SecurityScheme.flows
    const at = `${pointer}/oauth2SecurityScheme/flows`
    lost.check(scheme.oauth2SecurityScheme.flows, 'deviceCode', at, '0.3 has no device code flow')
    if (flows.authorizationCode !== undefined) {
      const { pkceRequired, ...flow } = flows.authorizationCode
      if (pkceRequired) lost.add(`${at}/authorizationCode/pkceRequired`, '0.3 cannot ask for PKCE')
      flows.authorizationCode = flow
    }
    return { type: 'oauth2', ...scheme.oauth2SecurityScheme, flows }
  }
  lost.add(pointer, '0.3 has no such security scheme')
  return undefined
}

export function decodeRequirement(wire: WireSecurityRequirement): SecurityRequirement {
  return { schemes: Object.fromEntries(Object.entries(wire).map(([name, list]) => [name, { list }])) }
}

export function encodeRequirement(requirement: SecurityRequirement): WireSecurityRequirement {
  return Object.fromEntries(Object.entries(requirement.schemes).map(([name, scopes]) => [name, scopes.list ?? []]))
}
