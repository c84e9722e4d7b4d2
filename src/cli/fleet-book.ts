// The books of the fleet that the flags name, and which of its agents they choose.

import { standingOf } from '../fleet/fleet-summary.ts'
import { openFleet } from '../fleet/open-fleet.ts'
import { type FleetAgent, type FleetInfo, ResultBook } from '../fleet/result-book.ts'
import { usage } from './flag-values.ts'
import type { FleetFlags } from './fleet-flags.ts'

export async function withBook<T>(
  flags: FleetFlags,
  use: (book: ResultBook, fleet: FleetInfo) => Promise<T>,
): Promise<T> {
  const store = await openFleet(flags.store, { mustExist: true })
  try {
    const book = new ResultBook(store.db)
    return await use(book, await book.fleet(flags.name))
  } finally {
    await store.close()
  }
}

function filterOf(flags: FleetFlags): (agent: FleetAgent) => boolean {
  const labels = (flags.label ?? []).map((text) => {
    const at = text.indexOf('=')
    if (at < 1) throw usage(`--label takes name=value, not ${JSON.stringify(text)}.`)
    return [text.slice(0, at), text.slice(at + 1)] as const
  })
  return (agent) =>
    labels.every(([name, value]) => agent.labels[name] === value) &&
    (flags.level === undefined || standingOf(agent) === flags.level || agent.result?.level === flags.level) &&
    (flags.host === undefined || new URL(agent.url).host === flags.host || agent.origin === flags.host)
}

export async function* filtered(agents: AsyncIterable<FleetAgent>, flags: FleetFlags): AsyncGenerator<FleetAgent> {
  const isWanted = filterOf(flags)
  for await (const agent of agents) if (isWanted(agent)) yield agent
}
