// This version beside an earlier one, whose checkout the environment variable BEFORE names: every server of the benchmark
// on memory, in rounds that take turns. By CPU time of the thread that answers, and by the clock.

import { join } from 'node:path'
import { BenchServer, type Load, taskIdIn } from './bench-servers.ts'
import { middle } from './middle.ts'
import { against, printTable, rounded } from './report.ts'
import { CHUNKS, getTask, listTasks, sendMessage, sendTask, streamChunks, type Work } from './work.ts'

const ROUNDS = 9
const WARM_ROUNDS = 3
const STORED_TASKS = 2_000

type Kind = 'parley' | 'mock' | 'proxy'

interface Pair {
  now: BenchServer
  before: BenchServer
}

const ROWS: readonly { kind: Kind; requests: number; work: (id: string) => Work }[] = [
  { kind: 'parley', requests: 4_000, work: sendMessage },
  { kind: 'parley', requests: 3_000, work: sendTask },
  { kind: 'parley', requests: 4_000, work: getTask },
  { kind: 'parley', requests: 1_500, work: listTasks },
  { kind: 'parley', requests: 1_000, work: () => streamChunks(CHUNKS[0]) },
  { kind: 'parley', requests: 200, work: () => streamChunks(CHUNKS[1]) },
  { kind: 'mock', requests: 3_000, work: sendTask },
  { kind: 'mock', requests: 1_000, work: () => streamChunks(CHUNKS[0]) },
  { kind: 'proxy', requests: 1_500, work: sendMessage },
  { kind: 'proxy', requests: 1_500, work: sendTask },
  { kind: 'proxy', requests: 400, work: () => streamChunks(CHUNKS[0]) },
]

export async function printBefore(load: Load): Promise<void> {
  const folder = process.env.BEFORE
  if (folder === undefined) {
    console.log(
      '\nSet BEFORE to a checkout of the earlier version, installed with npm ci, to compare it with this one.',
    )
    return
  }
  const agent = await BenchServer.start('parley')
  const start = async (kind: Kind): Promise<Pair> => ({
    now: await BenchServer.start(kind, ...(kind === 'proxy' ? [String(agent.port)] : [])),
    before: await BenchServer.startFile(
      join(folder, 'bench/servers', `${kind}.ts`),
      ...(kind === 'proxy' ? [String(agent.port)] : []),
    ),
  })
  const pairs = { parley: await start('parley'), mock: await start('mock'), proxy: await start('proxy') }
  try {
    const rows = []
    for (const { kind, requests, work } of ROWS) rows.push(await compare(load, pairs[kind], kind, requests, work))
    printTable(
      `This version beside the one in BEFORE (answers per second of CPU time; medians of ${ROUNDS} rounds in turns)`,
      ['before', 'now', 'now / before', 'by the clock, now / before'],
      rows,
    )
  } finally {
    const servers = [agent, ...Object.values(pairs).flatMap(({ now, before }) => [now, before])]
    await Promise.all(servers.map((server) => server.stop()))
  }
}

async function compare(load: Load, { now, before }: Pair, kind: Kind, requests: number, work: (id: string) => Work) {
  const given = new Map<BenchServer, Work>()
  for (const server of [now, before]) {
    const id = work === getTask ? taskIdIn((await load.ask(server, sendTask())).body) : ''
    if (work === listTasks) await load.run(server, sendTask(), { requests: STORED_TASKS })
    given.set(server, work(id))
  }
  const measure = async (server: BenchServer) => {
    const asked = given.get(server) ?? work('')
    const begun = await server.cpuSeconds()
    const { perSecond } = await load.run(server, asked, { requests })
    return { cpu: requests / ((await server.cpuSeconds()).thread - begun.thread), wall: perSecond }
  }
  const rounds: { now: { cpu: number; wall: number }; before: { cpu: number; wall: number } }[] = []
  for (let round = -WARM_ROUNDS; round < ROUNDS; round++) {
    // Whoever comes second in a round finds the load generator warm; so they take turns at that, too.
    const isFirst = round % 2 === 0
    const one = await measure(isFirst ? now : before)
    const other = await measure(isFirst ? before : now)
    if (round >= 0) rounds.push(isFirst ? { now: one, before: other } : { now: other, before: one })
  }
  const share = middle(rounds.map((round) => round.now.cpu / round.before.cpu))
  const wall = middle(rounds.map((round) => round.now.wall / round.before.wall))
  const name = given.get(now)?.name ?? ''
  return {
    what: kind === 'parley' ? name : `${name}, ${kind}`,
    cells: [
      rounded(middle(rounds.map((round) => round.before.cpu))),
      rounded(middle(rounds.map((round) => round.now.cpu))),
      against({ value: share, atLeast: 0.95 }),
      against({ value: wall, atLeast: 0.85 }),
    ],
  }
}
