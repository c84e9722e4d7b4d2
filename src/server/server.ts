// A running A2A server: agents on paths of one listener, sharing one store. `createServer` is the public way in, for
// one agent or many, with its own port or inside a node:http server that exists already.

import { defined } from '../base/defined.ts'
import type { MaybePromise } from '../base/maybe-promise.ts'
import { NEWEST_REVISION } from '../dialects/dialect.ts'
import { A2AError, ParleyError } from '../model/errors.ts'
import type { GuardOptions } from '../net/guard/guarded-url.ts'
import { isLoopback } from '../net/guard/loopback.ts'
import { checkLimits, type Limits } from '../net/limits.ts'
import { checkTls } from '../net/serve/check-tls.ts'
import { createListener, type Listener } from '../net/serve/http-listener.ts'
import { KeepAlive } from '../net/serve/keep-alive.ts'
import { type NodeListener, nodeHandler, STALL_TIMEOUT_MS } from '../net/serve/node-handler.ts'
import { errorReply, type NoReply, type Reply } from '../net/serve/reply.ts'
import type { ServerRequest } from '../net/serve/request.ts'
import type { ServerTls } from '../net/serve/tls-server.ts'
import { TrustedProxies } from '../net/serve/trusted-proxies.ts'
import { loadTracing } from '../telemetry/tracing.ts'
import type { BackendOptions } from './backend/backend.ts'
import { backendOf, openStore } from './backend/open.ts'
import { buildMount, type SharedDeps } from './build-mount.ts'
import { openMemoryBus } from './bus/local-bus.ts'
import type { WakeBus } from './bus/wake-bus.ts'
import { checkSignableAddress } from './card-signing.ts'
import { checkCertificateUse } from './check-certificate-use.ts'
import { type Clock, systemClock } from './engine/clock.ts'
import type { TaskEngine } from './engine/task-engine.ts'
import { TurnRoom } from './engine/turn-room.ts'
import { type GrpcListeners, listenGrpc, shareGrpc, sharesPort } from './grpc-listeners.ts'
import { LoadGate } from './load-gate.ts'
import { errorFields, type Log, silentLog, withTraceId } from './log.ts'
import { Metrics } from './metrics.ts'
import type { CardInput, MountOptions, ServiceMountOptions } from './mount-options.ts'
import type { MountedAgent } from './mounted-agent.ts'
import { Push, type PushAdmin } from './push/push.ts'
import { Readiness } from './readiness.ts'
import { recoverTasks } from './recovery.ts'
import { startRetention } from './retention.ts'
import type { A2AServer, ServerOptions } from './server-options.ts'
import { answerStatus, isStatusPath, type StatusDeps } from './status-endpoints.ts'
import { LEASE_MS } from './store/lease.ts'
import type { TaskStore } from './store/task-store.ts'
import { StreamQuota } from './stream-quota.ts'

export type { A2AServer, ServerOptions } from './server-options.ts'

const DEFAULTS = { maxConcurrentTasks: 10_000, streamKeepAliveMs: 15_000 }

/**
 * A server for several agents, or for one whose options stand beside those of its server. `listen` starts it;
 * `requestListener` and `answer` are for servers of your own.
 * @example
 * ```ts
 * import { type CardInput, createServer, textOf } from 'a2a-parley/server'
 *
 * declare const card: CardInput
 * const server = createServer({ card, agent: (message) => `You said: ${textOf(message)}`, store: 'sqlite:tasks.db' })
 * console.log((await server.listen({ port: 0 })).url)
 * ```
 */
export function createServer(
  options: ServerOptions | ((MountOptions | ServiceMountOptions) & Omit<ServerOptions, 'agents'>),
): A2AServer {
  return new Server('agents' in options ? options : { ...options, agents: [options] })
}

class Server implements A2AServer {
  readonly #options: ServerOptions
  readonly #limits: Limits
  readonly #log: Log
  readonly #keepAlive: KeepAlive
  readonly requestListener: NodeListener
  readonly #metrics = new Metrics()
  readonly #gate: LoadGate
  readonly #proxies: TrustedProxies
  readonly #engines: { path: string; engine: TaskEngine }[] = []
  #status: StatusDeps | undefined
  #isStopping = false
  #mounts: readonly MountedAgent[] = []
  #shared: SharedDeps | undefined
  #opening: Promise<void> | undefined
  #listener: Listener | undefined
  #baseUrl: string | undefined
  #host: string | undefined
  #port = 0
  #grpc: GrpcListeners | undefined
  #stopRecovery: () => void = () => {}
  /** How to close what this server opened itself, in the order it was opened. */
  readonly #opened: ((graceMs: number) => Promise<void>)[] = []

