// What a store says about a fleet: status, results, one agent, and a look that repeats itself.

import { setTimeout as sleep } from 'node:timers/promises'
import { fleetAsRun } from '../fleet/fleet-as-run.ts'
import { type Change, changesBetween, type FleetSummary, standingOf, summaryOf } from '../fleet/fleet-summary.ts'
import { funnelLines, STAGES } from '../fleet/outcome.ts'
import type { FleetAgent, FleetInfo, ResultBook } from '../fleet/result-book.ts'
import { parseRecord } from '../run/record-reader.ts'
import { jsonText } from '../trace/json-text.ts'
import type { CliIo } from './cli-io.ts'
import { usage } from './flag-values.ts'
import { filtered, withBook } from './fleet-book.ts'
import type { FleetFlags } from './fleet-flags.ts'
import { interruptible } from './interruptible.ts'
import { openReporting } from './report-options.ts'
import { terminalLine } from './terminal-text.ts'

export function showStatus(flags: FleetFlags, io: CliIo): Promise<void> {
  return withBook(flags, (book, fleet) => printSummary(book, fleet, flags, io))
}

export async function watchFleet(flags: FleetFlags, io: CliIo): Promise<void> {
  const { stop, release } = interruptible()
  await withBook(flags, async (book, fleet) => {
    while (!stop.aborted) {
      if (process.stdout.isTTY === true) io.out('\u001b[H\u001b[2J')
      await printSummary(book, fleet, flags, io)
      await sleep(WATCH_MS, undefined, { signal: stop }).catch(() => {})
    }
  })
  release()
  io.exit(0)
}

const WATCH_MS = 2_000

export async function printSummary(book: ResultBook, fleet: FleetInfo, flags: FleetFlags, io: CliIo): Promise<void> {
  const summary = await summaryOf(book.agents(fleet.name, flags.day))
  const progress = await book.progress(fleet.name, fleet.run)
  const paused = await book.pausedHosts()
  if (flags.output === 'json') {
    const funnel = funnelLines(summary.funnel)
    io.out(`${jsonText({ fleet: fleet.name, run: fleet.run, ...progress, ...summary, funnel, paused })}\n`)
    return
  }
  io.out(summaryText(fleet, summary, progress))
  for (const { origin, ms, reason } of paused.slice(0, 10))
    io.out(terminalLine(`  left alone for ${Math.ceil(ms / 1_000)} s: ${origin}: ${reason}`).concat('\n'))
}

function summaryText(
  fleet: FleetInfo,
  summary: FleetSummary,
  { done, waiting }: { done: number; waiting: number },
): string {
  const lines = [`Fleet '${fleet.name}', run of ${fleet.run}: ${done} done, ${waiting} waiting`, '']
  for (const { stage, agents } of funnelLines(summary.funnel)) {
    const share = summary.listed === 0 ? 0 : agents / summary.listed
    lines.push(`  ${stage.padEnd(16)} ${String(agents).padStart(9)}  ${'█'.repeat(Math.round(share * 40))}`)
  }
  const counts = (of: Readonly<Record<string, number>>) =>
    Object.entries(of)
      .sort(([, a], [, b]) => b - a)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ')
  lines.push(
    '',
    `  levels     ${counts(summary.levels) || 'none yet'}`,
    `  outcomes   ${counts(summary.outcomes) || 'none yet'}`,
  )
  if (summary.unasked > 0) lines.push(`  not asked  ${summary.unasked}`)
  if (summary.optedOut > 0) lines.push(`  opted out  ${summary.optedOut}`)
  lines.push(
    `  turns      ${summary.turns}${summary.repeated > 0 ? `; ${summary.repeated} agents took more than one attempt` : ''}`,
  )
  for (const { url, silent, dueAt } of summary.dead.slice(0, 5)) {
    const next = new Date(dueAt).toISOString().slice(0, 16).replace('T', ' ')
    lines.push(
      terminalLine(
        `dead ${silent === 1 ? 'once' : `${silent} times in a row`}, asked again from ${next}: ${url}`,
      ).replace(/^/, '  '),
    )
  }
  for (const { origin, agents, meanMs } of summary.slow.slice(0, 3))
    lines.push(
      terminalLine(`slow: ${origin}, ${(meanMs / 1_000).toFixed(1)} s an agent, ${agents} judged`).replace(/^/, '  '),
    )
  return `${lines.join('\n')}\n`
}

