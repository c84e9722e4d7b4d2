// Puts a list into a store, entry by entry, and its hosts in line. What cannot be read is told and left out; the rest goes
// on.

import { setImmediate } from 'node:timers/promises'
import type { AgentEntry } from './agent-entry.ts'
import { addAgents, type BegunRun, beginRun, endListing } from './listing.ts'
import type { FleetStore } from './open-fleet.ts'
import type { AgentList } from './read-list.ts'
import type { FleetSettings } from './settings.ts'
import { WorkBook } from './work-book.ts'

export interface ListingOptions {
  readonly name: string
  readonly settings: FleetSettings
  readonly mayReplace: boolean
  /** Asks agents, too, that did not answer lately. */
  readonly asksAll: boolean
  readonly onProblem: (line: number, problem: string) => void
  readonly signal: AbortSignal
}

export interface Listing extends BegunRun {
  readonly listed: number
  readonly duplicates: number
  readonly unreadable: number
}

const PIECE = 500

export async function listAgents(store: FleetStore, list: AgentList, options: ListingOptions): Promise<Listing> {
  const { name, settings, mayReplace, asksAll, signal } = options
  const begun = await beginRun(store.db, { name, source: list.source, settings, mayReplace })
  let piece: AgentEntry[] = []
  let [listed, seen, unreadable] = [0, 0, 0]
  const write = async () => {
    listed += await addAgents(store.db, begun, settings, { entries: piece, asksAll })
    piece = []
    // A long list leaves room for signals and for leases that must be prolonged.
    await setImmediate()
  }
  for await (const one of list.entries) {
    if (signal.aborted) break
    if ('problem' in one) {
      unreadable++
      options.onProblem(one.line, one.problem)
      continue
    }
    seen++
    piece.push(one.entry)
    if (piece.length >= PIECE) await write()
  }
  await write()
  // A list that was not read to its end says nothing about who is missing from it.
  if (!signal.aborted) await endListing(store.db, begun)
  const { queue } = store
  for await (const hosts of new WorkBook(store.db, '').waitingHosts()) {
    await queue.offer(hosts)
    // They may be in line for their schedule.
    if (begun.list > 1) await queue.hurry(hosts.filter(({ afterMs }) => afterMs === 0).map(({ host }) => host))
  }
  return { ...begun, listed, duplicates: seen - listed, unreadable }
}
