// What a server is made of and what it offers: the types of `createServer`.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { MaybePromise } from '../base/maybe-promise.ts'
import type { SpecRevision } from '../dialects/dialect.ts'
import type { Limits } from '../net/limits.ts'
import type { Handler, NoReply, Reply } from '../net/serve/reply.ts'
import type { ServerRequest } from '../net/serve/request.ts'
import type { ServerTls } from '../net/serve/tls-server.ts'
import type { WakeBus } from './bus/wake-bus.ts'
import type { Clock } from './engine/clock.ts'
import type { GrpcServing } from './grpc-listeners.ts'
import type { Log } from './log.ts'
import type { MountOptions, ServiceMountOptions } from './mount-options.ts'
import type { PushAdmin, PushOptions } from './push/push.ts'
import type { TaskStore } from './store/task-store.ts'

/** What a server is made of; everything but its agents can be left out. */
export interface ServerOptions {
  /** The agents, each at a path of its own. */
  agents: readonly (MountOptions | ServiceMountOptions)[]
  /**
   * 'memory', 'sqlite:path', 'postgres://…', 'redis://…', or a store opened elsewhere (which then stays open when the
   * server closes). Beside a store that did not come from `openStore`, push configurations live in memory unless
   * `push.store` says where.
   * @default 'memory'
   */
  store?: string | TaskStore
  /**
   * Wakes those who follow tasks, also in other processes.
   * @default that of the store's database, or one within this process
   */
  bus?: WakeBus
  /**
   * Tasks that have ended, or wait for their client, are deleted so long after their last change; from then on they are
   * unknown. By default they are kept as long as there is room in memory, in other stores for ever.
   */
  retainMs?: number
  /**
   * So many tasks are kept. In memory, 100,000 by default: for another one, the finished task that changed longest ago is
   * forgotten, then one that waits for its client. In other stores all are kept by default; otherwise those that
   * changed longest ago are deleted soon after there are more that have ended or wait.
   */
  maxTasksKept?: number
  /** The same for their size together; by default a quarter of the memory this process may have, at most 256 MiB. */
  maxTaskBytesKept?: number
  /**
   * `full`: what was answered survives a power failure too (SQLite waits for the disk at every commit; PostgreSQL and
   * Redis are refused unless they are set to). `normal`: it survives the end of any process.
   * @default 'normal'
   */
  storeSync?: 'normal' | 'full'
  /**
   * Accept a Redis store without persistence: what it forgets is lost.
   * @default false
   */
  allowVolatile?: boolean
  /**
   * Base of the URLs in cards, when clients reach the server under another address than it listens on.
   * @default where the server listens
   */
  publicUrl?: string
  /** @default the newest */
  revision?: SpecRevision
  /**
   * Beyond it, new messages are refused with a retry hint.
   * @default 10_000
   */
  maxConcurrentTasks?: number
  /**
   * In a store shared by several servers, in milliseconds: when one dies, the others have failed its running tasks
   * within this time. One that lives must not be silent for half of it.
   * @default 15_000
   */
  leaseMs?: number
  /**
   * A stream whose reader takes nothing for this many milliseconds is cut; the client can resume it.
   * @default 60_000
   */
  stallTimeoutMs?: number
  /**
   * How often, in milliseconds, a silent stream gets a comment, so that no proxy in between closes it as idle.
   * @default 15_000
   */
  streamKeepAliveMs?: number
  /**
   * Lets webhooks of callers live at loopback and private addresses.
   * @default false
   */
  allowPrivateWebhooks?: boolean
  /** Another name of `allowPrivateWebhooks`. */
  allowPrivateNetworks?: boolean
  /**
   * Lets the keys of an issuer in `auth` live at another loopback or private address than the issuer itself.
   * @default false
   */
  allowPrivateIssuers?: boolean
  /** Push notifications of agents whose card promises them; false refuses such cards. */
  push?: PushOptions | false
  /** How much callers may ask for; what is left out keeps its default. */
  limits?: Partial<Limits>
  /**
   * Addresses and networks (`10.0.0.0/8`) of reverse proxies whose Forwarded or X-Forwarded-For tells who is calling: failed
   * attempts are counted under the caller's address, and connections of the proxy are not limited in number.
   * @default []
   */
  trustProxy?: readonly string[]
  /** With `ca`, clients are asked for a certificate, for agents with `auth: [{ kind: 'mtls' }]`. */
  tls?: ServerTls
  /** Serves gRPC beside HTTP; a port for each agent, because gRPC has no path prefix. */
  grpc?: GrpcServing
  /** The agents that get a gRPC port, in this order, by their paths; for agents that are mounted later. */
  grpcPlaces?: readonly {
    /** The paths of one agent; calls come in at the first. */
    readonly paths: readonly string[]
  }[]
  /** @default nothing is logged */
  log?: Log
  /** @default the time of the machine */
  clock?: Clock
  /** Sees every request before the agents do; `answer` is what they would say. */
  intercept?: (request: ServerRequest, answer: Handler) => MaybePromise<Reply | NoReply>
}

/** A server of one or several agents. */
export interface A2AServer {
  /** Starts listening on loopback (or the host given) and returns where. Port 0 takes any free one. */
  listen(where?: { port?: number; host?: string }): Promise<{ url: string; port: number }>
  /** For mounting into a node:http server of your own; call `ready()` first. */
  readonly requestListener: (req: IncomingMessage, res: ServerResponse) => void | Promise<void>
  /** The answer to a request as a value, for adapters to other servers; call `ready()` first. */
  answer(request: ServerRequest): MaybePromise<Reply | NoReply>
  /** Puts more places on a running server: all of them, or none when it rejects. */
  mount(...places: readonly ServiceMountOptions[]): Promise<void>
  /**
   * Other certificates from the next handshake on, for a server that listens with `tls`; connections that are open keep
   * theirs. Throws, and changes nothing, when they cannot be used.
   */
  setTls(tls: ServerTls): void
  /** Opens the store and settles what a crash left behind; `listen` does it by itself. */
  ready(): Promise<void>
  /** Whether one of the agents lives at this path. */
  serves(path: string): boolean
  /** The agents it serves, and where their cards are. */
  readonly agents: readonly {
    /** Where the agent lives. */
    path: string
    /** Where its card is. */
    cardPath: string
  }[]
  /** Where gRPC is served, once the server listens. */
  readonly grpc: readonly {
    /** The agent, by its path. */
    path: string
    /** The port of its own. */
    port: number
  }[]
  /** What webhooks did not take; undefined when no agent sends push notifications. */
  readonly push: PushAdmin | undefined
  /** Ends streams, stops agents, closes the store. Agents have `graceMs` milliseconds to stop, 5,000 unless given. */
  close(options?: { graceMs?: number }): Promise<void>
}
