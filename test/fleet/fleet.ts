// A fleet in a test: a list of agents in a store, and workers that judge them until nobody waits.

import type { AgentEntry } from '../../src/fleet/agent-entry.ts'
import { entryOf } from '../../src/fleet/agent-entry.ts'
import { type Listing, listAgents } from '../../src/fleet/list-agents.ts'
import type { FleetStore } from '../../src/fleet/open-fleet.ts'
import { type FleetAgent, ResultBook } from '../../src/fleet/result-book.ts'
import { DEFAULT_SETTINGS, type FleetSettings } from '../../src/fleet/settings.ts'
import { Worker, type WorkerOptions } from '../../src/fleet/worker.ts'

export interface FleetOptions {
  readonly name?: string
  readonly settings?: Partial<FleetSettings>
  readonly asksAll?: boolean
}

const SETTINGS: FleetSettings = { ...DEFAULT_SETTINGS, allowsPrivate: true, hostRate: 500, timeoutMs: 5_000 }

export async function listed(
  store: FleetStore,
  agents: readonly unknown[],
  options: FleetOptions = {},
): Promise<Listing> {
  const { name = 'fleet', settings, asksAll = false } = options
  async function* entries() {
    for (const [at, agent] of agents.entries())
      yield { line: at + 1, entry: entryOf(agent as string, { mayNameCredentials: true }) as AgentEntry }
  }
  return listAgents(
    store,
    { source: 'test', isForeign: false, head: {}, name, entries: entries() },
    {
      ...{ name, mayReplace: false, asksAll, signal: new AbortController().signal, onProblem: () => {} },
      settings: { ...SETTINGS, ...settings },
    },
  )
}

/** One worker to each store, until the run is done. */
export async function worked(
  stores: readonly FleetStore[],
  { fleet, run }: Listing,
  options: Partial<WorkerOptions> = {},
) {
  await Promise.all(
    stores.map((store, at) =>
      new Worker(store, {
        name: `worker-${at}`,
        slots: 8,
        signal: new AbortController().signal,
        isDone: async () => (await new ResultBook(store.db).progress(fleet, run)).waiting === 0,
        ...options,
      }).run(),
    ),
  )
}

export async function agentsOf(store: FleetStore, fleet = 'fleet'): Promise<Map<string, FleetAgent>> {
  const agents = new Map<string, FleetAgent>()
  for await (const agent of new ResultBook(store.db).agents(fleet)) agents.set(agent.url, agent)
  return agents
}
