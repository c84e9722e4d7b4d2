// The running proxy: one server with a mount per path of each agent, and word about which of them can be reached. Nothing
// here knows A2A; that is the service's business.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ArtifactStore } from '../artifacts/artifact-store.ts'
import { defined } from '../base/defined.ts'
import type { MaybePromise } from '../base/maybe-promise.ts'
import type { DialectId } from '../dialects/dialect.ts'
import type { Fault } from '../mock/faults/fault-shape.ts'
import { A2AError, EXIT, ParleyError } from '../model/errors.ts'
import { ANONYMOUS } from '../model/scope.ts'
import type { Limits } from '../net/limits.ts'
import { errorReply, type Handler, jsonReply, type NoReply, type Reply } from '../net/serve/reply.ts'
import type { ServerRequest } from '../net/serve/request.ts'
import type { ServerTls } from '../net/serve/tls-server.ts'
import type { AuthConfig } from '../server/auth/auth-config.ts'
import type { StoreSync } from '../server/backend/backend.ts'
import { type Log, silentLog } from '../server/log.ts'
import type { MountOptions } from '../server/mount-options.ts'
import { Readiness } from '../server/readiness.ts'
import { type A2AServer, createServer } from '../server/server.ts'
import type { Exchange } from '../trace/exchange.ts'
import { FaultInjector } from './fault-injector.ts'
import { type AgentOptions, ProxiedAgent, type ProxyContext } from './proxied-agent.ts'
import type { TranslationLoss } from './proxy-deps.ts'
import { openProxyState, type ProxyState } from './proxy-state.ts'

/** What a proxy is made of. */
export interface ProxyOptions {
  /** The agents behind the proxy; at least one. */
  readonly agents: readonly AgentOptions[]
  /**
   * Where tasks are stored: 'memory'; 'sqlite:<file>' to survive a restart; 'postgres://…' or 'redis://…', which several
   * proxies may share.
   * @default 'memory'
   */
  readonly store?: string
  /**
   * In a shared store, in milliseconds: how long after the death of a proxy the others have taken up what it followed.
   * @default 15_000
   */
  readonly leaseMs?: number
  /**
   * Accept a Redis that may forget.
   * @default false
   */
  readonly allowVolatile?: boolean
  /** As `storeSync` of a server. */
  readonly storeSync?: StoreSync
  /** Where files go; without it bytes pass unchanged. */
  readonly artifacts?: ArtifactStore
  /** First segment of the artifact URIs; the agent's name when absent. */
  readonly app?: string
  /** Offer these generations, the first on the card, whatever the agents speak. */
  readonly translate?: readonly DialectId[]
  /** How callers show who they are; open to everybody when absent. */
  readonly auth?: readonly AuthConfig[]
  /** Instead of `auth`: the header in which a trusted gateway in front names the caller. */
  readonly identityHeader?: string
  /**
   * Base of the URLs in cards, when callers reach the proxy under another address than it listens on.
   * @default where it listens
   */
  readonly publicUrl?: string
  /**
   * Also takes calls of gRPC: a port for each agent, the first has `port`, the others those above it; 0 takes free ones,
   * `same` is that of HTTP, for a single agent with `tls`.
   */
  readonly grpc?: {
    /** The port of the first agent. */
    readonly port?: number | 'same'
  }
  /** Origins of web pages that may call without credentials; without `auth` no page of another origin may. */
  readonly webOrigins?: readonly string[]
  /** Reverse proxies in front whose Forwarded or X-Forwarded-For tells who is calling. */
  readonly trustProxy?: readonly string[]
  /**
   * Lets webhooks of callers live on this machine and in private networks.
   * @default false
   */
  readonly allowPrivateWebhooks?: boolean
  /** Another name of `allowPrivateWebhooks`. */
  readonly allowPrivateNetworks?: boolean
  /**
   * Lets the card of an agent name, besides its own origin, addresses on this machine and in private networks.
   * @default false
   */
  readonly allowPrivateUpstreams?: boolean
  /** How much callers may ask for; what is left out keeps its default. */
  readonly limits?: Partial<Limits>
  /** Speaks TLS; with `ca`, callers are asked for a certificate, for `auth: [{ kind: 'mtls' }]`. */
  readonly tls?: ServerTls
  /**
   * Faults towards callers, as a mock makes them; `faults` of a configuration file.
   *
   * @internal
   */
  readonly faults?: readonly Fault[]
  /**
   * What happens, for the operator.
   * @default nothing is logged
   */
  readonly log?: Log
  /** Every exchange with an agent, once it is complete. */
  readonly onExchange?: (exchange: Exchange) => void
  /** Every secret the proxy learns, before it is used. */
  readonly onSecret?: (secret: string) => void
  /** Told what a translation between generations could not say. */
  readonly onLoss?: (loss: TranslationLoss) => void
}

