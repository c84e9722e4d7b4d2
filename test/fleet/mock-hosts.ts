// Hosts with agents for a fleet to ask: each host a port of its own, several agents to a host, and a log of every request
// that is the agents' own word about how politely they were asked.

import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ECHO_CARD } from '../../src/agents/cards.ts'
import { echoAgent } from '../../src/agents/echo.ts'
import { type A2AServer, createServer } from '../../src/server/server.ts'

/**
 * live: judged like any agent. slow: each answer takes 300 ms. dead: nobody listens. locked: 401. throttled: 429 for ever.
 * busy: 429 with Retry-After once, live then. overloaded: the same with 503. paid: 402. hanging: takes connections and says
 * nothing. hostile: garbage. leading: serves one card alone, which leads to an agent of the first host.
 */
export type HostKind =
  | 'live'
  | 'slow'
  | 'dead'
  | 'locked'
  | 'throttled'
  | 'busy'
  | 'overloaded'
  | 'paid'
  | 'hanging'
  | 'hostile'
  | 'leading'

export interface LoggedRequest {
  readonly host: number
  readonly agent: string
  readonly userAgent: string
  readonly startedMs: number
  endedMs: number
}

export interface MockHost {
  readonly kind: HostKind
  readonly url: string
  readonly agents: readonly string[]
}

const SLOW_MS = 300

export class MockHosts {
  readonly log: LoggedRequest[] = []
  readonly hosts: MockHost[] = []
  readonly #servers: Server[] = []
  readonly #dead: Server[] = []
  readonly #live: (A2AServer | undefined)[] = []
  readonly #asked: number[] = []

  static async start(
    kinds: readonly HostKind[],
    agentsPerHost: number | ((host: number) => number) = 1,
  ): Promise<MockHosts> {
    const hosts = new MockHosts()
    for (const [at, kind] of kinds.entries())
      await hosts.#add(kind, typeof agentsPerHost === 'number' ? agentsPerHost : agentsPerHost(at))
    // Not before all have a port: a free one would be given to the next.
    for (const server of hosts.#dead) await new Promise((resolve) => server.close(resolve))
    return hosts
  }

  get agents(): string[] {
    return this.hosts.flatMap(({ agents }) => agents)
  }

  async close(): Promise<void> {
    for (const server of this.#servers) server.closeAllConnections()
    await Promise.all(this.#servers.map((server) => new Promise((resolve) => server.close(resolve))))
    for (const server of this.#live) await server?.close()
  }

  async #add(kind: HostKind, count: number): Promise<void> {
    const at = this.hosts.length
    const server = createHttpServer((request, response) => this.#answer(at, request, response))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const servers = kind === 'dead' ? this.#dead : this.#servers
    servers.push(server)
    this.hosts.push({ kind, url, agents: Array.from({ length: count }, (_, n) => `${url}/a${n}`) })
  }

  #answer(at: number, request: IncomingMessage, response: ServerResponse): void {
    const entry: LoggedRequest = {
      host: at,
      agent: /^\/(a\d+)/.exec(request.url ?? '')?.[1] ?? '',
      userAgent: request.headers['user-agent'] ?? '',
      startedMs: performance.now(),
      endedMs: Number.POSITIVE_INFINITY,
    }
    this.log.push(entry)
    response.once('close', () => {
      entry.endedMs = performance.now()
    })
    const host = this.hosts[at] as MockHost
    const refuse = (status: number, headers: Record<string, string> = {}) => response.writeHead(status, headers).end()
    const asked = (this.#asked[at] ?? 0) + 1
    this.#asked[at] = asked
    if (host.kind === 'locked') refuse(401)
    else if (host.kind === 'throttled') refuse(429, { 'Retry-After': '1' })
    else if (host.kind === 'paid') refuse(402)
    else if (host.kind === 'hostile') response.end('{"name": ['.repeat(20_000))
    else if (host.kind === 'busy' && asked === 1) refuse(429, { 'Retry-After': '1' })
    else if (host.kind === 'overloaded' && asked === 1) refuse(503, { 'Retry-After': '1' })
    else if (host.kind === 'leading') this.#lead(at, request, response)
    else if (host.kind === 'slow') setTimeout(() => this.#serve(at, host, request, response), SLOW_MS)
    else if (host.kind !== 'hanging') this.#serve(at, host, request, response)
  }

  /** The second host leads to the last agent of the first host, the third to the one before it, and so on. */
  #lead(at: number, request: IncomingMessage, response: ServerResponse): void {
    if (request.url?.endsWith('/.well-known/agent-card.json') !== true) {
      response.writeHead(404).end()
      return
    }
    const [url] = this.hosts[0]?.agents.slice(-at) ?? []
    const supportedInterfaces = [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }]
    response.writeHead(200, { 'Content-Type': 'application/json' })
    response.end(JSON.stringify({ ...ECHO_CARD, supportedInterfaces }))
  }

  #serve(at: number, host: MockHost, request: IncomingMessage, response: ServerResponse): void {
    const server = this.#live[at] ?? liveServer(host)
    this.#live[at] = server
    void server.ready().then(() => server.requestListener(request, response))
  }
}

function liveServer({ url, agents }: MockHost): A2AServer {
  const served = { card: ECHO_CARD, agent: echoAgent, unversionedAs: '1.0' as const }
  return createServer({ publicUrl: url, agents: agents.map((_, n) => ({ path: `/a${n}`, ...served })) })
}

export interface Manners {
  /** Requests that began while one to another agent of the host was open. */
  readonly overlaps: number
  /** The most requests to one host that began within any second. */
  readonly busiestSecond: number
  readonly userAgents: readonly string[]
}

/** A connection that the other side closed is noticed a moment later. */
const MOMENT_MS = 50

/** What the agents' own log says about how they were asked. */
export function mannersIn(log: readonly LoggedRequest[]): Manners {
  let overlaps = 0
  let busiestSecond = 0
  for (const requests of Map.groupBy(log, ({ host }) => host).values()) {
    const sorted = requests.toSorted((a, b) => a.startedMs - b.startedMs)
    overlaps += overlapsIn(sorted.filter(({ agent }) => agent !== ''))
    let first = 0
    for (const [last, { startedMs }] of sorted.entries()) {
      while (startedMs - (sorted[first]?.startedMs ?? 0) > 1_000) first++
      busiestSecond = Math.max(busiestSecond, last - first + 1)
    }
  }
  return { overlaps, busiestSecond, userAgents: [...new Set(log.map(({ userAgent }) => userAgent))] }
}

/** Requests that began while one to another agent of the host was open. */
function overlapsIn(sorted: readonly LoggedRequest[]): number {
  let overlaps = 0
  const openUntil = new Map<string, number>()
  for (const { agent, startedMs, endedMs } of sorted) {
    for (const [other, until] of openUntil) {
      if (other === agent) continue
      if (until <= startedMs + MOMENT_MS) openUntil.delete(other)
      else overlaps++
    }
    openUntil.set(agent, Math.max(openUntil.get(agent) ?? 0, endedMs))
  }
  return overlaps
}
