// `parley fleet export`: every agent as JSON lines or CSV on stdout, or its run record and badge as files. And the page.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { standingOf } from '../fleet/fleet-summary.ts'
import { STAGES } from '../fleet/outcome.ts'
import { fleetView } from '../fleet/page-view.ts'
import type { FleetAgent, FleetInfo, ResultBook } from '../fleet/result-book.ts'
import { agentBadge } from '../report/badge.ts'
import { fleetPage } from '../report/fleet-page.ts'
import { jsonText } from '../trace/json-text.ts'
import type { CliIo } from './cli-io.ts'
import { usage } from './flag-values.ts'
import { filtered, withBook } from './fleet-book.ts'
import type { FleetFlags } from './fleet-flags.ts'
import type { FormatFlag } from './report-options.ts'

const COLUMNS = [
  ...['url', 'host', 'name', 'standing', 'stage', 'level', 'outcome', 'must_kept', 'must_measured', 'turns'],
  ...['attempts', 'duration_ms', 'asked_at', 'run', 'labels', 'message'],
]

export function exportFleet(flags: FleetFlags, io: CliIo): Promise<void> {
  return withBook(flags, async (book, fleet) => {
    const agents = filtered(book.agents(fleet.name, flags.day), flags)
    if (flags.as === 'records' || flags.as === 'badges') return exportFiles(agents, book, fleet, flags, io)
    if (flags.as === 'csv') io.out(`${COLUMNS.join(',')}\n`)
    for await (const agent of agents) io.out(flags.as === 'csv' ? csvLine(agent) : `${jsonText(agent)}\n`)
  })
}

function csvLine(agent: FleetAgent): string {
  const { result } = agent
  const labels = Object.entries(agent.labels).map(([name, value]) => `${name}=${value}`)
  const cells = [
    ...[agent.url, agent.origin, result?.name, standingOf(agent), STAGES[result?.stage ?? 0], result?.level],
    ...[result?.outcome, result?.kept, result?.measured, result?.turns, result?.attempts, result?.durationMs],
    ...[
      result === undefined ? undefined : new Date(result.at).toISOString(),
      result?.run,
      labels.join(' '),
      result?.message,
    ],
  ]
  return `${cells.map(csvCell).join(',')}\n`
}

/** Quoted (RFC 4180); what a spreadsheet would run as a formula is kept from being one. */
function csvCell(value: string | number | undefined): string {
  const text = String(value ?? '')
  const inert = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert
}

async function exportFiles(
  agents: AsyncIterable<FleetAgent>,
  book: ResultBook,
  fleet: FleetInfo,
  flags: FleetFlags,
  io: CliIo,
): Promise<void> {
  const { to, as } = flags
  if (to === undefined) throw usage(`Name the folder for ${as}, for instance: --to ${as}`)
  mkdirSync(to, { recursive: true })
  let count = 0
  for await (const agent of agents) {
    const text = as === 'badges' ? agentBadge(standingOf(agent), agent.result) : await book.record(fleet.name, agent.id)
    if (text === undefined) continue
    writeFileSync(join(to, `${fileName(agent)}.${as === 'badges' ? 'svg' : 'jsonl'}`), text)
    count++
  }
  io.err(`Wrote ${count} files to ${to}.\n`)
}

/** Readable, and different for every agent. */
function fileName({ url, id }: FleetAgent): string {
  const plain = url.replace(/^https?:\/\//, '').replaceAll(/[^\w.-]+/g, '_')
  return `${plain.slice(0, 80)}-${id.slice(0, 8)}`
}

export async function writePages(
  book: ResultBook,
  fleet: FleetInfo,
  pages: readonly FormatFlag[],
  flags: FleetFlags,
  io: CliIo,
): Promise<void> {
  const view = await fleetView(book, fleet, (agents) => filtered(agents, flags))
  const page = fleetPage(view)
  for (const { file } of pages) {
    if (file === undefined) io.out(page)
    else {
      writeFileSync(file, page)
      if (flags.quiet !== true) io.err(`Wrote ${file}.\n`)
    }
  }
}