/** Whether an agent behind the proxy can be reached. */
export interface AgentReadiness {
  /** As configured. */
  readonly name: string
  /** As configured. */
  readonly url: string
  /** Whether its card could be read and served. */
  readonly ready: boolean
  /** What anybody may hear. */
  readonly reason?: string
  /** What the operator needs; not shown to callers. */
  readonly detail?: string
}

/** A proxy before one or several agents. */
export interface A2AProxy {
  /** Starts listening on loopback (or the host given) and returns where. Port 0 takes any free one. */
  listen(where?: { port?: number; host?: string }): Promise<{ url: string; port: number }>
  /** For mounting into a node:http server of your own. */
  readonly requestListener: (req: IncomingMessage, res: ServerResponse) => Promise<void>
  /** Other certificates from the next handshake on, as `A2AServer.setTls`. */
  setTls(tls: ServerTls): Promise<void>
  /** Asks every agent; one that was missing is taken in when it answers. */
  readiness(): Promise<readonly AgentReadiness[]>
  /** The agents behind it, also those that do not answer yet. */
  readonly agents: readonly {
    /** As configured. */
    name: string
    /** Where it can be reached: its name, then its aliases. */
    paths: readonly string[]
  }[]
  /** Where it takes calls of gRPC, once it listens. */
  readonly grpc: readonly {
    /** The agent, by its path. */
    path: string
    /** The port of its own. */
    port: number
  }[]
  /** Ends streams and closes the store, after at most `graceMs` milliseconds, 5,000 unless given. */
  close(options?: { graceMs?: number }): Promise<void>
}

/**
 * A proxy that does not listen yet; `startProxy` also opens what it needs.
 *
 * @example
 * ```ts
 * import { createProxy } from 'a2a-parley/proxy'
 *
 * const proxy = createProxy({ agents: [{ name: 'booker', url: 'http://localhost:3000' }], translate: ['1.0', '0.3'] })
 * const { url } = await proxy.listen({ port: 0 })
 * console.log(url, await proxy.readiness())
 * await proxy.close()
 * ```
 */
export function createProxy(options: ProxyOptions): A2AProxy {
  return new ProxyServer(options)
}

const RETRY_SECONDS = 2

interface OpenProxy {
  readonly state: ProxyState
  readonly server: A2AServer
}

class ProxyServer implements A2AProxy {
  readonly #options: ProxyOptions
  readonly #agents: readonly ProxiedAgent[]
  readonly #faults: FaultInjector
  #opening: Promise<OpenProxy> | undefined
  #readiness: Readiness | undefined
  #url: string | undefined
  #server: A2AServer | undefined

  constructor(options: ProxyOptions) {
    this.#options = options
    this.#url = options.publicUrl?.replace(/\/+$/, '')
    const { faults = [], log = silentLog } = options
    this.#faults = new FaultInjector(faults, (name) => log('info', 'fault', { name }))
    const isAlone = options.agents.length === 1
    this.#agents = options.agents.map((agent) => {
      const named = [agent.name, ...(agent.aliases ?? [])].map((name) => `/${encodeURIComponent(name)}`)
      const { onExchange = options.onExchange, onSecret = options.onSecret } = agent
      const told = { ...(onExchange && { onExchange }), ...(onSecret && { onSecret }) }
      const reach = { allowPrivateUpstreams: options.allowPrivateUpstreams ?? false, selfOrigins: this.#selfOrigins }
      return new ProxiedAgent({ ...reach, ...agent, ...told }, isAlone ? ['', ...named] : named, this.#contextOf(agent))
    })
    const paths = this.#agents.flatMap((agent) => agent.paths)
    const twice = paths.find((path, index) => paths.indexOf(path) !== index)
    if (twice !== undefined)
      throw new ParleyError('path-taken', `Two agents would be reached at ${twice}; give each its own name.`, {
        exitCode: EXIT.usage,
      })
  }

  get agents(): readonly { name: string; paths: readonly string[] }[] {
    return this.#agents.map(({ name, paths }) => ({ name, paths }))
  }

  get grpc(): readonly { path: string; port: number }[] {
    return this.#server?.grpc ?? []
  }

  async listen({ port = 0, host = '127.0.0.1' }: { port?: number; host?: string } = {}) {
    const { server } = await this.#opened()
    const { url, port: bound } = await server.listen({ port, host })
    this.#url ??= url
    return { url, port: bound }
  }

  async setTls(tls: ServerTls): Promise<void> {
    const { server } = await this.#opened()
    server.setTls(tls)
  }

