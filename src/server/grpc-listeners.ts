// The gRPC listeners of a server: one for each agent, because gRPC has no path prefix. Nothing of gRPC is loaded by servers
// that do not offer it.

import type { GrpcListener } from '../bindings/grpc/listener.ts'
import { ParleyError } from '../model/errors.ts'
import type { Limits } from '../net/limits.ts'
import type { ServerTls } from '../net/serve/tls-server.ts'
import type { MountedAgent } from './mounted-agent.ts'

export type GrpcServing =
  | boolean
  | {
      /** Of the first agent; the others have the ports above it. 0 takes free ones. */
      port?: number
      /** The host that cards name; that of the base URL by default. */
      publicHost?: string
    }

export interface GrpcListeners {
  readonly ports: readonly { path: string; port: number }[]
  /** As a client reaches it who knows the server under this URL. */
  addressOf(path: string, baseUrl: string): string | undefined
  close(options: { graceMs: number }): Promise<void>
}

export interface GrpcListenOptions {
  serving: GrpcServing
  host: string
  limits: Limits
  tls: ServerTls | undefined
  stallTimeoutMs: number
  isServing(): boolean
  onRequest(path: string): void
}

export async function listenGrpc(
  agents: readonly MountedAgent[],
  { serving, host, limits, tls, stallTimeoutMs, isServing, onRequest }: GrpcListenOptions,
): Promise<GrpcListeners> {
  const { createGrpcListener } = await import('../bindings/grpc/listener.ts')
  const { port: first = 0, publicHost } = typeof serving === 'boolean' ? {} : serving
  const listeners: GrpcListener[] = []
  const ports: { path: string; port: number }[] = []
  const close = async (options: { graceMs: number }) => {
    await Promise.all(listeners.map((listener) => listener.close(options)))
  }
  for (const agent of agents) {
    const mount = agent.grpc({ isServing, stallTimeoutMs, onRequest: () => onRequest(agent.path) })
    // An agent of a generation without gRPC has none.
    if (mount.dialects.length === 0) continue
    const listener = createGrpcListener(mount, { limits, tls })
    const wanted = first === 0 ? 0 : first + ports.length
    try {
      const { port } = await listener.listen({ port: wanted, host })
      listeners.push(listener)
      ports.push({ path: agent.path, port })
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
    close,
  }
}

function unavailable(error: unknown, port: number): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'EADDRINUSE')
    return new ParleyError('port-taken', `The gRPC port ${port} is taken; choose another one, or 0 for any.`)
  if (code === 'EACCES')
    return new ParleyError('port-refused', `The gRPC port ${port} may not be used by this user; choose one above 1023.`)
  return error
}
