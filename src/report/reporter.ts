// What a report format is: one file with the callbacks it needs, and one row in formats.ts. Every format works for every
// kind of run, because all it sees is the run.

import type { Run, RunAgent, RunHeader, RunResult } from '../run/run.ts'
import type { Style } from './style.ts'

export interface ReportFormat {
  /** As `--format` takes it. */
  readonly name: string
  /** In a few words, for help. */
  readonly summary: string
  open(context: ReportContext): Reporter
}

export interface ReportContext {
  /** Where it goes, unless it is printed. */
  file: string | undefined
  /** Written at once, while the run goes on; what `end` returns is written whole or not at all. */
  append(text: string): void
  style: Style
  verbose: boolean
  /** Only what is wrong. */
  quiet: boolean
  /** Where the other reports of the run were written, by the time of `end`. */
  files: readonly string[]
  /** How this program was started, for commands to be typed again. */
  command: string
  /** An older run to compare with, for formats that can show it. */
  before?: Run | undefined
}

export interface Reporter {
  begin?(header: RunHeader): void
  agent?(agent: RunAgent): void
  plan?(plan: { total: number }): void
  result?(result: RunResult): void
  /** The report of the whole run, or several documents that each need a name of their own. */
  end?(run: Run): string | readonly ReportDocument[] | undefined
}

export interface ReportDocument {
  /** Told apart by this when there are several: `report-1.0-rest.json`. */
  suffix: string
  text: string
}

/** A format that says everything at the end. */
export function documentFormat(
  name: string,
  summary: string,
  render: (run: Run, context: ReportContext) => string | readonly ReportDocument[],
): ReportFormat {
  return { name, summary, open: (context) => ({ end: (run) => render(run, context) }) }
}
