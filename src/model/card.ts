// The agent card of A2A 1.0 (§4.4), which is also the neutral card of all generations.

import type { JsonObject } from './json.ts'

/** An address, what is spoken there, and which version of it (1.0 §4.4.6). */
export interface AgentInterface {
  url: string
  /** JSONRPC, HTTP+JSON, GRPC, or the URI of a custom binding. */
  protocolBinding: string
  protocolVersion: string
  tenant?: string
}

/** An extension an agent follows (1.0 §4.4.4). */
export interface AgentExtension {
  uri?: string
  description?: string
  required?: boolean
  params?: JsonObject
}

/** What an agent can do besides answering (1.0 §4.4.3). */
export interface AgentCapabilities {
  streaming?: boolean
  pushNotifications?: boolean
  extendedAgentCard?: boolean
  extensions?: AgentExtension[]
}

/** Something an agent is good at (1.0 §4.4.5). */
export interface AgentSkill {
  id: string
  name: string
  description: string
  tags: string[]
  examples?: string[]
  inputModes?: string[]
  outputModes?: string[]
  securityRequirements?: SecurityRequirement[]
}

/** Schemes that must hold together, with their scopes. */
export interface SecurityRequirement {
  schemes: { [name: string]: { list?: string[] } }
}

/** One OAuth 2.0 flow of a security scheme. */
export interface OAuthFlow {
  authorizationUrl?: string
  deviceAuthorizationUrl?: string
  tokenUrl?: string
  refreshUrl?: string
  scopes?: { [scope: string]: string }
  pkceRequired?: boolean
}

/** The OAuth 2.0 flows a card can offer. */
export type OAuthFlowName = 'authorizationCode' | 'clientCredentials' | 'implicit' | 'password' | 'deviceCode'

/** Exactly one member is present (1.0 §4.5.1). */
export interface SecurityScheme {
  apiKeySecurityScheme?: { description?: string; location: string; name: string }
  httpAuthSecurityScheme?: { description?: string; scheme: string; bearerFormat?: string }
  oauth2SecurityScheme?: {
    description?: string
    flows: { [flow in OAuthFlowName]?: OAuthFlow }
    oauth2MetadataUrl?: string
  }
  openIdConnectSecurityScheme?: { description?: string; openIdConnectUrl: string }
  mtlsSecurityScheme?: { description?: string }
}

/** A detached JWS over a card (1.0 §8.4). */
export interface AgentCardSignature {
  protected: string
  signature: string
  header?: JsonObject
}

/** What an agent says about itself (1.0 §4.4.1). */
export interface AgentCard {
  name: string
  description: string
  supportedInterfaces: AgentInterface[]
  provider?: { url: string; organization: string }
  version: string
  documentationUrl?: string
  capabilities: AgentCapabilities
  securitySchemes?: { [name: string]: SecurityScheme }
  securityRequirements?: SecurityRequirement[]
  defaultInputModes: string[]
  defaultOutputModes: string[]
  skills: AgentSkill[]
  signatures?: AgentCardSignature[]
  iconUrl?: string
}
