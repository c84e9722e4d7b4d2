// gRPC: our server, the official JavaScript SDK's on @grpc/grpc-js, and bare node:http2 that answers our bytes, in rounds that
// take turns, as throughput.ts does for JSON-RPC; and what a subscriber costs.

import { BenchServer, CONNECTIONS, type ServerName } from './bench-servers.ts'
import { Child } from './child.ts'
import type { GrpcQuestion, GrpcWork } from './grpc-load.ts'
import { middle } from './middle.ts'
import { streamedEvents } from './work.ts'

const ROUNDS = 7
const WARM_ROUNDS = 3
const IDLE = 2_000
const SERVERS = ['parley', 'sdk', 'ceiling'] as const

export interface GrpcThroughput {
  work: string
  /** Per second of the thread that answers. */
  rates: Record<ServerName, number>
  ofSdk: number
  ofCeiling: number
}

function start(name: ServerName): Promise<BenchServer> {
  if (name === 'parley') return BenchServer.start('parley', 'memory', 'normal', 'grpc')
  return name === 'sdk' ? BenchServer.start('sdk', 'memory', 'grpc') : BenchServer.start('grpc-ceiling')
}

function said(text: string) {
  return { message: { messageId: '6f1d2c7e-0000-4000-8000-000000000001', role: 'ROLE_USER', parts: [{ text }] } }
}

function sending(name: string, text: string, marker: string): GrpcWork {
  return { name, rpc: 'SendMessage', request: said(text), marker, messages: 1 }
}

function streaming(chunks: number): GrpcWork {
  const messages = streamedEvents(chunks)
  const asked = { rpc: 'SendStreamingMessage', request: said(`stream ${chunks}`), marker: 'TASK_STATE_COMPLETED' }
  return { name: `stream ${chunks} chunks`, ...asked, messages }
}

const COMPARISONS: readonly { work: GrpcWork; requests: { fast: number; sdk: number } }[] = [
  { work: sending('send -> Message', 'hello', 'Echo: hello'), requests: { fast: 3_000, sdk: 1_000 } },
  { work: sending('send -> Task', 'task hello', 'TASK_STATE_COMPLETED'), requests: { fast: 3_000, sdk: 750 } },
  { work: streaming(20), requests: { fast: 1_000, sdk: 200 } },
  { work: streaming(200), requests: { fast: 200, sdk: 10 } },
]

export async function compareGrpc(): Promise<GrpcThroughput[]> {
  const load = await Child.start('./grpc-load.ts')
  const results: GrpcThroughput[] = []
  for (const { work, requests } of COMPARISONS) results.push(await compare(load, work, requests))
  await load.stop()
  return results
}

async function compare(load: Child, work: GrpcWork, requests: { fast: number; sdk: number }): Promise<GrpcThroughput> {
  const servers = await Promise.all(SERVERS.map(start))
  const [parley, , ceiling] = servers
  if (parley === undefined || ceiling === undefined) throw new Error('three servers')
  try {
    const { port } = parley
    const { parts } = await load.ask<{ parts: string[] }>({ do: 'ask', port, work } satisfies GrpcQuestion)
    await ceiling.repeat({ headers: [], parts, isStream: parts.length > 1, isTurnwise: false })
    const rounds: Record<ServerName, number>[] = []
    for (let round = -WARM_ROUNDS; round < ROUNDS; round++) {
      const measured: Partial<Record<ServerName, number>> = {}
      for (const [at, name] of SERVERS.entries()) {
        const server = servers[at]
        const count = name === 'sdk' ? requests.sdk : requests.fast
        if (server !== undefined) measured[name] = await rate(load, server, work, count)
      }
      if (round >= 0) rounds.push(measured as Record<ServerName, number>)
    }
    const rateOf = (name: ServerName) => middle(rounds.map((round) => round[name]))
    return {
      work: work.name,
      rates: { parley: rateOf('parley'), sdk: rateOf('sdk'), ceiling: rateOf('ceiling') },
      ofSdk: middle(rounds.map((round) => round.parley / round.sdk)),
      ofCeiling: middle(rounds.map((round) => round.parley / round.ceiling)),
    }
  } finally {
    await Promise.all(servers.map((server) => server.stop()))
  }
}

async function rate(load: Child, server: BenchServer, work: GrpcWork, requests: number): Promise<number> {
  const before = await server.cpuSeconds()
  const { port } = server
  const question: GrpcQuestion = { do: 'load', port, work, connections: Math.min(CONNECTIONS, requests), requests }
  await load.ask(question)
  const after = await server.cpuSeconds()
  return requests / (after.thread - before.thread)
}

/** Resident bytes per subscriber of a task that waits. */
export async function measureGrpcSubscribers(perConnection: number): Promise<number> {
  const load = await Child.start('./grpc-load.ts')
  const server = await start('parley')
  const { port } = server
  try {
    await load.ask({ do: 'load', port, work: sending('warm', 'hello', 'Echo'), connections: 32, requests: 5_000 })
    const request = { ...said('hold-burst 20'), configuration: { returnImmediately: true } }
    const held: GrpcWork = { name: 'held', rpc: 'SendMessage', request, marker: '"id"', messages: 1 }
    const { parts } = await load.ask<{ parts: string[] }>({ do: 'ask', port, work: held } satisfies GrpcQuestion)
    const id = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(Buffer.from(parts[0] ?? '', 'base64').toString('latin1'))?.[0] ?? ''
    const work: GrpcWork = { name: 'subscribe', rpc: 'SubscribeToTask', request: { id }, marker: '', messages: 1 }
    const before = await server.memory()
    await load.ask({ do: 'hold', port, work, subscribers: IDLE, perConnection } satisfies GrpcQuestion)
    const during = await server.memory()
    await load.ask({ do: 'drop' } satisfies GrpcQuestion)
    // Without the reserves of the collector: what the calls before took is given back meanwhile.
    return (during.lean - before.lean) / IDLE
  } finally {
    await Promise.all([load.stop(), server.stop()])
  }
}
