// Verifies JSON Web Tokens of one issuer. The algorithms come from the configuration and the keys from the issuer's
// published set; nothing in a token can choose either.

import type { JWTPayload, JWTVerifyOptions, LocalJWKSet } from 'jose'
import { ParleyError } from '../../model/errors.ts'
import type { Caller, JwtConfig, OidcConfig } from './auth-config.ts'
import { fetchJson, KeySet, type KeySetOptions } from './key-set.ts'

export type TokenVerdict =
  | { ok: true; caller: Caller }
  /** 'unavailable': the issuer's keys cannot be had, so nothing can be said about the token. */
  | { ok: false; reason: 'invalid' | 'insufficient-scope' | 'unavailable' }

export interface TokenVerifierOptions extends KeySetOptions {
  /** The audience when the configuration names none. */
  readonly publicUrl?: string
}

const MAX_TOKEN_LENGTH = 8_192
const CLOCK_TOLERANCE_SECONDS = 5
const ACCEPTED_TYPES = new Set(['jwt', 'at+jwt', 'application/at+jwt'])
/** Headers by which a token would bring its own key. */
const KEY_BEARING_HEADERS = ['jwk', 'jku', 'x5u', 'x5c'] as const

export class TokenVerifier {
  readonly config: JwtConfig | OidcConfig
  readonly #audience: string
  readonly #keys: KeySet
  readonly #now: () => number

  constructor(config: JwtConfig | OidcConfig, options: TokenVerifierOptions) {
    const audience = config.audience ?? options.publicUrl
    if (audience === undefined) {
      throw new ParleyError('bad-auth', `--auth ${config.kind}: add audience=… or give the server a public URL.`)
    }
    this.config = config
    this.#audience = audience
    this.#now = options.now ?? Date.now
    this.#keys = new KeySet(() => locateKeys(config, options), namedIn(config), options)
  }

  /** Fetches the keys before the first request, so that a wrong URL is found by the operator and not by callers. */
  async ready(): Promise<void> {
    if ((await this.#keys.current()) !== undefined) return
    const where = this.config.kind === 'jwt' ? this.config.jwksUrl : discoveryUrl(this.config.issuer)
    throw new ParleyError('keys-unreachable', `No signing keys could be read from ${where}.`, {
      hint: 'Check the URL and that it answers; keys at another private address than the issuer need --allow-private-issuers.',
    })
  }

  async verify(token: string): Promise<TokenVerdict> {
    const { decodeProtectedHeader } = await import('jose')
    if (token.length > MAX_TOKEN_LENGTH || !looksSigned(token)) return { ok: false, reason: 'invalid' }
    try {
      const header = decodeProtectedHeader(token)
      if (KEY_BEARING_HEADERS.some((name) => name in header)) return { ok: false, reason: 'invalid' }
      if (header.typ !== undefined && !ACCEPTED_TYPES.has(header.typ.toLowerCase()))
        return { ok: false, reason: 'invalid' }
    } catch {
      return { ok: false, reason: 'invalid' }
    }
    const keys = await this.#keys.current()
    if (keys === undefined) return { ok: false, reason: 'unavailable' }
    let outcome = await this.#check(token, keys)
    if (outcome === 'unknown-key' && (await this.#keys.renew())) {
      const renewed = await this.#keys.current()
      if (renewed !== undefined) outcome = await this.#check(token, renewed)
    }
    if (outcome === 'unknown-key' || outcome === 'invalid') return { ok: false, reason: 'invalid' }
    return this.#callerOf(outcome)
  }

  async #check(token: string, keys: LocalJWKSet): Promise<JWTPayload | 'unknown-key' | 'invalid'> {
    const { errors, jwtVerify } = await import('jose')
    const rules: JWTVerifyOptions = {
      algorithms: [...this.config.algorithms],
      issuer: this.config.issuer,
      audience: this.#audience,
      requiredClaims: ['exp', 'sub'],
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      currentDate: new Date(this.#now()),
    }
    try {
      return (await jwtVerify(token, keys, rules)).payload
    } catch (error) {
      return error instanceof errors.JWKSNoMatchingKey ? 'unknown-key' : 'invalid'
    }
  }

  #callerOf(payload: JWTPayload): TokenVerdict {
    const { sub, exp } = payload
    if (!isPlainName(sub)) return { ok: false, reason: 'invalid' }
    const scopes = scopesOf(payload)
    if (this.config.scopes.some((scope) => !scopes.includes(scope))) return { ok: false, reason: 'insufficient-scope' }
    const tenant = this.config.tenantClaim === undefined ? undefined : payload[this.config.tenantClaim]
    // With a tenant claim configured, a token without one belongs to no tenant and is refused.
    if (this.config.tenantClaim !== undefined && !isPlainName(tenant)) {
      return { ok: false, reason: 'invalid' }
    }
    return {
      ok: true,
      caller: {
        subject: `${this.config.issuer} ${sub}`,
        tenant: typeof tenant === 'string' ? tenant : undefined,
        scopes,
        expiresAtMs: exp === undefined ? undefined : exp * 1000,
      },
    }
  }
}

/** The form of a signed token; nothing else is worth the work of verifying. */
export function looksSigned(token: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)
}

/** Names become parts of keys, where control characters are separators. */
function isPlainName(value: unknown): value is string {
  return typeof value === 'string' && /^[^\p{Cc}]{1,256}$/u.test(value)
}

/** RFC 8693 writes one string, some issuers a list under another name. */
function scopesOf({ scope, scp }: JWTPayload): readonly string[] {
  const stated = scope ?? scp
  if (typeof stated === 'string') return stated.split(' ').filter((each) => each !== '')
  return Array.isArray(stated) ? stated.filter((each) => typeof each === 'string') : []
}

/** The address the operator wrote down. */
function namedIn(config: JwtConfig | OidcConfig): string {
  return config.kind === 'jwt' ? config.jwksUrl : config.issuer
}

async function locateKeys(config: JwtConfig | OidcConfig, options: TokenVerifierOptions): Promise<string | undefined> {
  if (config.kind === 'jwt') return config.jwksUrl
  const document = await fetchJson(discoveryUrl(config.issuer), options, config.issuer)
  // OpenID Connect Discovery §4.3: a document that names another issuer is not this issuer's.
  if (document === undefined || document.issuer !== config.issuer) return undefined
  return typeof document.jwks_uri === 'string' ? document.jwks_uri : undefined
}

export function discoveryUrl(issuer: string): string {
  return `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
}