  readonly requestListener = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const { server } = await this.#opened()
    await server.requestListener(req, res)
  }

  #answer(request: ServerRequest, answer: Handler): MaybePromise<Reply | NoReply> {
    const { path } = request
    if (path === '/health') return jsonReply(200, { status: 'ok' })
    if (path === '/readyz') return this.#answerReadiness()
    const found = this.#find(path)
    if (found === undefined) {
      const known = this.#agents.map((agent) => agent.paths[0] || '/').join(', ')
      return errorReply(404, `There is no agent at ${path.slice(0, 200)}; there are ${known}.`)
    }
    return this.#faults.answer(request, path.slice(found.path.length), (passed) =>
      found.agent.isMounted ? answer(passed) : this.#answerFirst(found.agent, passed, answer),
    )
  }

  async #answerFirst(agent: ProxiedAgent, request: ServerRequest, answer: Handler): Promise<Reply | NoReply> {
    try {
      await agent.mount()
    } catch (error) {
      if (!(error instanceof A2AError)) throw error
      return errorReply(503, error.message, ['Retry-After', String(RETRY_SECONDS)])
    }
    return answer(request)
  }

  async readiness(): Promise<readonly AgentReadiness[]> {
    return Promise.all(
      this.#agents.map(async (agent) => {
        const trouble = await agent.trouble()
        const { name, url } = agent
        return trouble === undefined ? { name, url, ready: true } : { name, url, ready: false, ...trouble }
      }),
    )
  }

  async close({ graceMs = 5_000 }: { graceMs?: number } = {}): Promise<void> {
    for (const agent of this.#agents) agent.close()
    const opened = await this.#opening?.catch(() => undefined)
    await opened?.server.close({ graceMs })
    await opened?.state.close()
  }

  #opened(): Promise<OpenProxy> {
    this.#opening ??= this.#open()
    return this.#opening
  }

  async #open(): Promise<OpenProxy> {
    const { store = 'memory', log = silentLog, limits, publicUrl, tls, trustProxy = [], grpc } = this.#options
    const allowPrivateNetworks = this.#options.allowPrivateWebhooks ?? this.#options.allowPrivateNetworks ?? false
    // A webhook that is the proxy itself would be a loop.
    const guard = { allowPrivateNetworks, selfOrigins: this.#selfOrigins }
    const { leaseMs, allowVolatile, storeSync: sync } = this.#options
    const state = await openProxyState({ store, log, guard, ...defined({ leaseMs, allowVolatile, sync }) })
    const server = createServer({
      agents: [],
      ...{ store: state.tasks, bus: state.bus, push: false as const, log, trustProxy },
      ...defined({ publicUrl, limits, tls }),
      ...(grpc === undefined ? {} : { grpc, grpcPlaces: this.#agents.map(({ paths }) => ({ paths })) }),
      intercept: (request, answer) => this.#answer(request, answer),
    })
    await server.ready()
    this.#server = server
    return { state, server }
  }

  readonly #selfOrigins = (): readonly string[] => {
    if (this.#url === undefined) return []
    const { origin, protocol, hostname } = new URL(this.#url)
    return [origin, ...this.grpc.map(({ port }) => `${protocol}//${hostname}:${port}`)]
  }

  async #answerReadiness(): Promise<Reply> {
    const found = await this.readiness()
    const reason = await this.#storeTrouble()
    const isReady = reason === undefined && found.every(({ ready }) => ready)
    const agents = found.map(({ detail: _ours, ...told }) => told)
    const status = isReady ? 'ready' : 'not ready'
    return jsonReply(isReady ? 200 : 503, { status, ...(reason && { reason }), agents })
  }

  /** Agents that answer are of no use while nothing can be written down. */
  async #storeTrouble(): Promise<string | undefined> {
    this.#readiness ??= new Readiness((await this.#opened()).state.tasks)
    return this.#readiness.trouble()
  }

  #find(path: string): { agent: ProxiedAgent; path: string } | undefined {
    let best: { agent: ProxiedAgent; path: string } | undefined
    for (const agent of this.#agents)
      for (const own of agent.paths)
        if ((path === own || path.startsWith(`${own}/`)) && own.length >= (best?.path.length ?? 0))
          best = { agent, path: own }
    return best
  }

  #contextOf(agent: AgentOptions): ProxyContext {
    const { artifacts, app = agent.name, translate, limits, log = silentLog, onLoss, auth = [] } = this.#options
    return {
      ...{ artifacts, app, translate, limits, log, onLoss, auth, pages: this.#options.webOrigins ?? [] },
      authenticate: namedBy(this.#options.identityHeader),
      opened: () => this.#opened(),
      promises: { knowsCallers: auth.length > 0 },
    }
  }
}

function namedBy(header: string | undefined): MountOptions['authenticate'] {
  if (header === undefined) return undefined
  const name = header.toLowerCase()
  return async ({ headers }) => {
    const subject = headers[name]
    return { subject: typeof subject === 'string' && subject !== '' ? subject : ANONYMOUS }
  }
}
