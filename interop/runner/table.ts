// What `npm run interop` prints: one line per agent and client, and below it what has to be looked at.

import type { Judged } from './judged.ts'
import { isSettled } from './settle.ts'

const HEADINGS = ['peer', 'level', 'pass', 'fail', 'warn', 'conflict', 'not measured', 'seconds', 'ruled', 'settled']

export function renderTable(all: readonly Judged[]): string {
  const rows = [HEADINGS, ...all.map(rowOf)]
  const widths = HEADINGS.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)))
  return rows
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

function rowOf(judged: Judged): string[] {
  const [run] = judged.runs
  const seconds = judged.runs.map(({ durationMs }) => (durationMs / 1000).toFixed(1)).join(' ')
  const counts = COUNTED.map((verdict) => (run === undefined ? '' : `${run.verdicts[verdict] ?? 0}`))
  return [
    `${judged.folder}/${judged.peer}`,
    run?.level ?? 'not judged',
    ...counts,
    seconds,
    `${judged.settlement.ruled}`,
    isFine(judged) ? 'yes' : 'NO',
  ]
}

const COUNTED = ['pass', 'fail', 'warn', 'spec-conflict', 'not-measured'] as const

export function isFine({ settlement, problems }: Judged): boolean {
  return problems.length === 0 && isSettled(settlement)
}

export function renderComplaints(judged: Judged): string {
  const { settlement } = judged
  const lines = [
    ...judged.problems,
    ...settlement.flips.map((flip) => `the verdict flips: ${flip}`),
    ...settlement.unruled.map(({ key, message }) => `fails and is not ruled: ${key}: ${message ?? ''}`),
    ...settlement.stale.map((stale) => `ruled, but does not fail: ${stale}`),
    ...settlement.broken.map(({ key, message }) => `our bug: ${key}: ${message ?? ''}`),
    ...judged.calledOut.map((host) => `tried to call ${host} (nothing was let out)`),
    ...warningsOf(judged),
  ]
  return lines.map((line) => `  ${line}`).join('\n')
}

function warningsOf({ settlement }: Judged): string[] {
  const byCheck = Map.groupBy(settlement.warnings, ({ test }) => test)
  return [...byCheck].map(([test, results]) => {
    const where = results.map(({ key }) => key.slice(test.length + 1)).join(', ')
    return `warning: ${test} (${where}): ${results[0]?.message ?? ''}`
  })
}
