// Known failures, with the reason each is accepted. A listed check that passes makes the run fail: a baseline that is
// not true any more hides the next failure.

import { rename, writeFile } from 'node:fs/promises'
import { stringify } from 'yaml'
import { EXIT, ParleyError } from '../../model/errors.ts'
import { didYouMean } from '../../yaml/did-you-mean.ts'
import { readYamlFile } from '../../yaml/file.ts'
import { list, nonEmptyText, optional, record, text } from '../../yaml/shape.ts'
import type { ConformanceResult } from './result.ts'

/** A finding that is known, and why. */
export interface BaselineEntry {
  /** A check id, or the key of one result: `get-task-unknown@1.0/rest`. */
  check: string
  /** Why it is known and tolerated. */
  reason: string
  /** Where it is tracked. */
  link?: string
}

const MOST_SHOWN = 5
const entry = record(
  { check: nonEmptyText, reason: nonEmptyText, link: optional(text) },
  {
    check: 'The id of a check, or the key of one result: get-task-unknown@1.0/rest.',
    reason: 'Why the failure is accepted.',
    link: 'Where it is tracked.',
  },
)
export const baselineShape = record({ known: list(entry) }, { known: 'Failures that are known and do not count.' })

/**
 * Reads a file of known failures. `checks` are the ids there are: an entry with a typo would otherwise look like a
 * failure that is gone.
 *
 * @example
 * ```ts
 * import { certify, readBaseline } from 'a2a-parley/judge'
 *
 * const report = await certify('localhost:9999', { baseline: await readBaseline('baseline.yaml') })
 * console.log(report.staleBaseline ?? [])
 * ```
 */
export async function readBaseline(path: string, checks?: ReadonlySet<string>): Promise<BaselineEntry[]> {
  const { known } = readYamlFile(path, 'baseline', baselineShape)
  if (checks === undefined) return known
  const wrong = known.map(({ check }) => check).filter((check) => !checks.has(check.split('@')[0] ?? ''))
  if (wrong.length === 0) return known
  const shown = wrong.slice(0, MOST_SHOWN).map((check) => `'${check}'${didYouMean(check, checks)}`)
  const more = wrong.length > MOST_SHOWN ? `, and ${wrong.length - MOST_SHOWN} more` : ''
  throw new ParleyError(
    'bad-baseline',
    `${path}: there is no check ${shown.join(', ')}${more}`.replace(/(?<!\?)$/, '.'),
    {
      exitCode: EXIT.usage,
    },
  )
}

/** As much of a result as a baseline is about: of a check, or of a claim about a client. */
export interface KnownToFail extends Pick<ConformanceResult, 'key' | 'test' | 'status' | 'message' | 'notes'> {
  verdict: ConformanceResult['verdict'] | 'skip'
}

/** Marks known failures and names the entries that are not true any more; in part of a run, only those it looked at. */
export function applyBaseline(
  results: readonly KnownToFail[],
  entries: readonly BaselineEntry[],
  isWhole: boolean,
): { stale: string[] } {
  const stale: string[] = []
  for (const entry of entries) {
    const matching = results.filter((result) => result.key === entry.check || result.test === entry.check)
    const failing = matching.filter((result) => result.verdict === 'fail' || result.verdict === 'warn')
    for (const result of failing) {
      result.verdict = 'known'
      result.status = 'skip'
      result.notes = [
        ...(result.notes ?? []),
        `known: ${entry.reason}${entry.link === undefined ? '' : ` (${entry.link})`}`,
      ]
    }
    const passing = matching.some((result) => result.verdict === 'pass')
    if (failing.length === 0 && (passing || (isWhole && matching.length === 0))) stale.push(entry.check)
  }
  return { stale }
}

/**
 * Writes the failures of this run, keeping the reasons already written, and what is known about checks that did not run.
 * Returns how many entries there are now.
 */
export async function updateBaseline(
  path: string,
  results: readonly KnownToFail[],
  before: readonly BaselineEntry[],
): Promise<number> {
  const failing = results.filter(
    (result) => ['fail', 'known'].includes(result.verdict) || (result.verdict === 'warn' && result.status === 'fail'),
  )
  const known = failing.map(({ key, test, message }): BaselineEntry => {
    const old = before.find((entry) => entry.check === key || entry.check === test)
    return old === undefined ? { check: key, reason: `to be explained: ${message ?? 'fails'}` } : { ...old, check: key }
  })
  const judged = new Set(results.flatMap(({ key, test, verdict }) => (verdict === 'not-measured' ? [] : [key, test])))
  known.push(...before.filter((entry) => !judged.has(entry.check)))
  const temporary = `${path}.${process.pid}.tmp`
  await writeFile(temporary, stringify({ known }))
  await rename(temporary, path)
  return known.length
}
