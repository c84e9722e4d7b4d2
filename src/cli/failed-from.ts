// `--failed-from`: what failed in an earlier run, read from its run record or JSON report.

import { loadRun } from '../run/load-run.ts'
import type { RunKind } from '../run/run.ts'
import { usage } from './flag-values.ts'

const HOW: Partial<Record<RunKind, string>> = {
  checks: 'run it with parley test and without --suite',
  suites: 'give the suites with --suite FILE, too',
  cases: 'run it with parley run',
}

export function failedIn(file: string, kind: RunKind): string[] {
  const { run } = loadRun(file)
  const { kind: stored } = run.header
  if (stored !== kind)
    throw usage(
      `The file ${file} given with --failed-from is a run of ${stored}; ${HOW[stored] ?? 'it cannot be used here'}.`,
    )
  const failed = [...new Set(run.results.filter(({ status }) => status === 'fail').map(({ test }) => test))]
  if (failed.length === 0) throw usage(`In the run ${file} nothing failed; leave out --failed-from.`)
  return failed
}
