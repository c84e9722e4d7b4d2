// A fleet in numbers: the funnel, the levels, who is dead, slow or waited for, and what changed between two times.

import { type Funnel, STAGES } from './outcome.ts'
import type { FleetAgent } from './result-book.ts'

export interface FleetSummary {
  readonly listed: number
  readonly funnel: Funnel
  readonly levels: Readonly<Record<string, number>>
  readonly outcomes: Readonly<Record<string, number>>
  readonly unasked: number
  readonly optedOut: number
  /** Agents that took more than one attempt. */
  readonly repeated: number
  readonly turns: number
  readonly dead: readonly FleetAgent[]
  readonly slow: readonly { origin: string; agents: number; meanMs: number }[]
}

const SHOWN = 10

export async function summaryOf(agents: AsyncIterable<FleetAgent>): Promise<FleetSummary> {
  const stages = STAGES.map(() => 0)
  const levels: Record<string, number> = {}
  const outcomes: Record<string, number> = {}
  const hosts = new Map<string, { agents: number; ms: number }>()
  const dead: FleetAgent[] = []
  let [listed, full, unasked, optedOut, repeated, turns] = [0, 0, 0, 0, 0, 0]
  for await (const agent of agents) {
    listed++
    const { result, profile, origin } = agent
    stages[0] = listed
    if (agent.state === 'opted-out') optedOut++
    if (result === undefined) {
      if (agent.state !== 'opted-out') unasked++
      continue
    }
    if (profile === 'full') full++
    for (let at = 1; at <= result.stage; at++) stages[at] = (stages[at] ?? 0) + 1
    levels[result.level] = (levels[result.level] ?? 0) + 1
    outcomes[result.outcome] = (outcomes[result.outcome] ?? 0) + 1
    if (result.attempts > 1) repeated++
    turns += result.turns
    if (result.outcome === 'dead') insert(dead, agent)
    const host = hosts.get(origin) ?? { agents: 0, ms: 0 }
    hosts.set(origin, { agents: host.agents + 1, ms: host.ms + result.durationMs })
  }
  const slow = [...hosts].map(([origin, { agents: count, ms }]) => ({
    origin,
    agents: count,
    meanMs: Math.round(ms / count),
  }))
  return {
    ...{ listed, funnel: { stages, full }, levels, outcomes, unasked, optedOut, repeated, turns, dead },
    slow: slow.sort((a, b) => b.meanMs - a.meanMs).slice(0, SHOWN),
  }
}

/** Those that have been silent longest. */
function insert(dead: FleetAgent[], agent: FleetAgent): void {
  dead.push(agent)
  dead.sort((a, b) => b.silent - a.silent)
  dead.length = Math.min(dead.length, SHOWN)
}

/** What can be said of an agent in one word. */
export function standingOf({ result, state }: FleetAgent): string {
  if (state === 'opted-out') return 'opted out'
  if (result === undefined) return 'not asked yet'
  return result.outcome === 'judged' ? result.level : result.outcome
}

export interface Change {
  readonly url: string
  readonly before: string
  readonly after: string
  /** Whether it came further than before. */
  readonly isBetter: boolean
}

/** Both in the order of their ids. */
export async function* changesBetween(
  before: AsyncIterable<FleetAgent>,
  after: AsyncIterable<FleetAgent>,
): AsyncGenerator<Change> {
  const old = before[Symbol.asyncIterator]()
  let known = await old.next()
  for await (const agent of after) {
    while (known.done !== true && known.value.id < agent.id) known = await old.next()
    const was = known.done !== true && known.value.id === agent.id ? known.value : undefined
    const [from, to] = [was === undefined ? 'not listed' : standingOf(was), standingOf(agent)]
    if (from !== to)
      yield {
        url: agent.url,
        before: from,
        after: to,
        isBetter: (agent.result?.stage ?? 0) > (was?.result?.stage ?? 0),
      }
  }
}
