// Answers per second of CPU time of the three servers on the same work, in short rounds that take turns, so that whatever
// else the machine does meets all of them. Compared are the rates of the same round; the middle round counts.

import { BenchServer, cannedAnswer, type Load, type ServerName, taskIdIn } from './bench-servers.ts'
import { middle } from './middle.ts'
import type { ByThreads } from './servers/bench-server.ts'
import { CHUNKS, getTask, listTasks, sendMessage, sendTask, streamChunks, type Work } from './work.ts'

const ROUNDS = 7
/** Before the first: all have to be compiled before they are compared. */
const WARM_ROUNDS = 3
const STORED_TASKS = 10_000

export interface Throughput {
  work: string
  /** Per second of the thread that answers. */
  rates: Record<ServerName, number>
  /** Ours over theirs, SDK's over the ceiling. */
  shares: Shares
  /** The same, counting all threads. */
  allThreads: Shares
  /** What we are to reach, against the SDK and against the ceiling. */
  target: { sdk: number; ceiling?: number }
}

export interface Shares {
  sdk: number
  ceiling: number
  sdkOfCeiling: number
}

interface Comparison {
  target: Throughput['target']
  /** Requests in a round: about a quarter of a second of work for us and the ceiling, and for the SDK. */
  requests: { fast: number; sdk: number }
  /** Tasks each server holds before it is measured. */
  stored?: number
  work(load: Load, server: BenchServer): Work | Promise<Work>
}

const COMPARISONS: readonly Comparison[] = [
  { target: { sdk: 4, ceiling: 0.6 }, requests: { fast: 6_000, sdk: 1_500 }, work: sendMessage },
  { target: { sdk: 4, ceiling: 0.5 }, requests: { fast: 5_000, sdk: 750 }, work: sendTask },
  {
    target: { sdk: 4, ceiling: 0.6 },
    requests: { fast: 6_000, sdk: 2_000 },
    work: async (load, server) => getTask(taskIdIn((await load.ask(server, sendTask())).body)),
  },
  { target: { sdk: 25 }, requests: { fast: 2_500, sdk: 100 }, stored: STORED_TASKS, work: listTasks },
  { target: { sdk: 8, ceiling: 0.6 }, requests: { fast: 1_500, sdk: 200 }, work: () => streamChunks(CHUNKS[0]) },
  { target: { sdk: 40, ceiling: 0.6 }, requests: { fast: 300, sdk: 6 }, work: () => streamChunks(CHUNKS[1]) },
]

export async function compareThroughput(load: Load): Promise<Throughput[]> {
  const results: Throughput[] = []
  for (const comparison of COMPARISONS) results.push(await compare(load, comparison))
  return results
}

async function compare(load: Load, { target, requests, stored = 0, work }: Comparison): Promise<Throughput> {
  const parley = await BenchServer.start('parley')
  const sdk = await BenchServer.start('sdk')
  const ceiling = await BenchServer.start('ceiling')
  try {
    if (stored > 0) for (const server of [parley, sdk]) await load.run(server, sendTask(), { requests: stored })
    const ours = await work(load, parley)
    const theirs = await work(load, sdk)
    await ceiling.repeat(await cannedAnswer(load, parley, ours))
    const rounds: Record<ServerName, ByThreads>[] = []
    for (let round = -WARM_ROUNDS; round < ROUNDS; round++) {
      const measured = {
        sdk: await load.ratesPerCpu(sdk, theirs, requests.sdk),
        parley: await load.ratesPerCpu(parley, ours, requests.fast),
        ceiling: await load.ratesPerCpu(ceiling, ours, requests.fast),
      }
      if (round >= 0) rounds.push(measured)
    }
    const rate = (name: ServerName) => middle(rounds.map((round) => round[name].thread))
    return {
      work: stored > 0 ? `${ours.name} (50 of ${stored})` : ours.name,
      rates: { parley: rate('parley'), sdk: rate('sdk'), ceiling: rate('ceiling') },
      shares: sharesOf(rounds, 'thread'),
      allThreads: sharesOf(rounds, 'all'),
      target,
    }
  } finally {
    await Promise.all([parley, sdk, ceiling].map((server) => server.stop()))
  }
}

function sharesOf(rounds: readonly Record<ServerName, ByThreads>[], threads: keyof ByThreads): Shares {
  const share = (name: ServerName, of: ServerName) =>
    middle(rounds.map((round) => round[name][threads] / round[of][threads]))
  return { sdk: share('parley', 'sdk'), ceiling: share('parley', 'ceiling'), sdkOfCeiling: share('sdk', 'ceiling') }
}
