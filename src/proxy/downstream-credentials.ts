// How the proxy shows who it is to an agent: nothing, a bearer token, an API key, or OAuth 2.0 client credentials
// (RFC 6749 §4.4). Tokens are cached, fetched once however many calls wait, and replaced before they expire.

import { askForToken, type TokenAnswer, type TokenQuestion } from '../auth/token-endpoint.ts'
import { defined } from '../base/defined.ts'
import { A2AError } from '../model/errors.ts'
import { HttpClient } from '../net/http-client.ts'
import { NetError } from '../net/net-error.ts'

/** Who asks which server for tokens. */
export interface OAuth2Client {
  /** The token endpoint of the authorization server. */
  readonly tokenUrl: string
  /** Registered with the authorization server. */
  readonly clientId: string
  /** The secret that belongs to it. */
  readonly clientSecret: string
  /** Scopes to ask for, separated by blanks; what the server grants by itself unless given. */
  readonly scope?: string
  /** Sent as `audience`, for servers that ask for it. */
  readonly audience?: string
}

/** What shows the agent who is calling. */
export type DownstreamAuth =
  | {
      /** No credentials. */
      readonly is: 'none'
    }
  | {
      /** A static bearer token. */
      readonly is: 'bearer'
      /** The secret. */
      readonly token: string
    }
  | {
      /** A fixed key in a header. */
      readonly is: 'api-key'
      /** The name of the header. */
      readonly header: string
      /** The secret. */
      readonly key: string
    }
  | ({
      /** Tokens by client credentials, fetched and renewed by the proxy. */
      readonly is: 'oauth2'
    } & OAuth2Client)

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

const TIMEOUT_MS = 10_000

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
    const { tokenUrl: url, scope, audience, ...client } = this.#client
    const form = { grant_type: 'client_credentials', scope, audience }
    const answer = await this.#ask({ http: this.#http, url, client, form, now: () => this.#now() })
    if (!answer.ok) throw noToken(`it answered HTTP ${answer.status}${answer.error ? ` (${answer.error})` : ''}`)
    const { accessToken, staleAtMs } = answer.tokens
    this.#options.onSecret?.(accessToken)
    this.#token = { headers: [['Authorization', `Bearer ${accessToken}`]], staleAtMs }
    return this.#token
  }

  async #ask(question: TokenQuestion): Promise<TokenAnswer> {
    try {
      return await askForToken(question)
    } catch (error) {
      if (error instanceof NetError) throw noToken('it could not be reached', error)
      throw error
    }
  }

  #now(): number {
    return (this.#options.now ?? Date.now)()
  }
}

function noToken(why: string, cause?: unknown): A2AError {
  return new A2AError('Unavailable', `The proxy got no token for the agent from its token server: ${why}.`, {
    metadata: { reason: 'token' },
    ...defined({ cause }),
  })
}