  constructor(options: ServerOptions) {
    this.#options = options
    this.#limits = checkLimits(options.limits)
    const { loopDelayMs } = this.#limits
    this.#gate = new LoadGate({ closeAtMs: loopDelayMs, openAtMs: loopDelayMs / 5 })
    this.#proxies = new TrustedProxies(options.trustProxy)
    this.#keepAlive = new KeepAlive({ intervalMs: options.streamKeepAliveMs ?? DEFAULTS.streamKeepAliveMs })
    this.#log = options.log === undefined ? silentLog : withTraceId(options.log)
    this.#baseUrl = options.publicUrl?.replace(/\/+$/, '')
    this.requestListener = nodeHandler((request) => this.answer(request), {
      keepAlive: this.#keepAlive,
      stallTimeoutMs: options.stallTimeoutMs ?? STALL_TIMEOUT_MS,
      isBusy: () => this.#gate.isBusy,
      onError: (error) => this.#log('error', 'internal-error', errorFields(error)),
    })
  }

  get agents(): readonly { path: string; cardPath: string }[] {
    return this.#mounts.map(({ path, cardPath }) => ({ path, cardPath }))
  }

  get grpc(): readonly { path: string; port: number }[] {
    return this.#grpc?.ports ?? []
  }

  get push(): PushAdmin | undefined {
    return this.#shared?.push
  }

