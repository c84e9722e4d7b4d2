// The agent behind the proxy, as its client sees it: found when it can be found, spoken to in the generation of the
// caller where it knows it, with the proxy's own credentials. A refused token is replaced once, for streams too.

import { defined } from '../base/defined.ts'
import type { CallOptions, StreamItem, UnaryOperation } from '../bindings/endpoint-client.ts'
import { A2AClient, type ClientOptions } from '../client/a2a-client.ts'
import { originsOf } from '../client/agent-reach.ts'
import { asUpstreamError, operatorDetail } from '../client/upstream-error.ts'
import type { BindingId, DialectId } from '../dialects/dialect.ts'
import { bindingOf, dialectOf } from '../discovery/choose-interface.ts'
import { originOf } from '../discovery/credentials.ts'
import { type Discovery, discover } from '../discovery/discover.ts'
import { A2AError, ParleyError } from '../model/errors.ts'
import type { OperationRequest, OperationResult, StreamingOperation } from '../model/operation.ts'
import { type Reach, reachOf } from '../net/guard/reach.ts'
import { HttpClient } from '../net/http-client.ts'
import { MAX_BODY_BYTES } from '../net/limits.ts'
import type { TraceContext } from '../telemetry/trace-context.ts'
import type { Exchange } from '../trace/exchange.ts'
import { credentialsFor, type DownstreamAuth, type DownstreamCredentials } from './downstream-credentials.ts'

/** How an agent behind the proxy is reached. */
export interface DownstreamOptions {
  /** Where it is: what `parley send` takes. */
  readonly url: string
  /** Calls go here, whatever its card says. */
  readonly endpoint?: string
  /** The generations it speaks, where its card does not say or is wrong. */
  readonly speaks?: readonly DialectId[]
  /** Bindings to speak to it, the best first; the order of its card unless given. */
  readonly transports?: readonly BindingId[]
  /**
   * How the proxy shows the agent who it is.
   * @default no credentials
   */
  readonly auth?: DownstreamAuth
  /** Further origins that may receive the credentials. */
  readonly allowOrigins?: readonly string[]
  /**
   * A stream that says nothing for so many milliseconds has failed.
   * @default 60_000
   */
  readonly idleTimeoutMs?: number
  /**
   * An answer, or a whole stream, that takes more milliseconds has failed.
   * @default 600_000
   */
  readonly totalTimeoutMs?: number
  /** Told of every exchange with the agent, once it is complete. */
  readonly onExchange?: (exchange: Exchange) => void
  /** Told of every secret, before it is used: for redaction. */
  readonly onSecret?: (secret: string) => void
  /**
   * The time in milliseconds, for tests.
   * @default Date.now
   */
  readonly now?: () => number
  /** Lets its card name, besides its own origin, addresses on this machine and in private networks. */
  readonly allowPrivateUpstreams?: boolean
  /** Our own addresses: an agent behind us that leads back to us would be a loop. */
  readonly selfOrigins?: () => readonly string[]
  /** Told what is wrong with the agent or the way to it, whenever a caller is told less. */
  readonly onTrouble?: (detail: string) => void
}

/** The circumstances of a forwarded call. */
export interface ForwardOptions {
  readonly dialect: DialectId
  readonly extensions: readonly string[]
  readonly trace?: TraceContext | undefined
  readonly signal?: AbortSignal
}

export interface OpenStream {
  /** Undefined when the stream ended without an event. */
  readonly first: StreamItem | undefined
  /** What came together with it. */
  readonly more: readonly StreamItem[]
  readonly rest: AsyncGenerator<readonly StreamItem[], void, undefined>
}

const DEFAULT_IDLE_MS = 60_000
const DEFAULT_TOTAL_MS = 600_000
const DISCOVERY_MS = 5_000
const MAX_CLIENTS = 64

export class Downstream {
  readonly #options: DownstreamOptions
  readonly #http: HttpClient
  readonly #reach: { readonly reach?: Reach }
  readonly #credentials: DownstreamCredentials
  readonly #clients = new Map<string, A2AClient>()
  readonly #idleMs: number
  readonly #totalMs: number
  #discovery: Discovery | undefined
  #declared: readonly DialectId[] = []
  #connecting: Promise<Discovery> | undefined
  #trouble: Trouble | undefined

