// What durability costs: the same work on every store, on the SQL stores of the JavaScript and Python SDKs, and the rows of it written by
// the driver alone, in short rounds that take turns. Compared are the rates of the same round; the middle round counts.
// A store whose server is not installed on this machine is left out instead of failing the run.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { postgresPrograms, startPostgres } from '../test/servers/start-postgres.ts'
import { redisProgram, startRedis } from '../test/servers/start-redis.ts'
import { BenchServer, CONNECTIONS, type Load, taskIdIn } from './bench-servers.ts'
import { Child } from './child.ts'
import { middle } from './middle.ts'
import { startPythonOn } from './python-store.ts'
import type { CeilingQuestion } from './servers/store-ceiling.ts'
import { CHUNKS, getTask, pacedStream, sendLarge, sendTask, streamChunks, type Work } from './work.ts'

const ROUNDS = 7
const WARM_ROUNDS = 2
const ROUND_MS = 250
/** It takes seconds for what others do in a round; more connections would only wait. */
const PYTHON_ROUND = { durationMs: ROUND_MS, connections: 4 }
const LARGE = 64 * 1024
const PACED_CHUNKS = 60
const PACED_STREAMS = 3

export const DATABASES = ['sqlite', 'postgres', 'redis'] as const
export type Database = (typeof DATABASES)[number]
export type StoreName = 'memory' | 'sqlite full' | Database
export type SdkStore = 'sdk sqlite' | 'sdk postgres' | 'python sqlite'

/** What makes answers, or rows. */
interface Place {
  rate(work: string): Promise<number | undefined>
  close(): Promise<void>
}

export interface Measured {
  /** By the clock, in the middle round. */
  perSecond: number
  /** Of memory in the same round. */
  share: number
}

export interface StoreRates {
  work: string
  /** Undefined where the store's server is not installed. */
  ours: ReadonlyMap<StoreName, Measured>
  /** What of the driver's own rate the server reaches. */
  ofCeiling: ReadonlyMap<Database, { perSecond: number; share: number }>
  /** The SDK's stores, and how many times as fast ours is on the same database. */
  sdk: ReadonlyMap<SdkStore, { perSecond: number; times: number }>
}

export interface OpenedStore {
  spec: string
  remove(): Promise<void>
}

