// The proxy next to a bare relay of the same bytes, and to a direct call of the agent behind both, in rounds that take turns:
// what one more hop costs, on many connections and on one.

import { BenchServer, type Load } from './bench-servers.ts'
import { middle } from './middle.ts'
import { CHUNKS, sendMessage, sendTask, streamChunks, type Work } from './work.ts'

const ROUNDS = 7
/** Requests before the first round: all have to be compiled before they are compared, and the proxy is more code. */
const WARM_REQUESTS = 9_000
/** Requests one after the other, for the time each takes. */
const ALONE = 200

export interface ProxyComparison {
  work: string
  /** Answers per second of CPU time: the agent's when it is called directly, their own when they stand between. */
  direct: number
  relay: number
  proxy: number
  /** Of the relay and of the direct call in the same round. */
  ofRelay: number
  ofDirect: number
  /** Milliseconds from request to answer, on one connection. */
  ms: { direct: number; relay: number; proxy: number }
}

export async function compareProxy(load: Load): Promise<ProxyComparison[]> {
  const results: ProxyComparison[] = []
  for (const work of [sendMessage(), sendTask(), streamChunks(CHUNKS[0])]) {
    const direct = await BenchServer.start('parley')
    const relay = await BenchServer.start('relay', String(direct.port))
    const proxy = await BenchServer.start('proxy', String(direct.port))
    const requests = work.frames === undefined ? 3_000 : 600
    const rounds: { direct: number; relay: number; proxy: number }[] = []
    for (let round = -Math.ceil(WARM_REQUESTS / requests); round < ROUNDS; round++) {
      const measured = {
        direct: await load.ratePerCpu(direct, work, requests),
        relay: await load.ratePerCpu(relay, work, requests),
        proxy: await load.ratePerCpu(proxy, work, requests),
      }
      if (round >= 0) rounds.push(measured)
    }
    const ms = {
      direct: await alone(load, direct, work),
      relay: await alone(load, relay, work),
      proxy: await alone(load, proxy, work),
    }
    await Promise.all([proxy, relay, direct].map((server) => server.stop()))
    results.push({
      work: work.name,
      direct: middle(rounds.map((round) => round.direct)),
      relay: middle(rounds.map((round) => round.relay)),
      proxy: middle(rounds.map((round) => round.proxy)),
      ofRelay: middle(rounds.map((round) => round.proxy / round.relay)),
      ofDirect: middle(rounds.map((round) => round.proxy / round.direct)),
      ms,
    })
  }
  return results
}

async function alone(load: Load, server: BenchServer, work: Work): Promise<number> {
  return 1000 / (await load.run(server, work, { requests: ALONE, connections: 1 })).perSecond
}
