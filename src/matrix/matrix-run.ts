// A matrix as a run: known failures do not count, and those that do not fail any more end it with 11.

import { EXIT } from '../model/errors.ts'
import { plainRun } from '../run/plain-run.ts'
import type { Run, RunHeader, RunResult } from '../run/run.ts'
import type { MatrixFile } from '../scenario/matrix/matrix-shape.ts'

type KnownFailure = NonNullable<MatrixFile['known']>[number]

export function markKnown(result: RunResult, known: readonly KnownFailure[]): RunResult {
  const entry = result.verdict === 'fail' ? known.find((each) => isAbout(each, result)) : undefined
  if (entry === undefined) return result
  const link = entry.link === undefined ? '' : ` (${entry.link})`
  return {
    ...result,
    verdict: 'known',
    status: 'skip',
    notes: [...(result.notes ?? []), `known: ${entry.reason}${link}`],
  }
}

export function runOfMatrix(
  header: RunHeader,
  results: RunResult[],
  ending: { durationMs: number; complete: boolean; known?: readonly KnownFailure[]; exitCode?: number | undefined },
): Run {
  const { durationMs, complete, known = [] } = ending
  // What was not tried cannot be called stale.
  const stale = complete ? known.filter((entry) => isStale(entry, results)) : []
  const run = plainRun(header, results, {
    durationMs,
    complete,
    exitCode: ending.exitCode ?? exitCodeOf(results, stale.length > 0),
  })
  if (stale.length === 0) return run
  const named = stale.map(
    ({ client, server, conversation }) => `${client}→${server}${conversation === undefined ? '' : ` ${conversation}`}`,
  )
  return { ...run, footer: { ...run.footer, staleBaseline: named } }
}

function isStale(entry: KnownFailure, results: readonly RunResult[]): boolean {
  const about = results.filter((result) => isAbout(entry, result))
  return about.length > 0 && !about.some(({ verdict }) => verdict === 'known')
}

function isAbout({ client, server, conversation, version, binding }: KnownFailure, result: RunResult): boolean {
  return (
    result.pair?.client === client &&
    result.pair.server === server &&
    (conversation ?? result.test) === result.test &&
    (version ?? result.version) === result.version &&
    (binding ?? result.binding) === result.binding
  )
}

function exitCodeOf(results: readonly RunResult[], isStaleSomewhere: boolean): number {
  if (results.some(({ verdict }) => verdict === 'fail')) return EXIT.failed
  if (isStaleSomewhere) return EXIT.staleBaseline
  return results.some(({ verdict }) => ['pass', 'warn', 'known'].includes(verdict)) ? EXIT.ok : EXIT.inconclusive
}
