// What a program says about its client: who it is, what to speak, and what to put between itself and the agent.

import type { TokenProvider } from '../auth/token-provider.ts'
import type { CallOptions } from '../bindings/endpoint-client.ts'
import type { SpecRevision } from '../dialects/dialect.ts'
import type { InterfacePreference } from '../discovery/choose-interface.ts'
import type { CredentialOptions } from '../discovery/credentials.ts'
import type { Attempt } from '../discovery/discover.ts'
import type { FetchFunction, TlsOptions } from '../net/http-request.ts'
import type { Exchange } from '../trace/exchange.ts'
import type { ReachPreference } from './agent-reach.ts'
import type { Interceptor } from './interceptors.ts'
import type { ResumeOptions } from './resume.ts'

/**
 * Options of `A2AClient`; all of them can be left out.
 *
 * @example
 * ```ts
 * import type { ClientOptions } from 'a2a-parley/client'
 *
 * const options: ClientOptions = {
 *   tokens: async ({ refused }) => (refused === undefined ? 'the token at hand' : 'a new one'),
 *   transports: ['rest', 'jsonrpc'],
 *   timeoutMs: 10_000,
 * }
 * ```
 */
export interface ClientOptions extends CredentialOptions, InterfacePreference, ReachPreference {
  /**
   * Sent with every request.
   * @default the tenant of the chosen interface
   */
  tenant?: string
  /**
   * Until the response, or the first byte of a stream.
   * @default 30_000
   */
  timeoutMs?: number
  /**
   * URIs of extensions to activate.
   * @default []
   */
  extensions?: readonly string[]
  /** Which certificates to trust, and which one to show. */
  tls?: TlsOptions
  /**
   * Where the access token comes from, instead of `bearer`: a text, a function, `clientCredentials(…)` or a source of your
   * own. It is asked before every call, because tokens end, and once more when the agent refuses one.
   */
  tokens?: TokenProvider
  /**
   * Put around every operation; the first is the outermost.
   * @default []
   */
  interceptors?: readonly Interceptor[]
  /**
   * Sends every HTTP request instead of Parley's own connections: for a proxy, a runtime without sockets, or a test. Which
   * certificates to trust and which addresses a name may lead to is then its business; gRPC is not available.
   */
  fetch?: FetchFunction
  /**
   * Try the other interfaces and older protocol versions when the agent does not know the first.
   * @default true
   */
  fallback?: boolean
  /**
   * The patch release of 1.0 whose error numbers are expected.
   * @default the newest
   */
  revision?: SpecRevision
  /** Told of every HTTP exchange, once it is complete, byte for byte. */
  onExchange?: (exchange: Exchange) => void
  /** Told of every place where the card was looked for. */
  onAttempt?: (attempt: Attempt) => void
}

/** Options of a stream. */
export interface StreamOptions extends CallOptions, ResumeOptions {}
