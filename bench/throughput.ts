// Answers per second of CPU time of the three servers on the same work, in short rounds that take turns, so that whatever
// else the machine does meets all of them. The best round of each counts: it is the least disturbed one.

import { BenchServer, cannedAnswer, type Load, type ServerName, taskIdIn } from './bench-servers.ts'
import { CHUNKS, getTask, listTasks, sendMessage, sendTask, streamChunks, type Work } from './work.ts'

const ROUNDS = 4
const STORED_TASKS = 10_000

export type Rates = Record<ServerName, number>

export interface Throughput {
  work: string
  /** Per second of the thread that answers. */
  rates: Rates
  /** Per second of all threads. */
  allThreads: Rates
  /** What we are to reach, against the SDK and against the ceiling. */
  target: { sdk: number; ceiling?: number }
}

interface Comparison {
  target: Throughput['target']
  /** Requests in a round: about half a second of work for us and the ceiling, and for the SDK. */
  requests: { fast: number; sdk: number }
  /** Tasks each server holds before it is measured. */
  stored?: number
  work(load: Load, server: BenchServer): Work | Promise<Work>
}

const COMPARISONS: readonly Comparison[] = [
  { target: { sdk: 4, ceiling: 0.6 }, requests: { fast: 12_000, sdk: 3_000 }, work: sendMessage },
  { target: { sdk: 4, ceiling: 0.5 }, requests: { fast: 10_000, sdk: 1_500 }, work: sendTask },
  {
    target: { sdk: 4, ceiling: 0.6 },
    requests: { fast: 12_000, sdk: 4_000 },
    work: async (load, server) => getTask(taskIdIn((await load.ask(server, sendTask())).body)),
  },
  { target: { sdk: 25 }, requests: { fast: 5_000, sdk: 200 }, stored: STORED_TASKS, work: listTasks },
  { target: { sdk: 8, ceiling: 0.6 }, requests: { fast: 3_000, sdk: 400 }, work: () => streamChunks(CHUNKS[0]) },
  { target: { sdk: 40, ceiling: 0.6 }, requests: { fast: 600, sdk: 8 }, work: () => streamChunks(CHUNKS[1]) },
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
    const rates: Rates = { parley: 0, sdk: 0, ceiling: 0 }
    const allThreads: Rates = { ...rates }
    // The first round only warms up.
    for (let round = 0; round <= ROUNDS; round++) {
      const measured = {
        parley: await load.ratesPerCpu(parley, ours, requests.fast),
        sdk: await load.ratesPerCpu(sdk, theirs, requests.sdk),
        ceiling: await load.ratesPerCpu(ceiling, ours, requests.fast),
      }
      if (round === 0) continue
      for (const name of ['parley', 'sdk', 'ceiling'] as const) {
        rates[name] = Math.max(rates[name], measured[name].thread)
        allThreads[name] = Math.max(allThreads[name], measured[name].all)
      }
    }
    return { work: stored > 0 ? `${ours.name} (50 of ${stored})` : ours.name, rates, allThreads, target }
  } finally {
    await Promise.all([parley, sdk, ceiling].map((server) => server.stop()))
  }
}
