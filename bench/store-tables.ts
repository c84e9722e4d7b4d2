// Prints what durability costs, beside what was aimed at.

import type { Load } from './bench-servers.ts'
import { compareReplicas } from './replicas.ts'
import { against, fixed, printTable, rounded } from './report.ts'
import { compareStores, DATABASES, type Database, measureLatency, type StoreName, type StoreRates } from './stores.ts'

const STORES: readonly StoreName[] = ['memory', 'sqlite', 'sqlite full', 'postgres', 'redis']
const AIMS: Readonly<Record<Database, number>> = { sqlite: 0.4, postgres: 0.2, redis: 0.4 }
/** Where the database itself gives less. */
const OF_CEILING = 0.6
const TIMES_SDK = 5
/** Those that have an aim. */
const AIMED = /^send -> Task$|^stream/

export async function printStores(load: Load): Promise<void> {
  const rates = await compareStores(load)
  printTable(
    'Answers per second by store (by the clock, 32 connections; in brackets the share of memory; medians of 7 rounds in turns)',
    STORES,
    rates.map((row) => ({ what: row.work, cells: STORES.map((name) => storeCell(row, name)) })),
  )
  printTable(
    'Beside a loop that writes the same rows in transactions of 16 tasks with the driver alone (tasks per second)',
    DATABASES.flatMap((name) => [name, 'server / loop']),
    rates
      .filter(({ ofCeiling }) => ofCeiling.size > 0)
      .map(({ work, ofCeiling }) => ({
        what: work,
        cells: DATABASES.flatMap((name) => {
          const found = ofCeiling.get(name)
          return found === undefined ? ['not installed', ''] : [rounded(found.perSecond), fixed(found.share, 2)]
        }),
      })),
  )
  printTable(
    'Beside the SDKs on the same databases, with their own stores (answers per second)',
    ['JavaScript on sqlite', 'ours / SDK', 'JavaScript on postgres', 'ours / SDK', 'Python on sqlite', 'ours / SDK'],
    rates.map(({ work, sdk }) => ({
      what: work,
      cells: (['sdk sqlite', 'sdk postgres', 'python sqlite'] as const).flatMap((name) => {
        const found = sdk.get(name)
        if (found === undefined) return ['not measured', '']
        const goal = AIMED.test(work) ? { atLeast: TIMES_SDK } : {}
        return [rounded(found.perSecond), against({ value: found.times, ...goal }, 1)]
      }),
    })),
  )
  const latency = await measureLatency(load)
  printTable(
    'Milliseconds from the agent to the client, events of one stream, one every 5 ms, no other load',
    latency.map(({ store }) => store),
    [
      { what: 'p50', cells: latency.map(({ p50 }) => fixed(p50, 2)) },
      { what: 'p99', cells: latency.map(({ p99 }) => fixed(p99, 2)) },
    ],
  )
}

export async function printReplicas(load: Load): Promise<void> {
  const replicas = await compareReplicas(load)
  printTable(
    'Two replicas on one store, connections alternating (microseconds of CPU time of all server processes for an answer)',
    ['one', 'two', 'two / one', 'by the clock, two / one'],
    replicas.map(({ work, store, oneUs, twoUs, cpu, wall }) => ({
      what: `${work} on ${store}`,
      cells: [rounded(oneUs), rounded(twoUs), against({ value: cpu, atMost: 1.15 }), fixed(wall, 2)],
    })),
  )
}

function storeCell({ work, ours, ofCeiling }: StoreRates, name: StoreName): string {
  const found = ours.get(name)
  if (found === undefined) return 'not installed'
  if (name === 'memory') return rounded(found.perSecond)
  const share = `${rounded(found.perSecond)} (${fixed(found.share, 2)}`
  if (name === 'sqlite full' || !AIMED.test(work)) return `${share})`
  const isMet = found.share >= AIMS[name] || (ofCeiling.get(name)?.share ?? 0) >= OF_CEILING
  return `${share} >= ${AIMS[name]} ${isMet ? 'met' : 'MISSED'})`
}