const OPEN: Readonly<Record<'memory' | Database, () => Promise<OpenedStore | undefined>>> = {
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

export function openStoreFor(name: string): Promise<OpenedStore | undefined> {
  const [database = ''] = name.replace(/^(sdk|python) /, '').split(' ')
  return OPEN[database as Database]()
}

export function worksFor(id: string): Work[] {
  return [sendTask(), getTask(id), streamChunks(CHUNKS[0]), sendLarge(LARGE)]
}

const WORKS = worksFor('').map(({ name }) => name)

async function openServer(load: Load, name: StoreName | SdkStore): Promise<Place | undefined> {
  const store = await openStoreFor(name)
  if (store === undefined) return undefined
  const sync = name === 'sqlite full' ? ['full'] : []
  const server = await BenchServer.start(name.startsWith('sdk') ? 'sdk' : 'parley', store.spec, ...sync)
  const works = worksFor(taskIdIn((await load.ask(server, sendTask())).body))
  return {
    rate: async (name) => {
      const work = works.find((each) => each.name === name)
      return work && (await load.run(server, work, { durationMs: ROUND_MS })).perSecond
    },
    close: async () => {
      await server.stop()
      await store.remove()
    },
  }
}

async function openPython(load: Load): Promise<Place | undefined> {
  const store = await openStoreFor('sqlite')
  const server = store && (await startPythonOn(store.spec))
  if (server === undefined) return undefined
  // Its agent makes no large artifacts.
  const works = worksFor(server.taskId).filter(({ name }) => !name.includes('kB'))
  return {
    rate: async (name) => {
      const work = works.find((each) => each.name === name)
      return work && (await load.run(server.target, work, PYTHON_ROUND)).perSecond
    },
    close: async () => {
      await server.stop()
      await store?.remove()
    },
  }
}

async function openCeiling(name: Database): Promise<Place | undefined> {
  const store = await openStoreFor(name)
  if (store === undefined) return undefined
  const child = await Child.start('./servers/store-ceiling.ts', [store.spec, String(CONNECTIONS)])
  return {
    rate: async (work) => {
      if (work === 'GetTask') return undefined
      const question: CeilingQuestion = { work, durationMs: ROUND_MS }
      return (await child.ask<{ perSecond: number }>(question)).perSecond
    },
    close: async () => {
      await child.stop()
      await store.remove()
    },
  }
}

const OURS: readonly StoreName[] = ['memory', 'sqlite', 'sqlite full', 'postgres', 'redis']
const SDK = ['sdk sqlite', 'sdk postgres'] as const
const PEERS: readonly SdkStore[] = [...SDK, 'python sqlite']

export async function compareStores(load: Load): Promise<StoreRates[]> {
  const places = new Map<string, Place>()
  const open = async (name: string, opening: Promise<Place | undefined>) => {
    const place = await opening
    if (place !== undefined) places.set(name, place)
  }
  try {
    for (const name of [...OURS, ...SDK]) await open(name, openServer(load, name))
    await open('python sqlite', openPython(load))
    for (const name of DATABASES) await open(`${name} ceiling`, openCeiling(name))
    const results: StoreRates[] = []
    for (const work of WORKS) results.push(await compare(places, work))
    return results
  } finally {
    await Promise.all([...places.values()].map((place) => place.close()))
  }
}

async function compare(places: ReadonlyMap<string, Place>, work: string): Promise<StoreRates> {
  const rounds: ReadonlyMap<string, number>[] = []
  for (let round = -WARM_ROUNDS; round < ROUNDS; round++) {
    const rates = new Map<string, number>()
    for (const [name, place] of places) {
      const rate = await place.rate(work)
      if (rate !== undefined) rates.set(name, rate)
    }
    if (round >= 0) rounds.push(rates)
  }
  const rate = (name: string) => middle(rounds.map((round) => round.get(name) ?? 0))
  const share = (name: string, of: string) =>
    middle(rounds.map((round) => (round.get(name) ?? 0) / (round.get(of) ?? Number.NaN)))
  const has = (name: string) => rounds[0]?.has(name) === true
  return {
    work,
    ours: new Map(
      OURS.filter(has).map((name) => [name, { perSecond: rate(name), share: share(name, 'memory') }] as const),
    ),
    ofCeiling: new Map(
      DATABASES.filter((name) => has(`${name} ceiling`)).map(
        (name) => [name, { perSecond: rate(`${name} ceiling`), share: share(name, `${name} ceiling`) }] as const,
      ),
    ),
    sdk: new Map(
      PEERS.filter(has).map(
        (name) => [name, { perSecond: rate(name), times: share(name.split(' ')[1] ?? '', name) }] as const,
      ),
    ),
  }
}

export interface Latency {
  store: StoreName
  p50: number
  p99: number
}

/** Milliseconds from the agent to the client for the events of one stream, while nobody else asks for anything. */
export async function measureLatency(load: Load): Promise<Latency[]> {
  const found: Latency[] = []
  for (const name of OURS) {
    const store = await openStoreFor(name)
    if (store === undefined) continue
    const server = await BenchServer.start('parley', store.spec, ...(name === 'sqlite full' ? ['full'] : []))
    const work = pacedStream(PACED_CHUNKS)
    await load.listen(server, work)
    const ms: number[] = []
    for (let n = 0; n < PACED_STREAMS; n++) ms.push(...(await load.listen(server, work)))
    await server.stop()
    await store.remove()
    const sorted = ms.toSorted((a, b) => a - b)
    const at = (part: number) => sorted[Math.floor(part * (sorted.length - 1))] ?? 0
    found.push({ store: name, p50: at(0.5), p99: at(0.99) })
  }
  return found
}
