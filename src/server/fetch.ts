// `a2a-parley/fetch`: an agent for every host of the Fetch standard (Hono, Bun, Deno, workers).

import { defined } from '../base/defined.ts'
import { type FetchContext, fetchHandler } from '../net/serve/fetch-handler.ts'
import { errorFields, silentLog } from './log.ts'
import type { MountOptions, ServiceMountOptions } from './mount-options.ts'
import { type A2AServer, createServer, type ServerOptions } from './server.ts'

export type { FetchContext } from '../net/serve/fetch-handler.ts'
export type { Peer, PeerCertificate } from '../net/serve/request.ts'

/** Options of `createServer`, without what is the business of the host. */
export type FetchHandlerOptions = Omit<ServerOptions, 'tls' | 'agents'> &
  (Pick<ServerOptions, 'agents'> | MountOptions | ServiceMountOptions)

/** An agent, or several, as a function from Request to Response. */
export interface FetchHandler {
  /**
   * Answers one request. Without a `peer` the address of the caller is unknown: failed attempts are then counted by credential
   * only, not by address, and client certificates are not seen.
   */
  (request: Request, context?: FetchContext): Promise<Response>
  /** Opens the store; the first request does it by itself. */
  ready(): Promise<void>
  /** Whether one of the agents lives at this path. */
  serves(path: string): boolean
  /** Ends streams, stops agents, closes the store. */
  close(options?: { graceMs?: number }): Promise<void>
}

/**
 * One agent or several as a function from Request to Response. Give `publicUrl`: a Fetch request only knows the address
 * its client named, which is trusted on this machine alone.
 *
 * @example
 * ```ts
 * import { createFetchHandler } from 'a2a-parley/fetch'
 *
 * const handle = createFetchHandler({
 *   publicUrl: 'https://agents.example.com',
 *   card: {
 *     name: 'Clock', description: 'Tells the time.', version: '1.0.0', capabilities: {},
 *     defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'],
 *     skills: [{ id: 'time', name: 'Time', description: 'Tells the time.', tags: ['demo'] }],
 *   },
 *   agent: () => new Date().toISOString(),
 * })
 * export default { fetch: (request: Request) => handle(request) }
 * ```
 */
export function createFetchHandler(options: FetchHandlerOptions): FetchHandler {
  const server: A2AServer = createServer(options)
  const { log = silentLog, streamKeepAliveMs, stallTimeoutMs } = options
  const answer = fetchHandler((request) => server.answer(request), {
    ...defined({ keepAliveMs: streamKeepAliveMs, stallTimeoutMs }),
    onError: (error) => log('error', 'internal-error', errorFields(error)),
  })
  let isReady = false
  const ready = async (): Promise<void> => {
    await server.ready()
    isReady = true
  }
  const handler = async (request: Request, context?: FetchContext): Promise<Response> => {
    if (!isReady) await ready()
    return answer(request, context)
  }
  return Object.assign(handler, {
    ready,
    serves: (path: string) => server.serves(path),
    close: (how?: { graceMs?: number }) => server.close(how),
  })
}
