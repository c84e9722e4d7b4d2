// The same agent on the SDKs of other languages, from interop/: submitted, working, an artifact in two chunks, completed.
// Answers per second of CPU time of the whole process, with one thread for work where the language lets us choose, in rounds
// that take turns. What cannot be built on this machine is left out, with the reason.

import { readFileSync } from 'node:fs'
import { type RunningAgent, startAgent } from '../interop/runner/agent-process.ts'
import { build, whatIsMissing } from '../interop/runner/build.ts'
import { readCorpus } from '../interop/runner/corpus.ts'
import { BenchServer, type Load, type Target } from './bench-servers.ts'
import { middle } from './middle.ts'
import { against, printTable, rounded } from './report.ts'
import { twoChunks, type Work } from './work.ts'

const FOLDERS = ['go-sdk-2', 'rust-sdk-1', 'python-sdk-1', 'js-sdk-1']
const ROUNDS = 7
const WARM_ROUNDS = 2
/** About half a second of work each. */
const REQUESTS: Readonly<Record<string, number>> = { 'rust-sdk-1': 8_000, 'go-sdk-2': 1_000 }
const OURS = 8_000
const SLOW = 300
/** Ticks of the kernel's clock for CPU time. */
const TICKS_PER_SECOND = 100
const ONE_THREAD = { GOMAXPROCS: '1', TOKIO_WORKER_THREADS: '1', UV_THREADPOOL_SIZE: '1' }

interface Peer {
  name: string
  target: Target
  requests: number
  cpuSeconds(): Promise<number>
  stop(): Promise<void>
}

export async function printPeers(load: Load): Promise<void> {
  const peers = [await ours(), ...(await foreign())]
  try {
    const rows = []
    for (const work of [twoChunks(false), twoChunks(true)]) rows.push(await compare(load, peers, work))
    printTable(
      'Beside other languages, on memory (answers per second of CPU time of the whole process; ours over theirs)',
      peers.map(({ name }) => name),
      rows,
    )
  } finally {
    await Promise.all(peers.map((peer) => peer.stop()))
  }
}

async function compare(load: Load, peers: readonly Peer[], work: Work) {
  const rounds: number[][] = []
  for (let round = -WARM_ROUNDS; round < ROUNDS; round++) {
    const rates: number[] = []
    for (const peer of peers) {
      const before = await peer.cpuSeconds()
      await load.run(peer.target, work, { requests: peer.requests })
      rates.push(peer.requests / ((await peer.cpuSeconds()) - before))
    }
    if (round >= 0) rounds.push(rates)
  }
  const cells = peers.map((_, at) => {
    const rate = rounded(middle(rounds.map((rates) => rates[at] ?? 0)))
    if (at === 0) return rate
    const times = middle(rounds.map((rates) => (rates[0] ?? 0) / (rates[at] ?? 0)))
    return `${rate}, ${against({ value: times, atLeast: 1 })}`
  })
  return { what: work.name, cells }
}

async function ours(): Promise<Peer> {
  const server = await BenchServer.start('parley')
  return {
    name: 'ours',
    target: server,
    requests: OURS,
    cpuSeconds: async () => (await server.cpuSeconds()).all,
    stop: () => server.stop(),
  }
}

async function foreign(): Promise<Peer[]> {
  const peers: Peer[] = []
  const corpus = await readCorpus()
  for (const name of FOLDERS) {
    const folder = corpus.find((each) => each.name === name)
    const agent = folder?.manifest.agents?.find((each) => each.name === 'tasks')
    if (folder === undefined || agent === undefined) continue
    const missing = await whatIsMissing(folder.manifest)
    if (missing !== undefined) {
      console.log(`${folder.manifest.sdk} is left out: ${missing}.`)
      continue
    }
    await build(folder)
    const running = await startAgent(folder, agent, ONE_THREAD)
    const { language, sdk } = folder.manifest
    peers.push(peerOf(`${language} (${sdk})`, running, REQUESTS[name] ?? SLOW))
  }
  return peers
}

function peerOf(name: string, running: RunningAgent, requests: number): Peer {
  return {
    name,
    target: { port: Number(new URL(running.url).port), path: '/jsonrpc' },
    requests,
    cpuSeconds: async () => cpuSecondsOf(running.pid ?? 0),
    stop: () => running.stop(),
  }
}

/** Of all its threads, in user and kernel mode. */
function cpuSecondsOf(pid: number): number {
  // The name of the program may hold spaces; the fields are counted behind it.
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')
  const [user = '0', system = '0'] = fields.split(' ').slice(11, 13)
  return (Number(user) + Number(system)) / TICKS_PER_SECOND
}
