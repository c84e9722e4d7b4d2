// The verdicts of several runs against one agent, and where they differ.

import { certify, resultsOf } from '../../src/judge/index.ts'

export interface Comparison {
  /** `key: pass, fail, pass` for every result that is not the same in all runs. */
  differences: string[]
  durationsMs: number[]
  verdicts: number
  failures: string[]
}

export async function compareRuns(target: string, runs: number): Promise<Comparison> {
  const verdicts = new Map<string, string[]>()
  const durationsMs: number[] = []
  const failures: string[] = []
  for (let at = 0; at < runs; at++) {
    const report = await certify(target, { timeoutMs: 10_000, versions: ['1.0'] })
    durationsMs.push(report.provenance.durationMs)
    for (const { key, verdict, status, message } of resultsOf(report)) {
      verdicts.set(key, [...(verdicts.get(key) ?? []), verdict])
      if (status === 'fail') failures.push(`${key}: ${message}`)
    }
  }
  const differences = [...verdicts]
    .filter(([, seen]) => seen.length !== runs || new Set(seen).size > 1)
    .map(([key, seen]) => `${key}: ${seen.join(', ')}`)
  return { differences, durationsMs, verdicts: verdicts.size, failures }
}
