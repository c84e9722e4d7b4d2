// What a fleet was like at the end of a day, and what is different between two of them: worked out of the histories.

import type { FleetMoment, FleetRow } from '../../src/run/fleet-view.ts'

export interface DayChange {
  row: FleetRow
  before: string
  after: string
  isBetter: boolean
}

export function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}

/** The days on which something was found out, newest first. */
export function daysIn(rows: readonly FleetRow[]): string[] {
  const days = new Set<string>()
  for (const { history } of rows) for (const { at } of history) days.add(dayOf(at))
  return [...days].sort().toReversed()
}

function lastUntil(history: readonly FleetMoment[], day: string): FleetMoment | undefined {
  return history.findLast(({ at }) => dayOf(at) <= day)
}

export function changesBetween(rows: readonly FleetRow[], first: string, second: string): DayChange[] {
  return rows.flatMap((row) => {
    const [before, after] = [lastUntil(row.history, first), lastUntil(row.history, second)]
    if (after === undefined || before?.standing === after.standing) return []
    const was = before?.standing ?? 'not asked yet'
    return [{ row, before: was, after: after.standing, isBetter: after.stage > (before?.stage ?? 0) }]
  })
}
