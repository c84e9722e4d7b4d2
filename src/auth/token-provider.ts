// The ways in which a program gives a client its access token: as it is, by a function, or from an authorization server.

import { HttpClient } from '../net/http-client.ts'
import type { FetchFunction, TlsOptions } from '../net/http-request.ts'
import { SessionTokens, type TokenSource } from './session-tokens.ts'

/** Asked for the token before every call. `refused` is the one the agent has just refused, when it has. */
export type TokenFunction = (asked: { readonly refused: string | undefined }) => string | Promise<string>

/** An access token, a function that knows one, or a source such as `clientCredentials`. */
export type TokenProvider = string | TokenFunction | TokenSource

/** Who asks which server for tokens. */
export interface ClientCredentials {
  /** The token endpoint of the authorization server; the secret goes there and nowhere else. */
  tokenUrl: string
  /** Registered with the authorization server. */
  clientId: string
  /** The secret that belongs to it. */
  clientSecret: string
  /** Scopes to ask for, separated by blanks; what the server grants by itself unless given. */
  scope?: string
  /** Which certificates to trust at the token endpoint, and which one to show. */
  tls?: TlsOptions
  /** Asks the server instead of Parley's own connections. */
  fetch?: FetchFunction
}

const HINTS = {
  noToken: 'Check clientId, clientSecret and scope of clientCredentials.',
  refusedAddress: 'Check tokenUrl of clientCredentials: it leads to an address that must not be called.',
}

/**
 * Access tokens by client credentials (RFC 6749 §4.4): fetched when the first call needs one, kept, replaced before they end
 * and when the agent refuses one.
 *
 * @example
 * ```ts
 * import { A2AClient, clientCredentials } from 'a2a-parley/client'
 *
 * const tokens = clientCredentials({
 *   tokenUrl: 'https://login.example.com/token',
 *   clientId: 'batch',
 *   clientSecret: process.env.CLIENT_SECRET ?? '',
 *   scope: 'agents.call',
 * })
 * using client = await A2AClient.connect('https://agents.example.com/booker', { tokens })
 * ```
 */
export function clientCredentials(options: ClientCredentials): TokenSource {
  const { tokenUrl, clientId, clientSecret, scope, tls, fetch } = options
  const http = new HttpClient({ ...(tls === undefined ? {} : { tls }), ...(fetch === undefined ? {} : { fetch }) })
  return new SessionTokens({
    http,
    flow: 'client-credentials',
    client: { clientId, clientSecret },
    endpoints: { tokenUrl, flows: ['client-credentials'], scopes: [] },
    scope,
    trusted: new Set([URL.parse(tokenUrl)?.origin ?? tokenUrl]),
    tell: () => {},
    hints: HINTS,
  })
}

export function tokenSourceOf(provider: TokenProvider): TokenSource {
  if (typeof provider === 'string') return { token: async () => provider, refused: () => false }
  return typeof provider === 'function' ? new FunctionTokens(provider) : provider
}

class FunctionTokens implements TokenSource {
  readonly #ask: TokenFunction
  #refused: string | undefined

  constructor(ask: TokenFunction) {
    this.#ask = ask
  }

  async token(): Promise<string> {
    return this.#ask({ refused: this.#refused })
  }

  refused(token: string): boolean {
    this.#refused = token
    return true
  }

  accepted(token: string): void {
    if (token !== this.#refused) this.#refused = undefined
  }
}
