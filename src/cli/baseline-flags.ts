// `--baseline` and `--update-baseline`: known failures of `parley test` and `parley grade`, read before a run and written
// after it.

import type { Command } from 'commander'
import { type BaselineEntry, readBaseline, updateBaseline } from '../judge/runner/baseline.ts'
import type { CliIo } from './cli-io.ts'
import { counted, usage } from './flag-values.ts'

export interface BaselineFlags {
  baseline?: string
  updateBaseline?: boolean
}

export function addBaselineOptions(command: Command): Command {
  return command
    .option('--baseline <file>', 'known failures, with reasons')
    .option('--update-baseline', 'write the failures of this run into --baseline')
}

export function checkBaselineFlags({ baseline, updateBaseline: mayUpdate }: BaselineFlags): void {
  if (mayUpdate === true && baseline === undefined) throw usage('--update-baseline needs --baseline FILE.')
}

/** `ids`: of everything that can be known to fail. */
export async function baselineOf(flags: BaselineFlags, ids: () => Iterable<string>): Promise<BaselineEntry[]> {
  if (flags.baseline === undefined) return []
  try {
    return await readBaseline(flags.baseline, new Set(ids()))
  } catch (error) {
    // There is nothing to read before the first update.
    const isNew = error instanceof Error && 'code' in error && error.code === 'baseline-unreadable'
    if (flags.updateBaseline === true && isNew) return []
    throw error
  }
}

/** After a run that was to be written down; one that did not finish is not. */
export async function writeBaseline(
  flags: BaselineFlags,
  run: { complete: boolean; results: Parameters<typeof updateBaseline>[1] },
  before: readonly BaselineEntry[],
  io: CliIo,
): Promise<void> {
  if (flags.updateBaseline !== true || flags.baseline === undefined) return
  if (!run.complete) return io.err('The baseline was not written, because the run did not finish.\n')
  const entries = await updateBaseline(flags.baseline, run.results, before)
  io.err(`Wrote ${counted(entries, 'known failure')} to ${flags.baseline}.\n`)
}
