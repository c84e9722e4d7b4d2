// The gRPC listeners of a server: one for each agent, because gRPC has no path prefix. Nothing of gRPC is loaded by servers
// that do not offer it.

import type { Socket } from 'node:net'
import type { GrpcListener } from '../bindings/grpc/listener.ts'
import { ParleyError } from '../model/errors.ts'
import type { Limits } from '../net/limits.ts'
import type { Handler } from '../net/serve/reply.ts'
import type { ServerTls } from '../net/serve/tls-server.ts'

/** Where gRPC is served. */
export type GrpcServing =
  | boolean
  | {
      /**
       * Of the first agent; the others have the ports above it. 0 takes free ones. `same` is the port of HTTP, which
       * needs TLS (ALPN tells them apart) and a single agent.
       */
      port?: number | 'same'
      /** The host that cards name; that of the base URL by default. */
      publicHost?: string
      /** Instead of listening: `host:port` where another server takes the calls of all agents, for cards to name. */
      servedAt?: string
    }

/** An agent that has a listener, by the paths it has where there are paths; calls come in at the first. */
export interface GrpcPlace {
  readonly paths: readonly string[]
  /** Names of the services it offers, with their packages; asked for at every call. */
  services(): readonly string[]
}

export interface GrpcListeners {
  readonly ports: readonly { path: string; port: number }[]
  /** As a client reaches it who knows the server under this URL. */
  addressOf(path: string, baseUrl: string): string | undefined
  /** Serves a connection that came in at the port of HTTP. */
  take?(socket: Socket): void
  setTls(tls: ServerTls): void
  close(options: { graceMs: number }): Promise<void>
}

export interface GrpcListenOptions {
  /** Answers every call, with the path of its agent in front. */
  handle: Handler
  serving: Exclude<GrpcServing, boolean>
  host: string
  limits: Limits
  tls: ServerTls | undefined
  stallTimeoutMs: number
  isServing(): boolean
  onError(error: unknown): void
}

export async function listenGrpc(places: readonly GrpcPlace[], options: GrpcListenOptions): Promise<GrpcListeners> {
  const { serving, host, handle, ...how } = options
  const { createGrpcListener } = await import('../bindings/grpc/listener.ts')
  const { publicHost } = serving
  const first = typeof serving.port === 'number' ? serving.port : 0
  const listeners: GrpcListener[] = []
  const ports: { path: string; port: number }[] = []
  const close = async (ending: { graceMs: number }) => {
    await Promise.all(listeners.map((listener) => listener.close(ending)))
  }
  for (const { paths, services } of places) {
    const [pathPrefix = ''] = paths
    const listener = await createGrpcListener(handle, { ...how, services, pathPrefix })
    const wanted = first === 0 ? 0 : first + listeners.length
    try {
      const { port } = await listener.listen({ port: wanted, host })
      listeners.push(listener)
      ports.push(...paths.map((path) => ({ path, port })))
    } catch (error) {
      await close({ graceMs: 0 })
      throw unavailable(error, wanted)
    }
  }
  return {
    ports,
    addressOf(path, baseUrl) {
      const port = ports.find((each) => each.path === path)?.port
      return port === undefined ? undefined : `${publicHost ?? new URL(baseUrl).hostname}:${port}`
    },
    setTls(tls) {
      for (const listener of listeners) listener.setTls(tls)
    },
    close,
  }
}

/** Whether gRPC shall be at the port of HTTP. */
export function sharesPort({ port: grpcPort = 0 }: Exclude<GrpcServing, boolean>, port: number): boolean {
  return grpcPort === 'same' || (grpcPort !== 0 && grpcPort === port)
}

/** At the port of HTTP, whose listener hands over connections that speak HTTP/2. */
export async function shareGrpc(
  places: readonly GrpcPlace[],
  { httpPort, ...options }: Omit<GrpcListenOptions, 'host'> & { httpPort(): number },
): Promise<GrpcListeners> {
  const { serving, handle, tls, ...how } = options
  const [place] = places
  if (tls === undefined)
    throw new ParleyError(
      'grpc-port-shared',
      'gRPC can have the port of HTTP only with TLS, which tells them apart; give a certificate, or gRPC a port of its own.',
    )
  if (place === undefined || places.length > 1)
    throw new ParleyError(
      'grpc-port-shared',
      `gRPC has no paths, so it can have the port of HTTP only for a single agent, and here are ${places.length}; give gRPC ports of its own.`,
    )
  const { createGrpcListener } = await import('../bindings/grpc/listener.ts')
  const { paths, services } = place
  const listener = await createGrpcListener(handle, { ...how, services, pathPrefix: paths[0] ?? '', isShared: true })
  return {
    get ports() {
      return paths.map((path) => ({ path, port: httpPort() }))
    },
    addressOf(path, baseUrl) {
      const { hostname, port } = new URL(baseUrl)
      return paths.includes(path) ? `${serving.publicHost ?? hostname}:${port === '' ? HTTPS_PORT : port}` : undefined
    },
    take: (socket) => listener.take(socket),
    // Handshakes are those of the HTTP listener.
    setTls: () => {},
    close: (ending) => listener.close(ending),
  }
}

const HTTPS_PORT = 443

function unavailable(error: unknown, port: number): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'EADDRINUSE')
    return new ParleyError('port-taken', `The gRPC port ${port} is taken; choose another one, or 0 for any.`)
  if (code === 'EACCES')
    return new ParleyError('port-refused', `The gRPC port ${port} may not be used by this user; choose one above 1023.`)
  return error
}
