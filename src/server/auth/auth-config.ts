// What an operator configures (`--auth …`) and what authentication yields. Several configurations stand side by side:
// one accepted credential is enough.

/** Static tokens for `Authorization: Bearer`, each with the subject it stands for. */
export interface BearerConfig {
  readonly kind: 'bearer'
  readonly token: string
  readonly subject: string
}

/** Where an API key is sent. */
export type KeyLocation = 'header' | 'query' | 'cookie'

/** Callers with an API key. */
export interface ApiKeyConfig {
  readonly kind: 'api-key'
  readonly location: KeyLocation
  readonly name: string
  readonly key: string
  readonly subject: string
}

/** What a signed token must say. */
export interface TokenRules {
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
  readonly kind: 'jwt'
  readonly jwksUrl: string
}

/** Callers with a token of an OpenID Connect issuer. */
export interface OidcConfig extends TokenRules {
  readonly kind: 'oidc'
}

/** The client certificate that the TLS handshake verified; its subject is the caller. Needs `tls.ca` of the server. */
export interface MtlsConfig {
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
