// How the proxy shows who it is to an agent: nothing, a bearer token, an API key, or OAuth 2.0 client credentials
// (RFC 6749 §4.4). Tokens are cached, fetched once however many calls wait, and replaced before they expire.

import { A2AError } from '../model/errors.ts'
import { isJsonObject, type JsonValue } from '../model/json.ts'
import { HttpClient } from '../net/http-client.ts'
import { NetError } from '../net/net-error.ts'

export interface OAuth2Client {
  readonly tokenUrl: string
  readonly clientId: string
  readonly clientSecret: string
  readonly scope?: string
  readonly audience?: string
}

export type DownstreamAuth =
  | { readonly is: 'none' }
  | { readonly is: 'bearer'; readonly token: string }
  | { readonly is: 'api-key'; readonly header: string; readonly key: string }
  | ({ readonly is: 'oauth2' } & OAuth2Client)

export interface DownstreamCredentials {
  headers(): Promise<readonly (readonly [string, string])[]>
  /** The agent refused these headers: true when the next ones will be others. */
  refused(headers: readonly (readonly [string, string])[]): boolean
  close(): void
}

export interface CredentialOptions {
  readonly now?: () => number
  /** Told each secret as it becomes known, so that recordings leave it out. */
  readonly onSecret?: (secret: string) => void
}

export function credentialsFor(auth: DownstreamAuth, options: CredentialOptions = {}): DownstreamCredentials {
  switch (auth.is) {
    case 'none':
      return fixed([])
    case 'bearer':
      options.onSecret?.(auth.token)
      return fixed([['Authorization', `Bearer ${auth.token}`]])
    case 'api-key':
      options.onSecret?.(auth.key)
      return fixed([[auth.header, auth.key]])
    case 'oauth2':
      return new ClientCredentials(auth, options)
  }
}

function fixed(headers: readonly (readonly [string, string])[]): DownstreamCredentials {
  return { headers: async () => headers, refused: () => false, close() {} }
}

/** A token is replaced so long before its end that a call begun with it still arrives in time. */
const EXPIRY_SKEW_MS = 30_000
const DEFAULT_LIFETIME_SECONDS = 300
const TIMEOUT_MS = 10_000
const OAUTH_ERRORS = new Set([
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
])

interface Token {
  readonly headers: readonly (readonly [string, string])[]
  readonly staleAtMs: number
}

class ClientCredentials implements DownstreamCredentials {
  readonly #client: OAuth2Client
  readonly #options: CredentialOptions
  /** Its own, so that tokens and secrets never pass a recorder. */
  readonly #http = new HttpClient({ timeoutMs: TIMEOUT_MS, maxBodyBytes: 64 * 1024 })
  #token: Token | undefined
  #fetching: Promise<Token> | undefined

  constructor(client: OAuth2Client, options: CredentialOptions) {
    this.#client = client
    this.#options = options
    options.onSecret?.(client.clientSecret)
  }

  async headers(): Promise<readonly (readonly [string, string])[]> {
    const token = this.#token
    if (token !== undefined && this.#now() < token.staleAtMs) return token.headers
    this.#fetching ??= this.#fetch().finally(() => {
      this.#fetching = undefined
    })
    return (await this.#fetching).headers
  }

  refused(headers: readonly (readonly [string, string])[]): boolean {
    // Calls that shared the refused token must not throw away its successor.
    if (this.#token?.headers === headers) this.#token = undefined
    return true
  }

  close(): void {
    this.#http.close()
  }

  async #fetch(): Promise<Token> {
    const { tokenUrl, clientId, clientSecret, scope, audience } = this.#client
    const form = new URLSearchParams({ grant_type: 'client_credentials' })
    if (scope !== undefined) form.set('scope', scope)
    if (audience !== undefined) form.set('audience', audience)
    const basic = Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`).toString('base64')
    const askedAtMs = this.#now()
    const { status, json } = await this.#post(tokenUrl, form.toString(), basic)
    const answer = isJsonObject(json) ? json : {}
    if (status !== 200 || typeof answer.access_token !== 'string') {
      // RFC 6749 §5.2 has six words for this; anything else is not repeated to callers.
      const said = typeof answer.error === 'string' && OAUTH_ERRORS.has(answer.error) ? ` (${answer.error})` : ''
      throw noToken(`it answered HTTP ${status}${said}`)
    }
    this.#options.onSecret?.(answer.access_token)
    const lifetimeMs = secondsOf(answer.expires_in) * 1000
    this.#token = {
      headers: [['Authorization', `Bearer ${answer.access_token}`]],
      // A short-lived token is used for most of its life, not for none of it.
      staleAtMs: askedAtMs + lifetimeMs - Math.min(EXPIRY_SKEW_MS, lifetimeMs / 4),
    }
    return this.#token
  }

  async #post(url: string, body: string, basic: string): Promise<{ status: number; json: JsonValue | undefined }> {
    try {
      const response = await this.#http.request({
        method: 'POST',
        url,
        headers: [
          ['Accept', 'application/json'],
          ['Content-Type', 'application/x-www-form-urlencoded'],
          ['Authorization', `Basic ${basic}`],
        ],
        body,
      })
      return { status: response.status, json: parse(await response.text()) }
    } catch (error) {
      if (error instanceof NetError) throw noToken('it could not be reached', error)
      throw error
    }
  }

  #now(): number {
    return (this.#options.now ?? Date.now)()
  }
}

function secondsOf(value: JsonValue | undefined): number {
  const seconds = typeof value === 'string' ? Number(value) : value
  return typeof seconds === 'number' && seconds > 0 ? seconds : DEFAULT_LIFETIME_SECONDS
}

function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return undefined
  }
}

function noToken(why: string, cause?: unknown): A2AError {
  return new A2AError('Unavailable', `The proxy got no token for the agent from its token server: ${why}.`, {
    metadata: { reason: 'token' },
    ...(cause === undefined ? {} : { cause }),
  })
}
