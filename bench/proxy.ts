// The proxy next to a direct call of the agent behind it: what one more hop costs, on many connections and on one.

import { BenchServer, type Load } from './bench-servers.ts'
import { CHUNKS, sendMessage, sendTask, streamChunks, type Work } from './work.ts'

const ROUNDS = 3
/** Requests one after the other, for the time each takes. */
const ALONE = 300

export interface ProxyComparison {
  work: string
  /** Answers per second of CPU time: the agent's when it is called directly, the proxy's own when it stands between. */
  direct: number
  proxied: number
  /** Milliseconds from request to answer, on one connection. */
  directMs: number
  proxiedMs: number
}

export async function compareProxy(load: Load): Promise<ProxyComparison[]> {
  const results: ProxyComparison[] = []
  for (const work of [sendMessage(), sendTask(), streamChunks(CHUNKS[0])]) {
    const agent = await BenchServer.start('parley')
    const proxy = await BenchServer.start('proxy', String(agent.port))
    const best = { direct: 0, proxied: 0, directMs: Number.POSITIVE_INFINITY, proxiedMs: Number.POSITIVE_INFINITY }
    // The first round only warms up.
    for (let round = 0; round <= ROUNDS; round++) {
      const direct = await measure(load, agent, work)
      const proxied = await measure(load, proxy, work)
      if (round === 0) continue
      best.direct = Math.max(best.direct, direct.perSecond)
      best.proxied = Math.max(best.proxied, proxied.perSecond)
      best.directMs = Math.min(best.directMs, direct.ms)
      best.proxiedMs = Math.min(best.proxiedMs, proxied.ms)
    }
    await Promise.all([proxy.stop(), agent.stop()])
    results.push({ work: work.name, ...best })
  }
  return results
}

async function measure(load: Load, server: BenchServer, work: Work): Promise<{ perSecond: number; ms: number }> {
  const perSecond = await load.ratePerCpu(server, work, work.frames === undefined ? 4_000 : 800)
  const alone = await load.run(server, work, { requests: ALONE, connections: 1 })
  return { perSecond, ms: 1000 / alone.perSecond }
}
