// `a2a-parley`: the short ways to what the package does. Each loads what it needs when it is called, so that importing this
// costs nothing; the rooms (`a2a-parley/server`, `/client`, `/judge`, `/mock`, `/proxy`) have everything else.

import type { A2AClient } from './client/a2a-client.ts'
import type { ClientOptions } from './client/client-options.ts'
import type { CertifyOptions } from './judge/runner/certify.ts'
import type { ConformanceReport } from './judge/runner/result.ts'
import type { MockAgent, MockAgentOptions } from './mock/index.ts'
import type { ProxyConfig } from './proxy/proxy-config.ts'
import type { StartedProxy } from './proxy/start-proxy.ts'
import type { MountOptions, ServiceMountOptions } from './server/mount-options.ts'
import type { A2AServer, ServerOptions } from './server/server-options.ts'

export type { A2AClient } from './client/a2a-client.ts'
export type { ClientOptions } from './client/client-options.ts'
export type { CertifyOptions } from './judge/runner/certify.ts'
export type { ConformanceReport } from './judge/runner/result.ts'
export type { MockAgent, MockAgentOptions } from './mock/index.ts'
export type { AgentCard } from './model/card.ts'
export { A2AError, type A2AErrorKind, ParleyError } from './model/errors.ts'
export type { StreamEvent } from './model/event.ts'
export { isInterrupted, isTerminal } from './model/state-machine.ts'
export { type Artifact, type Message, type Part, type Task, type TaskState, textOf } from './model/task.ts'
export type { ProxyConfig } from './proxy/proxy-config.ts'
export type { StartedProxy } from './proxy/start-proxy.ts'
export type { Agent, AgentContext } from './server/engine/agent.ts'
export type { MountOptions, ServiceMountOptions } from './server/mount-options.ts'
export type { A2AServer, ServerOptions } from './server/server-options.ts'

/** Where to listen: on loopback and any free port unless given. */
export interface ListenAddress {
  /**
   * 0 takes any free one.
   * @default 0
   */
  port?: number
  /**
   * An address or name of this machine.
   * @default '127.0.0.1'
   */
  host?: string
}

/** A server that listens. */
export interface RunningServer extends AsyncDisposable {
  /** Base URL: scheme, host and port. */
  readonly url: string
  /** The server itself. */
  readonly server: A2AServer
  /** Ends streams, stops agents, closes the store. */
  close(): Promise<void>
}

/**
 * Finds an agent and connects to it: `A2AClient.connect`.
 *
 * @example
 * ```ts
 * import { connect, textOf } from 'a2a-parley'
 *
 * using client = await connect('localhost:9999/spec')
 * const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER' as const, parts: [{ text: 'hello' }] }
 * const result = await client.sendMessage({ message })
 * console.log('message' in result ? textOf(result.message) : result.task.status.state)
 * ```
 */
export async function connect(
  target: string,
  options: ClientOptions & { signal?: AbortSignal } = {},
): Promise<A2AClient> {
  const client = await import('./client/a2a-client.ts')
  return client.A2AClient.connect(target, options)
}

/**
 * Serves an agent, or several: `createServer` of `a2a-parley/server`, already listening.
 *
 * @example
 * ```ts
 * import { serve, textOf } from 'a2a-parley'
 *
 * await using running = await serve({
 *   card: {
 *     name: 'Echo', description: 'Says it again.', version: '1.0.0', capabilities: {},
 *     defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'],
 *     skills: [{ id: 'echo', name: 'Echo', description: 'Says it again.', tags: ['demo'] }],
 *   },
 *   agent: (message) => `You said: ${textOf(message)}`,
 * })
 * console.log(running.url)
 * ```
 */
export async function serve(
  options: ServerOptions | ((MountOptions | ServiceMountOptions) & Omit<ServerOptions, 'agents'>),
  where: ListenAddress = {},
): Promise<RunningServer> {
  const { createServer } = await import('./server/server.ts')
  const server = createServer(options)
  const { url } = await server.listen({ port: 0, ...where })
  const close = () => server.close()
  return { url, server, close, [Symbol.asyncDispose]: close }
}

/**
 * Judges an agent: `certify` of `a2a-parley/judge`.
 *
 * @example
 * ```ts
 * import { certify } from 'a2a-parley'
 *
 * const report = await certify('http://localhost:3000', { isQuick: true })
 * console.log(report.conformanceLevel)
 * ```
 */
export async function certify(target: string, options: CertifyOptions = {}): Promise<ConformanceReport> {
  const judge = await import('./judge/runner/certify.ts')
  return judge.certify(target, options)
}

/**
 * Starts a scripted agent: `createMockAgent` of `a2a-parley/mock`, already listening.
 *
 * @example
 * ```ts
 * import { mock } from 'a2a-parley'
 *
 * await using agent = await mock({ scriptText: 'rules: [{ turns: [[{ message: "Hi." }]] }]' })
 * console.log(agent.url)
 * ```
 */
export async function mock(options: MockAgentOptions = {}, where: ListenAddress = {}): Promise<MockAgent> {
  const { createMockAgent } = await import('./mock/index.ts')
  return createMockAgent(options).start(where)
}

/**
 * Starts a proxy before agents: `startProxy` of `a2a-parley/proxy`, on any free port unless the configuration names one.
 *
 * @example
 * ```ts
 * import { proxy } from 'a2a-parley'
 *
 * const started = await proxy({ agents: [{ name: 'booker', url: 'http://localhost:3000' }], record: 'traffic.jsonl' })
 * console.log(started.url)
 * await started.close()
 * ```
 */
export async function proxy(config: ProxyConfig): Promise<StartedProxy> {
  const { startProxy } = await import('./proxy/start-proxy.ts')
  return startProxy({ port: 0, ...config })
}
