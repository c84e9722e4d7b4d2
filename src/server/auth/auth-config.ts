// What an operator configures (`--auth …`) and what authentication yields. Several configurations stand side by side:
// one accepted credential is enough.

/** Static tokens for `Authorization: Bearer`, each with the subject it stands for. */
export interface BearerConfig {
  /** A static bearer token. */
  readonly kind: 'bearer'
  /** The secret. */
  readonly token: string
  /** Who the caller is then. */
  readonly subject: string
}

/** Where an API key is sent. */
export type KeyLocation = 'header' | 'query' | 'cookie'

/** Callers with an API key. */
export interface ApiKeyConfig {
  /** An API key. */
  readonly kind: 'api-key'
  /** Where the key is looked for. */
  readonly location: KeyLocation
  /** Name of the header, query parameter or cookie. */
  readonly name: string
  /** The secret. */
  readonly key: string
  /** Who the caller is then. */
  readonly subject: string
}

/** What a signed token must say. */
export interface TokenRules {
  /** What `iss` must be. */
  readonly issuer: string
  /** What `aud` must contain; the server's public URL when absent. */
  readonly audience?: string
  /** The only algorithms accepted, whatever a token's header says. */
  readonly algorithms: readonly string[]
  /** Scopes a token must carry; else 403. */
  readonly scopes: readonly string[]
  /** The claim that names the caller's tenant. */
  readonly tenantClaim?: string
}

/** Callers with a signed token whose keys are known. */
export interface JwtConfig extends TokenRules {
  /** A signed token. */
  readonly kind: 'jwt'
  /** Where the keys of the issuer are (a JWK Set). */
  readonly jwksUrl: string
}

/** Callers with a token of an OpenID Connect issuer. */
export interface OidcConfig extends TokenRules {
  /** A token of an OpenID Connect issuer; its keys are found through the issuer's discovery document. */
  readonly kind: 'oidc'
}

/** The client certificate that the TLS handshake verified; its subject is the caller. Needs `tls.ca` of the server. */
export interface MtlsConfig {
  /** A client certificate. */
  readonly kind: 'mtls'
}

/** A way in which callers show who they are. */
export type AuthConfig = BearerConfig | ApiKeyConfig | JwtConfig | OidcConfig | MtlsConfig

export interface Caller {
  readonly subject: string
  /** From the credential; undefined when it does not say. */
  readonly tenant: string | undefined
  readonly scopes: readonly string[]
  /** When the credential ends; open streams must not outlive it. */
  readonly expiresAtMs: number | undefined
}
