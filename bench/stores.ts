// What durability and sharing cost: the same work on every store, and on two server processes that share one, taking
// turns. A store whose server is not installed on this machine is left out instead of failing the run.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { postgresPrograms, startPostgres } from '../test/servers/start-postgres.ts'
import { redisProgram, startRedis } from '../test/servers/start-redis.ts'
import { BenchServer, type Load, taskIdIn } from './bench-servers.ts'
import { CHUNKS, getTask, sendTask, streamChunks, type Work } from './work.ts'

const ROUNDS = 3
const ROUND_MS = 300

export type SharedStore = 'postgres' | 'redis'
export type StoreName = 'memory' | 'sqlite' | SharedStore

export interface StoreRates {
  work: string
  /** Answers per second by the clock; undefined where the store's server is not installed. */
  one: Readonly<Record<StoreName, number | undefined>>
  /** The same from two replicas on one store. */
  two: Readonly<Record<SharedStore, number | undefined>>
}

interface OpenedStore {
  spec: string
  remove(): Promise<void>
}

const OPEN: Readonly<Record<StoreName, () => Promise<OpenedStore | undefined>>> = {
  memory: async () => ({ spec: 'memory', remove: async () => {} }),
  sqlite: async () => {
    const folder = await mkdtemp(join(tmpdir(), 'parley-bench-'))
    return { spec: `sqlite:${join(folder, 'tasks.db')}`, remove: () => rm(folder, { recursive: true }) }
  },
  postgres: async () => (postgresPrograms() === undefined ? undefined : launched(await startPostgres())),
  redis: async () => (redisProgram() === undefined ? undefined : launched(await startRedis())),
}

function launched(server: { url: string; stop(): Promise<void> }): OpenedStore {
  return { spec: server.url, remove: () => server.stop() }
}

/** One or two servers on a store of their own, so that an idle replica costs the single one nothing. */
class Site {
  readonly works: readonly Work[]
  readonly #servers: readonly BenchServer[]
  readonly #store: OpenedStore

  private constructor(store: OpenedStore, servers: readonly BenchServer[], works: readonly Work[]) {
    this.#store = store
    this.#servers = servers
    this.works = works
  }

  static async open(load: Load, name: StoreName, replicas: number): Promise<Site | undefined> {
    const store = await OPEN[name]()
    if (store === undefined) return undefined
    const first = await BenchServer.start('parley', store.spec)
    const others = replicas === 1 ? [] : [await BenchServer.start('parley', store.spec)]
    const id = taskIdIn((await load.ask(first, sendTask())).body)
    return new Site(store, [first, ...others], [sendTask(), getTask(id), streamChunks(CHUNKS[0])])
  }

  async run(load: Load, work: string): Promise<number> {
    const given = this.works.find(({ name }) => name === work)
    if (given === undefined) throw new Error(`no work ${work}`)
    return (await load.runAcross(this.#servers, given, { durationMs: ROUND_MS })).perSecond
  }

  async close(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.stop()))
    await this.#store.remove()
  }
}

export async function compareStores(load: Load): Promise<StoreRates[]> {
  const one = {
    memory: await Site.open(load, 'memory', 1),
    sqlite: await Site.open(load, 'sqlite', 1),
    postgres: await Site.open(load, 'postgres', 1),
    redis: await Site.open(load, 'redis', 1),
  }
  const two = { postgres: await Site.open(load, 'postgres', 2), redis: await Site.open(load, 'redis', 2) }
  const sites = [...Object.values(one), ...Object.values(two)].filter((site) => site !== undefined)
  try {
    const results: StoreRates[] = []
    for (const work of sites[0]?.works.map(({ name }) => name) ?? []) {
      const best = new Map<Site | undefined, number>()
      // The first round only warms up.
      for (const site of sites) await site.run(load, work)
      for (let round = 1; round <= ROUNDS; round++)
        for (const site of sites) best.set(site, Math.max(best.get(site) ?? 0, await site.run(load, work)))
      results.push({
        work,
        one: {
          memory: best.get(one.memory),
          sqlite: best.get(one.sqlite),
          postgres: best.get(one.postgres),
          redis: best.get(one.redis),
        },
        two: { postgres: best.get(two.postgres), redis: best.get(two.redis) },
      })
    }
    return results
  } finally {
    await Promise.all(sites.map((site) => site.close()))
  }
}