  constructor(options: DownstreamOptions) {
    this.#options = options
    this.#idleMs = options.idleTimeoutMs ?? DEFAULT_IDLE_MS
    this.#totalMs = options.totalTimeoutMs ?? DEFAULT_TOTAL_MS
    this.#reach = this.#reachOf(options)
    this.#http = new HttpClient({
      ...this.#reach,
      idleTimeoutMs: this.#idleMs,
      streamTimeoutMs: this.#totalMs,
      maxBodyBytes: MAX_BODY_BYTES,
      maxEventBytes: MAX_BODY_BYTES,
      keepsAnswer: options.onExchange !== undefined,
      ...defined({ onExchange: options.onExchange }),
    })
    this.#credentials = credentialsFor(options.auth ?? { is: 'none' }, options)
  }

  get url(): string {
    return this.#options.url
  }

  /** Why it could not be reached the last time it was tried; undefined when it could. */
  get trouble(): Trouble | undefined {
    return this.#trouble
  }

  /** Its card, read again when the last contact failed. */
  connect(): Promise<Discovery> {
    if (this.#discovery !== undefined && this.#trouble === undefined) return Promise.resolve(this.#discovery)
    this.#connecting ??= this.#discover().finally(() => {
      this.#connecting = undefined
    })
    return this.#connecting
  }

  /** Whether it can be reached right now; outside what is recorded. */
  async probe(): Promise<Trouble | undefined> {
    const http = new HttpClient({ ...this.#reach, timeoutMs: DISCOVERY_MS })
    try {
      const headers = this.#options.auth?.is === 'oauth2' ? [] : await this.#credentials.headers()
      await discover(this.#options.url, { http, headers, timeoutMs: DISCOVERY_MS })
      this.#trouble = undefined
    } catch (error) {
      // A card that is there, but not for us, shows a living agent.
      const isAlive = error instanceof ParleyError && error.code === 'unauthenticated'
      this.#trouble = isAlive ? undefined : troubleOf(asUpstreamError(error, WHO))
    } finally {
      http.close()
    }
    return this.#trouble
  }

  /** The generations its card declares, in the order of the card, unless we were told better. */
  async speaks(): Promise<readonly DialectId[]> {
    if (this.#options.speaks !== undefined) return this.#options.speaks
    await this.connect()
    return this.#declared
  }

  /** What is spoken to it for a caller of this generation. */
  async generationFor(dialect: DialectId): Promise<DialectId> {
    const spoken = await this.speaks()
    return spoken.includes(dialect) ? dialect : (spoken[0] ?? dialect)
  }

  call<O extends UnaryOperation>(
    op: O,
    request: OperationRequest<O>,
    forwardOptions: ForwardOptions,
  ): Promise<OperationResult<O>> {
    return this.#attempt(forwardOptions, (client) =>
      CALLS[op](client, request, optionsOf(forwardOptions, this.#totalMs)),
    )
  }

  /** Resolves with the first event, so that what is refused before the stream is refused here. */
  open<O extends StreamingOperation>(
    op: O,
    request: OperationRequest<O>,
    forwardOptions: ForwardOptions,
  ): Promise<OpenStream> {
    return this.#attempt(forwardOptions, async (client) => {
      const options = optionsOf(forwardOptions, Math.min(this.#idleMs, this.#totalMs))
      const rest = client.batches(op, request, options)
      const { value } = await rest.next()
      const [first, ...more] = value ?? []
      return { first, more, rest }
    })
  }

  close(): void {
    this.#http.close()
    this.#credentials.close()
  }

  async #attempt<T>(forwardOptions: ForwardOptions, run: (client: A2AClient) => Promise<T>): Promise<T> {
    let isRenewed = false
    for (;;) {
      try {
        const headers = await this.#credentials.headers()
        try {
          const result = await run(await this.#client(forwardOptions, headers))
          this.#trouble = undefined
          return result
        } catch (error) {
          const isRefused = error instanceof A2AError && error.kind === 'Unauthenticated'
          if (!isRefused || isRenewed || !this.#credentials.refused(headers)) throw error
          isRenewed = true
        }
      } catch (error) {
        throw this.#toCaller(error)
      }
    }
  }

  async #client(forwardOptions: ForwardOptions, headers: readonly (readonly [string, string])[]): Promise<A2AClient> {
    const dialect = await this.generationFor(forwardOptions.dialect)
    const { extensions } = forwardOptions
    const key = JSON.stringify([dialect, extensions, headers])
    let client = this.#clients.get(key)
    if (client === undefined) {
      const discovery = await this.connect()
      // Clients are cheap and share their connections; tokens and extensions of the past need not be kept.
      if (this.#clients.size >= MAX_CLIENTS) this.#clients.clear()
      const allowOrigins = this.#allowedOrigins()
      client = new A2AClient(
        discovery,
        { ...(await this.#manners(dialect)), headers, extensions, allowOrigins },
        this.#http,
      )
      this.#clients.set(key, client)
    }
    return client
  }

  /** Where the card names one generation only and is all we have, it may be mistaken: then others are tried. */
  async #manners(dialect: DialectId): Promise<Pick<ClientOptions, 'versions' | 'fallback' | 'transports'>> {
    const { speaks, transports } = this.#options
    const isGuess = speaks === undefined && (await this.speaks()).length === 1
    const asked = transports === undefined ? {} : { transports: [...transports] }
    return isGuess ? asked : { ...asked, versions: [dialect], fallback: false }
  }

  async #discover(): Promise<Discovery> {
    const { url, auth, endpoint } = this.#options
    try {
      const options = { http: this.#http, timeoutMs: Math.min(DISCOVERY_MS, this.#totalMs) }
      const isStatic = auth?.is === 'bearer' || auth?.is === 'api-key'
      const headers = isStatic ? await this.#credentials.headers() : []
      const found = await discover(url, { ...options, headers }).catch(async (error: unknown) => {
        // Cards are public as a rule; a token is fetched only for one that is not.
        if (isStatic || !(error instanceof ParleyError) || error.code !== 'unauthenticated') throw error
        return discover(url, { ...options, headers: await this.#credentials.headers() })
      })
      this.#trouble = undefined
      this.#clients.clear()
      this.#declared = generationsIn(found)
      this.#discovery = endpoint === undefined ? found : elsewhere(found, endpoint)
      return this.#discovery
    } catch (error) {
      throw this.#toCaller(error)
    }
  }

  #allowedOrigins(): string[] {
    const { endpoint, allowOrigins = [] } = this.#options
    return endpoint === undefined ? [...allowOrigins] : [...allowOrigins, originOf(endpoint)]
  }

  /** An error of ours or about the connection, as one that can go on to the caller. */
  #toCaller(error: unknown): unknown {
    const translated = asUpstreamError(error, WHO)
    if (translated !== error) this.#options.onTrouble?.(operatorDetail(error))
    if (error instanceof ParleyError && error.code === 'agent-unreachable') this.#trouble = troubleOf(translated)
    return translated
  }

  /** What the operator named is free; where the card leads is the agent's choice. A card file is the operator's own. */
  #reachOf({ url, allowPrivateUpstreams = false, selfOrigins }: DownstreamOptions): { reach?: Reach } {
    const typed = originsOf(url)
    if (typed.length === 0) return {}
    const named = [...typed, ...this.#allowedOrigins().map(originOf)]
    const guard = { allowPrivateNetworks: allowPrivateUpstreams, ...(selfOrigins && { selfOrigins }) }
    return { reach: reachOf({ named, guard }) }
  }
}

const WHO = 'The agent behind this proxy'

/** What may be told to whoever asks for readiness, and what only the operator reads. */
export interface Trouble {
  readonly reason: string
  readonly detail: string
}

/** About connections our own sentences say nothing that the agent chose; they name its address, as readiness does. */
const OWN_WORDS = new Set(['agent-unreachable', 'timeout', 'connection-lost', 'tls-failed'])

export function troubleOf(error: unknown): Trouble {
  const detail = operatorDetail(error)
  const cause = error instanceof A2AError ? error.cause : undefined
  if (cause instanceof ParleyError && OWN_WORDS.has(cause.code)) return { reason: detail, detail }
  return { reason: error instanceof A2AError ? error.message : `${WHO} cannot be served.`, detail }
}

function optionsOf(forwardOptions: ForwardOptions, timeoutMs: number): CallOptions {
  const { signal, trace } = forwardOptions
  const options: CallOptions = { timeoutMs }
  if (signal !== undefined) options.signal = signal
  if (trace !== undefined) options.trace = trace
  return options
}

function generationsIn({ interfaces }: Discovery): DialectId[] {
  const usable = interfaces.filter((entry) => bindingOf(entry) !== undefined)
  return [...new Set(usable.flatMap((entry) => dialectOf(entry)?.id ?? []))]
}

/** The same bindings and generations at another address. */
function elsewhere(discovery: Discovery, endpoint: string): Discovery {
  return { ...discovery, interfaces: discovery.interfaces.map((entry) => ({ ...entry, url: endpoint })) }
}

type Calls = {
  readonly [O in UnaryOperation]: (
    client: A2AClient,
    request: OperationRequest<O>,
    options: CallOptions,
  ) => Promise<OperationResult<O>>
}

const CALLS: Calls = {
  sendMessage: (client, request, options) => client.sendMessage(request, options),
  getTask: (client, request, options) => client.getTask(request, options),
  listTasks: (client, request, options) => client.listTasks(request, options),
  cancelTask: (client, request, options) => client.cancelTask(request, options),
  createPushConfig: (client, request, options) => client.createPushConfig(request, options),
  getPushConfig: (client, request, options) => client.getPushConfig(request, options),
  listPushConfigs: (client, request, options) => client.listPushConfigs(request, options),
  async deletePushConfig(client, request, options) {
    await client.deletePushConfig(request, options)
    return null
  },
  getExtendedCard: (client, _request, options) => client.getExtendedCard(options),
}
