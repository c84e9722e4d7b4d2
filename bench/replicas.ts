// Two servers on one store beside a single one: CPU time of both together for an answer, and answers by the clock, in rounds
// that take turns.

import { BenchServer, type Load, taskIdIn } from './bench-servers.ts'
import { middle } from './middle.ts'
import { openStoreFor, worksFor } from './stores.ts'
import { sendTask, type Work } from './work.ts'

const ROUNDS = 7
const WARM_ROUNDS = 2
const REQUESTS: Readonly<Record<string, number>> = { 'send -> Task': 600, GetTask: 1_500 }
const STREAMS = 250

export interface ReplicaComparison {
  work: string
  store: string
  /** Microseconds of CPU time for an answer. */
  oneUs: number
  twoUs: number
  /** Two over one, in the same round. */
  cpu: number
  wall: number
}

class Site {
  readonly #servers: readonly BenchServer[]
  readonly #works: readonly Work[]
  readonly #remove: () => Promise<void>

  private constructor(servers: readonly BenchServer[], works: readonly Work[], remove: () => Promise<void>) {
    this.#servers = servers
    this.#works = works
    this.#remove = remove
  }

  static async open(load: Load, name: string, replicas: number): Promise<Site | undefined> {
    const store = await openStoreFor(name)
    if (store === undefined) return undefined
    const servers: BenchServer[] = []
    for (let n = 0; n < replicas; n++) servers.push(await BenchServer.start('parley', store.spec))
    const [first] = servers
    const id = first === undefined ? '' : taskIdIn((await load.ask(first, sendTask())).body)
    return new Site(servers, worksFor(id).slice(0, 3), () => store.remove())
  }

  get works(): readonly string[] {
    return this.#works.map(({ name }) => name)
  }

  async measure(load: Load, name: string): Promise<{ us: number; perSecond: number }> {
    const work = this.#works.find((each) => each.name === name)
    if (work === undefined) throw new Error(`no work ${name}`)
    const requests = REQUESTS[name] ?? STREAMS
    const before = await this.#cpu()
    const { perSecond } = await load.runAcross(this.#servers, work, { requests })
    return { us: (((await this.#cpu()) - before) * 1e6) / requests, perSecond }
  }

  async close(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.stop()))
    await this.#remove()
  }

  async #cpu(): Promise<number> {
    const times = await Promise.all(this.#servers.map((server) => server.cpuSeconds()))
    return times.reduce((sum, { all }) => sum + all, 0)
  }
}

export async function compareReplicas(load: Load): Promise<ReplicaComparison[]> {
  const results: ReplicaComparison[] = []
  for (const store of ['postgres', 'redis']) {
    const one = await Site.open(load, store, 1)
    const two = await Site.open(load, store, 2)
    if (one === undefined || two === undefined) continue
    for (const work of one.works) {
      const rounds: { one: { us: number; perSecond: number }; two: { us: number; perSecond: number } }[] = []
      for (let round = -WARM_ROUNDS; round < ROUNDS; round++) {
        const measured = { one: await one.measure(load, work), two: await two.measure(load, work) }
        if (round >= 0) rounds.push(measured)
      }
      results.push({
        ...{ work, store },
        oneUs: middle(rounds.map((round) => round.one.us)),
        twoUs: middle(rounds.map((round) => round.two.us)),
        cpu: middle(rounds.map((round) => round.two.us / round.one.us)),
        wall: middle(rounds.map((round) => round.two.perSecond / round.one.perSecond)),
      })
    }
    await Promise.all([one.close(), two.close()])
  }
  return results
}
