// The interfaces of one agent that may be spoken to, in order, and which of them is: the first that answers. Calls carry the
// credentials and tokens of now, to places they may go to.

import type { TokenSource } from '../auth/session-tokens.ts'
import { tokenSourceOf } from '../auth/token-provider.ts'
import { defined } from '../base/defined.ts'
import type { CallOptions, EndpointClient } from '../bindings/endpoint-client.ts'
import { BINDINGS } from '../bindings/registry.ts'
import type { BindingId } from '../dialects/dialect.ts'
import { type Candidate, type Choice, chooseInterface, noInterface } from '../discovery/choose-interface.ts'
import { connectionFailure } from '../discovery/connection-failure.ts'
import { Credentials } from '../discovery/credentials.ts'
import type { Discovery } from '../discovery/discover.ts'
import { A2AError } from '../model/errors.ts'
import type { Operation } from '../model/operation.ts'
import type { HttpClient } from '../net/http-client.ts'
import type { ClientOptions } from './client-options.ts'
import { checkExtensions, isUnknownDialect } from './request-forms.ts'

export const DEFAULT_TIMEOUT_MS = 30_000

export class AgentEndpoints {
  readonly choice: Choice
  readonly #discovery: Discovery
  readonly #options: ClientOptions
  readonly #http: HttpClient
  readonly #tokens: TokenSource | undefined
  #credentials: Credentials
  #token: string | undefined
  readonly #endpoints = new Map<Candidate, EndpointClient>()
  #at = 0
  #isSettled = false

  constructor(discovery: Discovery, options: ClientOptions, http: HttpClient) {
    this.#discovery = discovery
    this.#options = options
    this.#http = http
    this.#tokens = options.tokens === undefined ? undefined : tokenSourceOf(options.tokens)
    this.#credentials = new Credentials(options, discovery.origin)
    this.choice = chooseInterface(discovery.interfaces, options, (binding) =>
      options.fetch !== undefined && needsHttp2(binding) ? WITHOUT_HTTP2 : undefined,
    )
    if (this.choice.candidates.length === 0) throw noInterface(this.choice)
  }

  /** What is spoken now; it may still change until the first call is answered. */
  get candidate(): Candidate {
    return this.#candidate(this.#at)
  }

  get current(): EndpointClient {
    return this.#endpoint(this.#at)
  }

  /** Runs on the current candidate; while none has answered yet, moves on where the agent does not know it. */
  async attempt<T>(
    op: Operation,
    options: CallOptions,
    run: (endpoint: EndpointClient, options: CallOptions) => Promise<T>,
  ): Promise<T> {
    if (op === 'sendMessage' || op === 'streamMessage') checkExtensions(this.#discovery.card, this.#options.extensions)
    let first: unknown
    let refused: { token: string; failure: unknown } | undefined
    for (;;) {
      const token = this.#tokens === undefined ? undefined : await this.#freshen(this.#tokens)
      if (refused !== undefined && refused.token === token) throw refused.failure
      const at = this.#at
      const endpoint = this.#endpoint(at)
      try {
        const result = await run(endpoint, this.#checked(options, endpoint))
        this.#isSettled = true
        if (token !== undefined) this.#tokens?.accepted?.(token)
        return result
      } catch (error) {
        const failure = connectionFailure(error) ?? error
        if (token !== undefined && refused === undefined && this.#mayRenew(failure, token)) {
          refused = { token, failure }
          continue
        }
        if (!isUnknownDialect(op, failure, this.#discovery.card)) {
          // Any other error in A2A shows that the agent understood.
          if (failure instanceof A2AError) this.#isSettled = true
          throw failure
        }
        first ??= failure
        const next = at + 1
        if (this.#isSettled || this.#options.fallback === false || next >= this.choice.candidates.length) {
          if (!this.#isSettled) this.#at = 0
          throw first
        }
        if (this.#at === at) this.#at = next
      }
    }
  }

  /** Calls made from here on carry the token of now. */
  async #freshen(tokens: TokenSource): Promise<string> {
    const token = await tokens.token()
    if (token === this.#token) return token
    this.#token = token
    this.#credentials = new Credentials({ ...this.#options, bearer: token }, this.#discovery.origin)
    this.#endpoints.clear()
    return token
  }

  #mayRenew(failure: unknown, token: string): boolean {
    if (!(failure instanceof A2AError) || failure.kind !== 'Unauthenticated') return false
    return this.#tokens?.refused(token) === true
  }

  /** Headers of one call may hold a secret, too: they go where the client's credentials may go, and nowhere else. */
  #checked(options: CallOptions, { url, binding }: EndpointClient): CallOptions {
    if (options.headers === undefined) return options
    const { allowOrigins } = this.#options
    const own = new Credentials({ headers: options.headers, allowOrigins }, this.#discovery.origin)
    const place = BINDINGS[binding].describeEndpoint(url)
    return { ...options, headers: own.headersFor(place, undefined, needsHttp2(binding)) }
  }

  #candidate(at: number): Candidate {
    const candidate = this.choice.candidates[at]
    if (candidate === undefined) throw noInterface(this.choice)
    return candidate
  }

  #endpoint(at: number): EndpointClient {
    const candidate = this.#candidate(at)
    const known = this.#endpoints.get(candidate)
    if (known !== undefined) return known
    const { extensions, revision, timeoutMs = DEFAULT_TIMEOUT_MS } = this.#options
    const { url, dialect } = candidate
    const options = {
      url,
      dialect,
      http: this.#http,
      headers: this.#credentials.headersFor(
        BINDINGS[candidate.binding].describeEndpoint(url, this.#http.defaults.tls),
        this.#discovery.card,
        // It cannot share the port of the card.
        needsHttp2(candidate.binding),
      ),
      timeoutMs,
      ...defined({ extensions, revision }),
    }
    const made = BINDINGS[candidate.binding].client(options)
    this.#endpoints.set(candidate, made)
    return made
  }

  /** A request without a tenant goes to the tenant of the interface (1.0 §4.4.6). */
  placed<R extends { tenant?: string }>(request: R): R {
    const tenant = request.tenant ?? this.#options.tenant ?? this.candidate.tenant
    return tenant === undefined ? request : { ...request, tenant }
  }
}

const WITHOUT_HTTP2 = 'it needs HTTP/2, which a client with a custom fetch does not support'

function needsHttp2(binding: BindingId): boolean {
  return !BINDINGS[binding].probe.isHttp1
}
