// The agent card of A2A 1.0 (§4.4), which is also the neutral card of all generations.

import type { JsonObject } from './json.ts'

/** An address, what is spoken there, and which version of it (1.0 §4.4.6). */
export interface AgentInterface {
  /** Absolute URL; https in production. */
  url: string
  /** JSONRPC, HTTP+JSON, GRPC, or the URI of a custom binding. */
  protocolBinding: string
  /** The version of A2A spoken there, `Major.Minor`: `1.0`. */
  protocolVersion: string
  /** The tenant to send with each request to this interface. */
  tenant?: string
}

/** An extension an agent follows (1.0 §4.4.4). */
export interface AgentExtension {
  /** Identifies the extension; its specification is usually found there. */
  uri?: string
  /** How this agent uses it. */
  description?: string
  /**
   * Whether a client has to activate it; a request without it is refused.
   * @default false
   */
  required?: boolean
  /** Settings the extension defines. */
  params?: JsonObject
}

/** What an agent can do besides answering (1.0 §4.4.3). */
export interface AgentCapabilities {
  /**
   * Answers SendStreamingMessage and SubscribeToTask.
   * @default false
   */
  streaming?: boolean
  /**
   * Calls webhooks about tasks.
   * @default false
   */
  pushNotifications?: boolean
  /**
   * Shows a fuller card to callers who have authenticated.
   * @default false
   */
  extendedAgentCard?: boolean
  /** Extensions it follows. */
  extensions?: AgentExtension[]
}

/** Something an agent is good at (1.0 §4.4.5). */
export interface AgentSkill {
  /** Unique within the card. */
  id: string
  /** For people. */
  name: string
  /** What it does, in enough words for a client to choose it. */
  description: string
  /** Keywords to find it by. */
  tags: string[]
  /** Prompts that it understands. */
  examples?: string[]
  /** Media types it takes, instead of the card's `defaultInputModes`. */
  inputModes?: string[]
  /** Media types it produces, instead of the card's `defaultOutputModes`. */
  outputModes?: string[]
  /** What calling this skill needs; any one of them is enough. */
  securityRequirements?: SecurityRequirement[]
}

/** Schemes that must hold together, with their scopes. */
export interface SecurityRequirement {
  /** Name of a scheme in the card's `securitySchemes`, to the scopes it needs. */
  schemes: {
    [name: string]: {
      /** Scopes; none for schemes that have none. */
      list?: string[]
    }
  }
}

/** One OAuth 2.0 flow of a security scheme. */
export interface OAuthFlow {
  /** Where the user grants access (authorizationCode, implicit). */
  authorizationUrl?: string
  /** Where a device asks for a code (deviceCode, RFC 8628). */
  deviceAuthorizationUrl?: string
  /** Where codes and credentials become tokens. */
  tokenUrl?: string
  /** Where tokens are renewed; `tokenUrl` when absent. */
  refreshUrl?: string
  /** Scope to what it allows, in words. */
  scopes?: { [scope: string]: string }
  /**
   * Whether the authorization code needs PKCE (RFC 7636).
   * @default false
   */
  pkceRequired?: boolean
}

/** The OAuth 2.0 flows a card can offer. */
export type OAuthFlowName = 'authorizationCode' | 'clientCredentials' | 'implicit' | 'password' | 'deviceCode'

/** Exactly one member is present (1.0 §4.5.1). */
export interface SecurityScheme {
  /** A fixed key in a header, the query or a cookie. */
  apiKeySecurityScheme?: {
    /** For people. */
    description?: string
    /** `header`, `query` or `cookie`. */
    location: string
    /** The name of the header, query parameter or cookie. */
    name: string
  }
  /** The Authorization header of HTTP. */
  httpAuthSecurityScheme?: {
    /** For people. */
    description?: string
    /** A scheme registered for HTTP: `Bearer`, `Basic`. */
    scheme: string
    /** What a bearer token looks like, such as `JWT`; a hint. */
    bearerFormat?: string
  }
  /** OAuth 2.0. */
  oauth2SecurityScheme?: {
    /** For people. */
    description?: string
    /** The flow it offers. */
    flows: { [flow in OAuthFlowName]?: OAuthFlow }
    /** Metadata of the authorization server (RFC 8414). */
    oauth2MetadataUrl?: string
  }
  /** OpenID Connect. */
  openIdConnectSecurityScheme?: {
    /** For people. */
    description?: string
    /** The discovery document, `…/.well-known/openid-configuration`. */
    openIdConnectUrl: string
  }
  /** A certificate of the client, in the TLS handshake. */
  mtlsSecurityScheme?: {
    /** For people. */
    description?: string
  }
}

/** A detached JWS over a card (1.0 §8.4). */
export interface AgentCardSignature {
  /** The protected header of the JWS, base64url. */
  protected: string
  /** The signature, base64url. */
  signature: string
  /** The unprotected header. */
  header?: JsonObject
}

/** What an agent says about itself (1.0 §4.4.1). */
export interface AgentCard {
  /** For people. */
  name: string
  /** What the agent does, for people and for agents that choose one. */
  description: string
  /** Where it can be called, the preferred interface first. */
  supportedInterfaces: AgentInterface[]
  /** Who runs it. */
  provider?: {
    /** Website of the provider. */
    url: string
    /** Name of the provider. */
    organization: string
  }
  /** Version of the agent, not of the protocol. */
  version: string
  /** Where people read more. */
  documentationUrl?: string
  /** What it can do besides answering. */
  capabilities: AgentCapabilities
  /** Ways to authenticate, by a name of the card's own. */
  securitySchemes?: { [name: string]: SecurityScheme }
  /** What every call needs; any one of them is enough. None: open to everybody. */
  securityRequirements?: SecurityRequirement[]
  /** Media types all skills take unless they say otherwise. */
  defaultInputModes: string[]
  /** Media types all skills produce unless they say otherwise. */
  defaultOutputModes: string[]
  /** What it is good at. */
  skills: AgentSkill[]
  /** Signatures over the rest of the card. */
  signatures?: AgentCardSignature[]
  /** A picture of it. */
  iconUrl?: string
}
