// What the page of a fleet shows, read from its books.

import type { FleetMoment, FleetRow, FleetView } from '../run/fleet-view.ts'
import { standingOf, summaryOf } from './fleet-summary.ts'
import { funnelLines } from './outcome.ts'
import type { FleetAgent, FleetInfo, ResultBook, StoredResult } from './result-book.ts'

/** As far back as its page looks. */
const HISTORY_MS = 90 * 86_400_000

type Choose = (agents: AsyncIterable<FleetAgent>) => AsyncIterable<FleetAgent>

export async function fleetView(book: ResultBook, fleet: FleetInfo, choose: Choose = (all) => all): Promise<FleetView> {
  const { name, run } = fleet
  const now = await book.now()
  const { funnel } = await summaryOf(choose(book.agents(name)))
  const histories = new Map<string, FleetMoment[]>()
  for await (const { id, results } of book.histories(name, now - HISTORY_MS)) histories.set(id, results.map(momentOf))
  const rows: FleetRow[] = []
  for await (const agent of choose(book.agents(name))) rows.push(rowOf(agent, histories.get(agent.id) ?? []))
  return { name, run, madeAt: new Date(now).toISOString(), funnel: funnelLines(funnel), rows }
}

function rowOf(agent: FleetAgent, history: FleetMoment[]): FleetRow {
  const { id, url, origin, labels, profile, result, state, dueAt, silent } = agent
  return {
    ...{ id, url, host: origin, labels, profile, history, name: result?.name ?? '' },
    standing: standingOf(agent),
    stage: result?.stage ?? 0,
    message: result?.message ?? '',
    durationMs: result?.durationMs ?? 0,
    dueAt: state === 'waiting' || silent > 0 ? dueAt : 0,
  }
}

function momentOf({ at, outcome, level, stage, kept, measured, attempts, turns }: StoredResult): FleetMoment {
  return { at, standing: outcome === 'judged' ? level : outcome, stage, kept, measured, attempts, turns }
}
