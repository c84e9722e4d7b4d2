// One host with thousands of agents at the head of the list, beside hosts with a few: the few do not wait for the many.
// FLEET_FAIR="agents-of-the-large-host small-hosts agents-of-each" chooses the size.

import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { FleetDatabase } from '../../../src/fleet/database.ts'
import { openFleet } from '../../../src/fleet/open-fleet.ts'
import { fleetProcess, HostsProcess } from '../../fleet/fleet-processes.ts'
import { startPostgres } from '../../servers/start-postgres.ts'

const [LARGE = 5_000, HOSTS = 200, EACH = 5] = (process.env.FLEET_FAIR ?? '5000 200 5').split(' ').map(Number)
const FLAGS = ['--concurrency', '16', '--host-rate', '50', '--quiet']

test('one host with thousands of agents does not starve the others', async () => {
  const postgres = await startPostgres()
  const hosts = await HostsProcess.start(HOSTS + 1, HOSTS * EACH + LARGE, LARGE)
  const [first = ''] = hosts.agents
  const large = new URL(first).origin
  const started = performance.now()
  const workers = [
    fleetProcess(['run', hosts.list, '--store', postgres.url, ...FLAGS]),
    fleetProcess(['work', '--store', postgres.url, ...FLAGS]),
  ]
  const store = await openFleet(postgres.url)
  let small = 0
  let ofLarge = 0
  while (small < HOSTS * EACH) {
    await Promise.race([sleep(500), ...workers.map(({ ended }) => ended)])
    ;[small, ofLarge] = await resultsBeside(store.db, large)
  }
  const seconds = Math.round((performance.now() - started) / 1_000)
  for (const { child } of workers) child.kill('SIGINT')
  await Promise.all(workers.map(({ ended }) => ended))
  await store.close()
  const log = await hosts.end()
  await postgres.stop()
  console.log(
    `${small} agents on ${HOSTS} hosts were through after ${seconds} s beside one host with ${LARGE}, of which ${ofLarge} were through then`,
  )
  expect(small).toBe(HOSTS * EACH)
  expect(ofLarge).toBeGreaterThan(0)
  expect(ofLarge).toBeLessThan(LARGE)
  expect(log.overlaps).toBe(0)
})

/** How many agents have a result: of all other hosts, and of the large one. */
async function resultsBeside(db: FleetDatabase, large: string): Promise<[small: number, ofLarge: number]> {
  const [counts] = await db.rows<{ all: number; large: number }>(
    `SELECT count(*) AS "all", count(*) FILTER (WHERE a.origin = $1) AS large
     FROM results r JOIN agents a ON a.fleet = r.fleet AND a.id = r.agent`,
    [large],
  )
  const { all = 0, large: ofLarge = 0 } = counts ?? {}
  return [all - ofLarge, ofLarge]
}
