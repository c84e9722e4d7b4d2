// How long `parley test` takes with an agent that needs two seconds for every turn: as --quick, whole over one
// interface, and what it forecasts when the agent takes its turns one at a time. By the clock.

import { SPEC_CARD } from '../src/agents/cards.ts'
import { specAgent } from '../src/agents/spec.ts'
import { type CertifyOptions, certify, type RunListener } from '../src/judge/index.ts'
import type { Agent } from '../src/server/engine/agent.ts'
import { createServer } from '../src/server/server.ts'

const TURN_MS = 2_000

export interface Patience {
  quick: { seconds: number; turns: number }
  whole: { seconds: number; turns: number }
  /** Of the agent that takes one turn at a time. */
  forecast: { turns: number; secondsPerTurn: number; isSerial: boolean; seconds: number } | undefined
}

export async function measurePatience(): Promise<Patience> {
  const concurrent = await serve(think)
  const serial = await serve(oneAtATime(think))
  try {
    return {
      quick: await timed(concurrent.url, { isQuick: true }),
      whole: await timed(concurrent.url, { transports: ['jsonrpc'] }),
      forecast: await forecast(serial.url),
    }
  } finally {
    await Promise.all([concurrent.close(), serial.close()])
  }
}

async function think(...[message, ctx]: Parameters<Agent>): Promise<void> {
  await ctx.sleep(TURN_MS)
  await specAgent(message, ctx)
}

function oneAtATime(agent: typeof think): typeof think {
  let last: Promise<void> = Promise.resolve()
  return (message, ctx) => {
    const turn = last.then(() => agent(message, ctx))
    last = turn.catch(() => {})
    return turn
  }
}

async function serve(agent: Agent): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer({ card: { ...SPEC_CARD, capabilities: { streaming: true } }, agent })
  const { url } = await server.listen({ port: 0 })
  return { url, close: () => server.close() }
}

async function timed(url: string, options: CertifyOptions): Promise<Patience['quick']> {
  const report = await certify(url, options)
  return { seconds: report.provenance.durationMs / 1000, turns: report.provenance.turns.used }
}

/** The run ends when it has said how long it would take. */
async function forecast(url: string): Promise<Patience['forecast']> {
  const stop = new AbortController()
  let told: Patience['forecast']
  const onPace: RunListener['onPace'] = ({ turns, perTurnMs, isSerial, totalMs }) => {
    told = { turns, secondsPerTurn: perTurnMs / 1000, isSerial, seconds: totalMs / 1000 }
    stop.abort()
  }
  await certify(url, { transports: ['jsonrpc'], signal: stop.signal, listener: { onPace } })
  return told
}
