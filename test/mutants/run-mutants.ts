// Judges mutants, and tells which checks noticed: those that were content with the correct agent and are not with
// the mutant.

import type { PlacedCheck } from '../../src/judge/checks/check.ts'
import { type ConformanceResult, certify, resultsOf, type Verdict } from '../../src/judge/index.ts'
import { SEEN_INSTEAD } from '../../src/judge/runner/execute.ts'
import { type BaseName, judgeOptions } from './bases.ts'
import type { Mutant, Mutation } from './mutant.ts'
import { startProxy } from './mutating-proxy.ts'

/** What is told about an agent, the worse the higher. A conflict is no fault, but it is told. */
const GRAVITY: Readonly<Partial<Record<Verdict, number>>> = { 'spec-conflict': 1, info: 2, warn: 3, fail: 4 }

export interface Noticed {
  mutant: Mutant
  /** Ids of the checks that noticed, in any generation and over any binding. */
  by: string[]
  /** The check that comes first in each finding. */
  findings: string[]
  /** Checks that broke down instead of judging. */
  errors: string[]
}

/** Verdicts by result key. */
export type Verdicts = ReadonlyMap<string, Pick<ConformanceResult, 'verdict' | 'message' | 'notes'>>

export async function judge(...asked: Parameters<typeof judgeWhole>): Promise<Verdicts> {
  return (await judgeWhole(...asked)).verdicts
}

/** The same with what the report puts in front: one finding for each cause. */
export async function judgeWhole(
  inner: string,
  base: BaseName,
  mutation: Mutation,
  checks: readonly PlacedCheck[],
): Promise<{ verdicts: Verdicts; findings: string[] }> {
  const proxy = await startProxy(inner, mutation)
  try {
    const report = await certify(`${proxy.url}/${base}`, { ...judgeOptions(base), checks })
    const { diagnosis } = report
    // Transcripts are let go: there is a run for every mutant.
    const verdicts = new Map(
      resultsOf(report).map(({ key, verdict, message = '', notes = [] }) => [key, { verdict, message, notes }]),
    )
    if (diagnosis !== undefined && verdicts.size === 0)
      verdicts.set('triage', { verdict: 'fail', message: diagnosis.message, notes: [] })
    return { verdicts, findings: report.findings.map(({ tests: [first = ''] }) => first.split('@', 1)[0] ?? first) }
  } finally {
    await proxy.close()
  }
}

export async function runMutant(
  inner: string,
  mutant: Mutant,
  checks: readonly PlacedCheck[],
  baseline: Verdicts,
): Promise<Noticed> {
  const { verdicts, findings } = await judgeWhole(inner, mutant.of, mutant, checks)
  const errors = [...verdicts]
    .filter(([, { verdict }]) => verdict === 'harness-error')
    .map(([key, { message }]) => `${key}: ${message?.split('\n', 1)[0]}`)
  return { mutant, by: noticing(verdicts, baseline), findings, errors }
}

/** The checks that say worse things than they say about the correct agent, or would if another did not tell it. */
export function noticing(verdicts: Verdicts, baseline: Verdicts): string[] {
  const worse = [...verdicts].filter(([key, { verdict, notes = [] }]) => {
    const before = baseline.get(key)?.verdict ?? 'pass'
    return (GRAVITY[verdict] ?? 0) > (GRAVITY[before] ?? 0) || (before !== 'fail' && hasSeen(notes))
  })
  return [...new Set(worse.map(([key]) => key.split('@')[0] ?? key))]
}

function hasSeen(notes: readonly string[]): boolean {
  return notes.some((note) => note.startsWith(SEEN_INSTEAD))
}

/** Several at a time, in order. */
export async function inPool<T, R>(items: readonly T[], size: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  const queue = items.entries()
  await Promise.all(
    Array.from({ length: Math.min(size, items.length) }, async () => {
      for (const [index, item] of queue) results[index] = await work(item)
    }),
  )
  return results
}