  ready(): Promise<void> {
    this.#opening ??= this.#open().catch(async (error: unknown) => {
      // A server that did not start is not closed by its owner, and what it opened would keep the process alive, or others out.
      await this.close({ graceMs: 0 })
      throw startFailure(error)
    })
    return this.#opening
  }

  async listen({ port = 0, host = '127.0.0.1' }: { port?: number; host?: string } = {}) {
    this.#host = host
    const { agents, tls } = this.#options
    if (tls !== undefined) checkTls(tls)
    checkCertificateUse(agents, tls?.ca !== undefined)
    await this.ready()
    // First, because cards name its port.
    await this.#listenGrpc({ port, host })
    this.#listener = createListener(this.requestListener, {
      limits: this.#limits,
      ...defined({ tls, onHttp2: this.#grpc?.take }),
      isUncapped: (address) => isLoopback(address) || this.#proxies.has(address),
      onError: (error) => this.#log('error', 'internal-error', errorFields(error)),
    })
    const address = await this.#listener.listen({ port, host }).catch(async (error: unknown) => {
      await this.close({ graceMs: 0 })
      throw error
    })
    this.#baseUrl ??= address.url
    this.#port = address.port
    return { url: address.url, port: address.port }
  }

  async #listenGrpc({ port, host }: { port: number; host: string }): Promise<void> {
    const { grpc = false, tls, stallTimeoutMs = STALL_TIMEOUT_MS, agents } = this.#options
    const serving = typeof grpc === 'boolean' ? {} : grpc
    if (grpc === false || serving.servedAt !== undefined) return
    // In the order in which the agents were given, not in the one in which paths are looked up.
    const given = agents.map(({ path = '/' }) => this.#find(path)).filter((each) => each !== undefined)
    const places = this.#options.grpcPlaces ?? given.map(({ path }) => ({ paths: [path] }))
    const servicesAt = (path: string) => this.#find(path)?.dialects.flatMap((each) => each.grpc?.service ?? []) ?? []
    const offered = places
      .map(({ paths }) => ({ paths, services: () => servicesAt(paths[0] ?? '') }))
      // An agent of a generation without gRPC has none; what is not there yet may have it.
      .filter(({ paths: [path = ''], services }) => this.#find(path) === undefined || services().length > 0)
    const how = {
      ...{ tls, limits: this.#limits, stallTimeoutMs, serving },
      handle: (request: ServerRequest) => this.answer(request),
      isServing: () => !this.#isStopping,
      onError: (error: unknown) => this.#log('error', 'internal-error', errorFields(error)),
    }
    const listening = sharesPort(serving, port)
      ? shareGrpc(offered, { ...how, httpPort: () => this.#port })
      : listenGrpc(offered, { ...how, host })
    this.#grpc = await listening.catch(async (error: unknown) => {
      await this.close({ graceMs: 0 })
      throw error
    })
  }

  #grpcServedAt(): string | undefined {
    const { grpc } = this.#options
    return typeof grpc === 'object' ? grpc.servedAt : undefined
  }

  setTls(tls: ServerTls): void {
    const before = this.#options.tls
    if (before === undefined) throw new ParleyError('no-tls', 'The server listens without TLS; start it with tls.')
    if ((tls.ca === undefined) !== (before.ca === undefined))
      throw new ParleyError(
        'mtls-changed',
        'Whether clients are asked for certificates is decided when the server starts.',
      )
    checkTls(tls)
    this.#listener?.setTls(tls)
    this.#grpc?.setTls(tls)
  }

  serves(path: string): boolean {
    return this.#find(path) !== undefined
  }

  answer(request: ServerRequest): MaybePromise<Reply | NoReply> {
    const { intercept } = this.#options
    return intercept === undefined ? this.#answer(request) : intercept(request, (passed) => this.#answer(passed))
  }

  async mount(...places: readonly ServiceMountOptions[]): Promise<void> {
    await this.ready()
    const shared = this.#shared
    if (shared === undefined) throw new ParleyError('server-closed', 'The server is closed; nothing can be mounted.')
    const built = places.map((options) => buildMount(options, shared))
    await Promise.all(built.map(({ ready }) => ready()))
    this.#add(built.map(({ mounted }) => mounted))
  }

  #answer(request: ServerRequest): MaybePromise<Reply> {
    const { path } = request
    const mount = this.#find(path)
    if (mount === undefined || mount.path === '') {
      // Only the root mount could be meant by a path without a mount of its own.
      const status = this.#status
      if (status !== undefined && isStatusPath(path)) return answerStatus(path, request.method, status)
    }
    if (mount === undefined)
      return errorReply(404, `There is nothing at ${path.slice(0, 200)}; the agents are listed at start-up.`)
    this.#metrics.countRequest(mount.path || '/')
    return mount.answer(request, path.slice(mount.path.length), this.#baseUrl ?? request.origin)
  }

  async close({ graceMs = 5_000 }: { graceMs?: number } = {}): Promise<void> {
    this.#isStopping = true
    this.#stopRecovery()
    const stopped = Promise.all(this.#engines.map(({ engine }) => engine.close()))
    await Promise.race([stopped, new Promise((resolve) => void setTimeout(resolve, graceMs).unref())])
    await Promise.all([this.#listener?.close({ graceMs }), this.#grpc?.close({ graceMs })])
    this.#keepAlive.stop()
    this.#gate.stop()
    this.#shared = undefined
    // What was opened last may still need what was opened first.
    for (const close of this.#opened.splice(0).reverse()) await close(graceMs)
  }

  async #open(): Promise<void> {
    await loadTracing()
    if (this.#options.agents.some((agent) => 'signing' in agent && agent.signing !== undefined))
      checkSignableAddress(this.#options.publicUrl, this.#host)
    const { store, bus, clock = systemClock(), revision = NEWEST_REVISION } = this.#options
    const tasks = typeof store === 'object' ? store : await openStore(store ?? 'memory', this.#storeOptions())
    if (typeof store !== 'object') this.#opened.push(() => tasks.close())
    await this.#hold(tasks)
    const wakes = bus ?? (await backendOf(tasks)?.openBus()) ?? openMemoryBus()
    if (bus === undefined) this.#opened.push(() => wakes.close())
    // Whoever still follows a task that is gone learns it by looking again.
    tasks.onCommit?.((writes) => this.#metrics.commitWrites.observe(writes))
    tasks.onForgotten?.((_scope, id) => wakes.wake(id))
    const push = await this.#openPush(tasks, wakes, clock)
    if (push !== undefined) this.#opened.push((graceMs) => push.close(graceMs))
    const shared: SharedDeps = {
      store: tasks,
      bus: wakes,
      clock,
      push,
      limits: this.#limits,
      log: this.#log,
      metrics: this.#metrics,
      revision,
      maxConcurrentTasks: this.#options.maxConcurrentTasks ?? DEFAULTS.maxConcurrentTasks,
      streams: new StreamQuota(this.#limits),
      room: new TurnRoom(this.#limits),
      isOverloaded: () => this.#gate.isClosed,
      baseUrl: () => this.#baseUrl ?? 'http://localhost',
      grpcAddress: (path, baseUrl) => this.#grpcServedAt() ?? this.#grpc?.addressOf(path, baseUrl),
      authOptions: () => ({
        guard: this.#guard(this.#options.allowPrivateIssuers ?? false),
        trustsNamed: true,
        addressOf: (request) => this.#proxies.clientOf(request),
        ...defined({ publicUrl: this.#options.publicUrl }),
      }),
    }
    this.#shared = shared
    const built = this.#options.agents.map((options) => buildMount(options, shared))
    for (const { mounted, engine } of built)
      if (engine !== undefined) this.#engines.push({ path: mounted.path, engine })
    this.#status = {
      readiness: new Readiness(shared.store),
      metrics: this.#metrics,
      isStopping: () => this.#isStopping,
      gauges: () => ({
        runningTasks: this.#engines.map(({ path, engine }) => ({ agent: path || '/', count: engine.runningCount })),
        openStreams: shared.streams.open,
        push: shared.push?.counts,
      }),
    }
    this.#add(built.map(({ mounted }) => mounted))
    await Promise.all(built.map(({ ready }) => ready()))
    this.#startRetention(shared.store, clock)
    // Tasks of a service of its own are not lost with us: whoever works on them is elsewhere.
    if (this.#engines.length > 0)
      this.#stopRecovery = await recoverTasks({ ...shared, leaseMs: this.#options.leaseMs ?? LEASE_MS })
    shared.push?.start()
  }

  #add(more: readonly MountedAgent[]): void {
    // Longest path first, so that '/spec' is not swallowed by '/'.
    const mounts = [...this.#mounts, ...more].sort((a, b) => b.path.length - a.path.length)
    if (new Set(mounts.map(({ path }) => path)).size < mounts.length)
      throw new ParleyError('path-taken', 'Two agents share a path; give each its own.')
    this.#mounts = mounts
  }

  /** Only when a card asks for it: other servers do not pay for the connection. */
  async #openPush(tasks: TaskStore, bus: WakeBus, clock: Clock): Promise<Push | undefined> {
    const { agents, push: options = {} } = this.#options
    const isPromised = agents.some((agent) => !('service' in agent) && promisesPush(agent.card))
    if (options === false || !isPromised) return undefined
    const guard = this.#guard(this.#options.allowPrivateWebhooks ?? this.#options.allowPrivateNetworks ?? false)
    return Push.open({
      tasks,
      bus,
      clock,
      backend: backendOf(tasks),
      options,
      guard,
      log: this.#log,
      onLag: (seconds) => this.#metrics.pushLag.observe(seconds),
    })
  }

  /** Before anything of another process could be taken for what a crash left behind. */
  async #hold(tasks: TaskStore): Promise<void> {
    // Whoever brings a service of its own knows who works on its tasks.
    if (this.#options.agents.every((agent) => 'service' in agent)) return
    const onLost = () => this.#log('error', 'store-lost', { message: 'Another process serves the task store now.' })
    const release = await tasks.hold?.({ ...this.#storeOptions(), onLost })
    if (release !== undefined) this.#opened.push(async () => release())
  }

  #startRetention(store: TaskStore, clock: Clock): void {
    const { retainMs, maxTasksKept } = this.#options
    // The memory store sees to its number by itself.
    const isMemory = (this.#options.store ?? 'memory') === 'memory'
    const policy = { retainMs, maxTasks: isMemory ? undefined : maxTasksKept }
    const stop = startRetention({ store, clock, log: this.#log }, policy)
    this.#opened.push(async () => stop())
  }

  #storeOptions(): BackendOptions {
    const { maxTasksKept, maxTaskBytesKept } = this.#options
    return {
      allowVolatile: this.#options.allowVolatile ?? false,
      sync: this.#options.storeSync ?? 'normal',
      ...defined({ leaseMs: this.#options.leaseMs }),
      memory: {
        ...defined({ maxTasks: maxTasksKept, maxBytes: maxTaskBytesKept }),
      },
      onWaiting: (message) => this.#log('warn', 'waiting-for-store', { message }),
    }
  }

  /** What may be reached on behalf of a peer: never ourselves, which would be a loop. */
  #guard(allowPrivateNetworks: boolean): GuardOptions {
    return {
      allowPrivateNetworks,
      selfOrigins: () => (this.#baseUrl === undefined ? [] : [this.#baseUrl]),
    }
  }

  #find(path: string): MountedAgent | undefined {
    for (const mount of this.#mounts)
      if (path.startsWith(mount.path) && (path.length === mount.path.length || path[mount.path.length] === '/'))
        return mount
    return undefined
  }
}

/** The card is only checked later, and may lack anything then. */
function promisesPush({ capabilities }: Partial<CardInput>): boolean {
  return capabilities?.pushNotifications ?? false
}

/** At the start there is no caller: what a store refuses then is for the operator, with what the database said. */
function startFailure(error: unknown): unknown {
  if (!(error instanceof A2AError) || error.kind !== 'Unavailable') return error
  const said = error.cause instanceof Error ? ` (${error.cause.message})` : ''
  return new ParleyError('store-unavailable', `The server did not start: the task store refuses to be used${said}.`, {
    hint: 'A full disk, a read-only database and one that is away look like this.',
    cause: error,
  })
}
