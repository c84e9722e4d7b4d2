// Measures how many turns of the agent every check takes, against reference agents that show every behaviour, and
// writes requirements/turns.yaml. Run it after checks were added: npm run turns

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { type CertifyOptions, certify, resultsOf } from '../../src/judge/index.ts'
import { startParley } from '../support/parley-process.ts'

const MOUNTS: readonly (readonly [string, CertifyOptions])[] = [
  ['/spec', {}],
  ['/push', {}],
  ['/tck', {}],
  ['/secure', { bearer: 'parley-test-token' }],
  ['/spec03', { versions: ['0.3'] }],
  ['/legacy', { versions: ['0.1'] }],
]

const server = await startParley(['serve', '--allow-private-webhooks'])
const tables: Record<string, { shared: number; checks: Record<string, number> }> = {}
for (const [mount, options] of MOUNTS) {
  const report = await certify(server.url + mount, { timeoutMs: 20_000, ...options })
  const results = resultsOf(report)
  const version = report.interfaces[0]?.version ?? ''
  const table = tables[version] ?? { shared: 0, checks: {} }
  tables[version] = table
  for (const { test, turns = 0 } of results) table.checks[test] = Math.max(table.checks[test] ?? 0, turns)
  const own = results.reduce((sum, { turns = 0 }) => sum + turns, 0)
  const { used } = report.provenance.turns
  table.shared = Math.max(table.shared, Math.ceil((used - own) / Math.max(report.interfaces.length, 1)))
  console.log(`${mount}: ${used} turns, ${own} of single checks, over ${report.interfaces.length} interfaces`)
}
await server.stop()
const header = '# How many turns of the agent each check takes; written by `npm run turns`.\n'
for (const table of Object.values(tables))
  table.checks = Object.fromEntries(Object.entries(table.checks).toSorted(([a], [b]) => a.localeCompare(b)))
const file = join(import.meta.dirname, '../../requirements/turns.yaml')
await writeFile(file, header + stringify(tables))