export function showResults(flags: FleetFlags, io: CliIo): Promise<void> {
  return withBook(flags, async (book, fleet) => {
    if (flags.since !== undefined) return showChanges(book, fleet, flags, io)
    const { format, ...rest } = flags
    const pages = (format ?? []).filter(({ format: { name } }) => name === 'html')
    const others = (format ?? []).filter(({ format: { name } }) => name !== 'html')
    if (pages.length > 0) await (await import('./fleet-export.ts')).writePages(book, fleet, pages, flags, io)
    if (others.length > 0) {
      const reporting = openReporting({ ...rest, format: others }, io, { isBeside: false })
      const run = await fleetAsRun(fleet, filtered(book.agents(fleet.name, flags.day), flags))
      reporting.begin(run.header)
      for (const result of run.results) reporting.result(result)
      await reporting.end(run)
    }
    if (format !== undefined) return
    for await (const agent of filtered(book.agents(fleet.name, flags.day), flags)) io.out(lineOf(agent, flags))
  })
}

function lineOf(agent: FleetAgent, { output }: FleetFlags): string {
  if (output === 'json') return `${jsonText(agent)}\n`
  const { result } = agent
  const score = result === undefined || result.measured === 0 ? '' : ` ${result.kept}/${result.measured}`
  const more = result === undefined || result.outcome === 'judged' ? '' : `  ${result.message}`
  return `${terminalLine(`${agent.url}  ${standingOf(agent)}${score}${more}`)}\n`
}

async function showChanges(book: ResultBook, fleet: FleetInfo, flags: FleetFlags, io: CliIo): Promise<void> {
  const until = flags.day ?? (await book.now())
  const before = filtered(book.agents(fleet.name, until - (flags.since ?? 0)), {
    ...flags,
    level: undefined,
  } as FleetFlags)
  const after = filtered(book.agents(fleet.name, until), flags)
  let count = 0
  for await (const change of changesBetween(before, after)) {
    count++
    io.out(flags.output === 'json' ? `${jsonText(change)}\n` : changeLine(change))
  }
  if (count === 0 && flags.output === 'text') io.out('Nothing changed.\n')
}

function changeLine({ url, before, after, isBetter }: Change): string {
  return `${terminalLine(`${isBetter ? '+' : '-'} ${url}  ${before} → ${after}`)}\n`
}

/** One agent: its history, or its newest run in any format. */
export function showAgent(given: string, flags: FleetFlags, io: CliIo): Promise<void> {
  return withBook(flags, async (book, fleet) => {
    const { id, url } = await book.agent(fleet.name, given)
    if (flags.format !== undefined) {
      const record = await book.record(fleet.name, id)
      if (record === undefined) throw usage(`${url} has not been asked yet, so there is no run to show.`)
      const { run, arrival, total } = parseRecord(record, url)
      const reporting = openReporting(flags, io, { isBeside: false })
      reporting.begin(run.header)
      if (total !== undefined) reporting.plan({ total })
      for (const result of arrival) reporting.result(result)
      await reporting.end(run)
      return
    }
    const history = await book.history(fleet.name, id)
    if (flags.output === 'json') {
      io.out(`${jsonText({ id, url, history })}\n`)
      return
    }
    io.out(terminalLine(url).concat('\n'))
    if (history.length === 0) io.out('  not asked yet\n')
    for (const { at, outcome, level, kept, measured, stage, attempts, turns, message } of history) {
      const when = new Date(at).toISOString().slice(0, 19).replace('T', ' ')
      const word = outcome === 'judged' ? `${level} ${kept}/${measured}` : outcome
      const tries = attempts > 1 ? `, ${attempts} attempts` : ''
      io.out(`  ${terminalLine(`${when}  ${word}, ${STAGES[stage] ?? ''}, ${turns} turns${tries}  ${message}`)}\n`)
    }
  })
}
