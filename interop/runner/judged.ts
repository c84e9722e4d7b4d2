// What is known of one peer after all runs: what they found, and whether that is settled.

import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RunResult } from '../../src/run/run.ts'
import { BUILD } from './build.ts'
import type { Settlement } from './settle.ts'

/** Every peer is tried twice in the same process, so that what one run leaves behind may not change the next. */
export const RUNS = 2

/** What a ruling is drafted from, of a check or a claim. */
export type JudgedResult = Pick<
  RunResult,
  'key' | 'test' | 'verdict' | 'message' | 'transcript' | 'sections' | 'version'
>

export interface Judged {
  folder: string
  role: 'agent' | 'client'
  /** Its name in the folder. */
  peer: string
  runs: { level: string; verdicts: Partial<Record<RunResult['verdict'], number>>; durationMs: number }[]
  results: JudgedResult[]
  settlement: Settlement
  /** Complaints that are not about a single result. */
  problems: string[]
  /** Hosts the framework tried to reach. */
  calledOut: string[]
}

export async function keepReport(name: string, text: string): Promise<void> {
  const reports = join(BUILD, 'reports')
  await mkdir(reports, { recursive: true })
  await writeFile(join(reports, name), text)
}
