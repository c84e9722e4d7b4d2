// A fleet of mock agents with a mix of behaviours, two workers, PostgreSQL: how many agents a minute and core, how much
// memory a worker, and whether the cost grows with the number of agents. FLEET_BENCH=1000,10000 chooses the sizes.

import { fleetProcess, HostsProcess } from '../test/fleet/fleet-processes.ts'
import { startPostgres } from '../test/servers/start-postgres.ts'
import { printTable, rounded } from './report.ts'

const SIZES = (process.env.FLEET_BENCH ?? '1000,10000').split(',').map(Number)
const AGENTS_PER_HOST = 5
const FLAGS = ['--concurrency', '32', '--host-rate', '50', '--timeout', '30s']

interface Measured {
  agents: number
  hosts: number
  seconds: number
  cpuSeconds: number
  peakMb: number
  overlaps: number
  busiestSecond: number
  storedMb: number
}

export async function printFleet(): Promise<void> {
  const measured: Measured[] = []
  for (const size of SIZES) measured.push(await measure(size))
  printTable(
    'A fleet, quick profile, two workers of 32 agents at a time, PostgreSQL, 50 requests a second and host at most (hosts share the machine)',
    [
      'hosts',
      's',
      'agents/min',
      'agents/min and core of the workers',
      'CPU ms/agent',
      'peak MB/worker',
      'stored kB/agent',
      'overlaps',
      'busiest second of a host',
    ],
    measured.map(({ agents, hosts, seconds, cpuSeconds, peakMb, storedMb, overlaps, busiestSecond }) => ({
      what: `${agents} agents`,
      cells: [
        String(hosts),
        rounded(seconds),
        rounded((agents / seconds) * 60),
        rounded((agents / cpuSeconds) * 60),
        rounded((cpuSeconds / agents) * 1_000),
        rounded(peakMb),
        ((storedMb * 1_000) / agents).toFixed(1),
        String(overlaps),
        String(busiestSecond),
      ],
    })),
  )
}

async function measure(agents: number): Promise<Measured> {
  const hosts = Math.max(1, Math.round(agents / AGENTS_PER_HOST))
  const postgres = await startPostgres()
  const mock = await HostsProcess.start(hosts, agents)
  const started = performance.now()
  const run = fleetProcess(['run', mock.list, '--store', postgres.url, '--quiet', ...FLAGS])
  const work = fleetProcess(['work', '--store', postgres.url, '--quiet', '--concurrency', '32'])
  const first = await run.ended
  const seconds = (performance.now() - started) / 1_000
  work.child.kill('SIGINT')
  const second = await work.ended
  const log = await mock.end()
  const storedMb = await sizeOf(postgres.url)
  await postgres.stop()
  if (first.stdout.includes(`${agents} done, 0 waiting`)) {
    const cpuSeconds = (first.cpuMs + second.cpuMs) / 1_000
    const peakMb = Math.max(first.peakKb, second.peakKb) / 1_024
    return { agents, hosts, seconds, cpuSeconds, peakMb, storedMb, ...log }
  }
  throw new Error(`The fleet was not through: ${first.stdout}${first.stderr}`)
}

async function sizeOf(url: string): Promise<number> {
  const { default: pg } = await import('pg')
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ size: string }>(`SELECT pg_total_relation_size('parley_fleet.results') AS size`)
  await client.end()
  return Number(rows[0]?.size ?? 0) / 1_000_000
}
