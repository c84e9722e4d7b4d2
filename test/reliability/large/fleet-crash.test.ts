// Workers that are killed again and again, and a database that goes away: no agent is lost, each has one stored result, and
// no host was asked for two agents at once. FLEET_CRASH="hosts agents seconds-between-kills" chooses the size.

import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openFleet } from '../../../src/fleet/open-fleet.ts'
import { type FleetProcess, fleetProcess, HostsProcess } from '../../fleet/fleet-processes.ts'
import { startPostgres } from '../../servers/start-postgres.ts'

const [HOSTS = 400, AGENTS = 2_000, KILL_EVERY_S = 20] = (process.env.FLEET_CRASH ?? '400 2000 20')
  .split(' ')
  .map(Number)
const FLAGS = ['--concurrency', '16', '--host-rate', '50', '--quiet']

test('kill -9 of a worker again and again, and an outage of the database', async () => {
  const postgres = await startPostgres()
  const hosts = await HostsProcess.start(HOSTS, AGENTS)
  const work = (): FleetProcess => fleetProcess(['work', '--store', postgres.url, ...FLAGS])
  const begin = () => fleetProcess(['run', hosts.list, '--store', postgres.url, ...FLAGS])
  const started = performance.now()
  let [run, other] = [begin(), work()]
  let isThrough = false
  let kills = 0
  let hadOutage = false
  void run.ended.then(({ stdout }) => {
    isThrough = / 0 waiting/.test(stdout)
  })
  while (!isThrough) {
    await Promise.race([sleep(KILL_EVERY_S * 1_000), run.ended])
    if (isThrough) break
    kills++
    if (kills === 2 && !hadOutage) {
      hadOutage = true
      await postgres.kill9()
      await sleep(3_000)
      await postgres.start()
    }
    if (kills % 2 === 0) {
      run.child.kill('SIGKILL')
      await run.ended
      run = begin()
      void run.ended.then(({ stdout }) => {
        isThrough = / 0 waiting/.test(stdout)
      })
    } else {
      other.child.kill('SIGKILL')
      await other.ended
      other = work()
    }
  }
  other.child.kill('SIGINT')
  await other.ended
  const store = await openFleet(postgres.url)
  const [counts] = await store.db.rows<{
    results: number
    agents: number
    most: number
    repeated: number
    waiting: number
  }>(
    `SELECT count(*) AS results, count(DISTINCT agent) AS agents, max(attempts) AS most,
       count(*) FILTER (WHERE attempts > 1) AS repeated, (SELECT count(*) FROM agents WHERE state = 'waiting') AS waiting
     FROM results`,
  )
  await store.close()
  const log = await hosts.end()
  await postgres.stop()
  console.log(
    `${AGENTS} agents on ${HOSTS} hosts in ${Math.round((performance.now() - started) / 1_000)} s with ${kills} kills and an outage: ` +
      `${counts?.results} results, ${counts?.repeated} agents took more than one attempt (at most ${counts?.most}), ${log.requests} requests`,
  )
  expect(counts).toMatchObject({ results: AGENTS, agents: AGENTS, waiting: 0 })
  expect(log.overlaps).toBe(0)
})
