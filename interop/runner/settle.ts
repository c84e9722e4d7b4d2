// Compares the runs against one agent with each other and with what was ruled about it. Pure: results in, complaints
// out. An agent is settled when the runs agree, every failure is ruled and every ruling is still true.

import type { RunResult } from '../../src/run/run.ts'
import { keysOf, type Ruling } from './corpus.ts'

export type SeenResult = Pick<RunResult, 'key' | 'test' | 'verdict' | 'message'>

export interface Settlement {
  /** `key: pass, fail` for every verdict that is not the same in all runs. */
  flips: string[]
  /** Failures nobody ruled about, one per key. */
  unruled: SeenResult[]
  /** Rulings that are not true any more, and what was seen instead. */
  stale: string[]
  /** Our own bugs. */
  broken: SeenResult[]
  warnings: SeenResult[]
  ruled: number
}

export function settle(runs: readonly (readonly SeenResult[])[], rulings: readonly Ruling[]): Settlement {
  const seen = new Map<string, SeenResult[]>()
  for (const run of runs) for (const result of run) seen.set(result.key, [...(seen.get(result.key) ?? []), result])
  const ruled = new Set(rulings.flatMap(keysOf))
  const settlement: Settlement = { flips: [], unruled: [], stale: [], broken: [], warnings: [], ruled: 0 }
  for (const [key, results] of seen) {
    const verdicts = results.map(({ verdict }) => verdict)
    if (results.length !== runs.length || new Set(verdicts).size > 1)
      settlement.flips.push(`${key}: ${verdicts.join(', ')}${results.length === runs.length ? '' : ', absent'}`)
    const failed = results.find(({ verdict }) => verdict === 'fail')
    if (failed !== undefined && !ruled.has(key)) settlement.unruled.push(failed)
    if (failed !== undefined && ruled.has(key)) settlement.ruled += 1
    const broken = results.find(({ verdict }) => verdict === 'harness-error')
    if (broken !== undefined) settlement.broken.push(broken)
    const warned = results.find(({ verdict }) => verdict === 'warn')
    if (warned !== undefined) settlement.warnings.push(warned)
  }
  for (const key of ruled) {
    const verdicts = (seen.get(key) ?? []).map(({ verdict }) => verdict)
    if (verdicts.length === 0) settlement.stale.push(`${key}: there is no such result`)
    else if (!verdicts.includes('fail')) settlement.stale.push(`${key}: ${verdicts[0]}`)
  }
  return settlement
}

export function isSettled({ flips, unruled, stale, broken }: Settlement): boolean {
  return flips.length + unruled.length + stale.length + broken.length === 0
}
