// The access token of a session: fetched when it is first needed, once however many calls wait, refreshed before it ends,
// and replaced once when the agent refuses it. Nothing is written anywhere.

import { EXIT, ParleyError } from '../model/errors.ts'
import { FLOWS, type FlowOptions, refresh } from './flows.ts'
import type { FlowName } from './oauth-endpoints.ts'
import type { Tokens } from './token-endpoint.ts'

/** Where a client's access tokens come from, for sources of your own. */
export interface TokenSource {
  /** The token of now; asked before every call. */
  token(): Promise<string>
  /** The agent refused this one: true when another can be had. The client asks once per call. */
  refused(token: string): boolean
  /** The agent took this one. */
  accepted?(token: string): void
}

export interface SessionOptions extends FlowOptions {
  readonly flow: FlowName
  /** Origins that may be sent the client's secret, a code or a refresh token. */
  readonly trusted: ReadonlySet<string>
  /** Tokens of an earlier session. */
  readonly before?: Tokens | undefined
  /** Told of every new token, to keep or redact it. */
  onTokens?(tokens: Tokens): void
}

export class SessionTokens implements TokenSource {
  readonly #options: SessionOptions
  #tokens: Tokens | undefined
  #fetching: Promise<Tokens> | undefined
  /** Took the place of a refused one, and the agent has not taken it yet. */
  #replacement: string | undefined
  #isReplacing = false

  constructor(options: SessionOptions) {
    this.#options = options
    this.#tokens = options.before
    checkTrust(options)
  }

  async token(): Promise<string> {
    const { now = Date.now } = this.#options
    if (this.#tokens !== undefined && now() < this.#tokens.staleAtMs) return this.#tokens.accessToken
    this.#fetching ??= this.#fetch().finally(() => {
      this.#fetching = undefined
    })
    return (await this.#fetching).accessToken
  }

  refused(token: string): boolean {
    // Another call has had it replaced in the meantime.
    if (this.#tokens?.accessToken !== token) return this.#tokens !== undefined
    // A second refusal in a row is about who asks, not about the age of a token.
    if (this.#replacement === token) return false
    this.#isReplacing = true
    this.#tokens = { ...this.#tokens, staleAtMs: 0 }
    return true
  }

  accepted(token: string): void {
    if (this.#replacement === token) this.#replacement = undefined
  }

  async #fetch(): Promise<Tokens> {
    const tokens = (await this.#refreshed()) ?? (await FLOWS[this.#options.flow](this.#options))
    this.#tokens = tokens
    if (this.#isReplacing) this.#replacement = tokens.accessToken
    this.#isReplacing = false
    this.#options.onTokens?.(tokens)
    return tokens
  }

  /** Undefined when there is nothing to refresh with, or the server does not take it any more. */
  async #refreshed(): Promise<Tokens | undefined> {
    const refreshToken = this.#tokens?.refreshToken
    if (refreshToken === undefined) return undefined
    try {
      return { refreshToken, ...(await refresh(this.#options, refreshToken)) }
    } catch (error) {
      if (error instanceof ParleyError && error.exitCode === EXIT.unauthenticated) return undefined
      throw error
    }
  }
}

function checkTrust({ endpoints, trusted }: SessionOptions): void {
  const urls = [endpoints.tokenUrl, endpoints.deviceUrl].filter((url) => url !== undefined)
  for (const url of urls) {
    const origin = URL.parse(url)?.origin ?? url
    if (trusted.has(origin)) continue
    throw new ParleyError(
      'foreign-token-server',
      `The card sends logins to ${origin}, which you have not named; nothing was sent there.`,
      { exitCode: EXIT.unauthenticated, hint: `If you trust it, add --allow-origin ${origin}, or --issuer URL.` },
    )
  }
}
