// Finds case files, reads all of them before playing any, and plays them. Problems of files come first: a suite with a
// broken file has no verdict.

import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { EXIT, ParleyError } from '../../model/errors.ts'
import { didYouMean } from '../../yaml/did-you-mean.ts'
import { type Case, loadCase, type Variant, variantsOf } from './load-case.ts'
import { type CaseResult, runCase } from './run-case.ts'

export interface RunOptions {
  /** Only cases with one of these tags. */
  readonly tags?: readonly string[]
  /** Only cases with one of these ids. */
  readonly ids?: readonly string[]
  /** Instead of the ways the cases ask for. */
  readonly variants?: Partial<{ [K in keyof Variant]: readonly Variant[K][] }>
  /** How many at once; 4 unless given. */
  readonly concurrency?: number
  readonly onResult?: (result: CaseResult) => void
}

export interface RunReport {
  readonly results: readonly CaseResult[]
  readonly durationMs: number
}

export async function runCases(paths: readonly string[], options: RunOptions = {}): Promise<RunReport> {
  const startedMs = performance.now()
  const found = loadCases(paths)
  const known = found.map(({ test_case_id: id }) => id)
  const missing = options.ids?.find((id) => !known.includes(id))
  if (missing !== undefined) throw unknownCase(missing, known)
  const cases = found.filter(
    ({ test_case_id: id, tags = [] }) =>
      (options.ids?.includes(id) ?? true) && (options.tags?.some((tag) => tags.includes(tag)) ?? true),
  )
  if (cases.length === 0) throw noCases(paths, options.tags)
  const plays = cases.flatMap((written) =>
    variantsOf(written, options.variants).map((variant) => ({ written, variant })),
  )
  const results: CaseResult[] = []
  let next = 0
  const work = async (): Promise<void> => {
    for (let at = next++; at < plays.length; at = next++) {
      const play = plays[at]
      if (play === undefined) return
      const result = await runCase(play.written, play.variant)
      results[at] = result
      options.onResult?.(result)
    }
  }
  await Promise.all(Array.from({ length: options.concurrency ?? 4 }, work))
  return { results, durationMs: Math.round(performance.now() - startedMs) }
}

/** Reads every file, so that all of what is wrong is told at once. */
export function loadCases(paths: readonly string[]): Case[] {
  const files = paths.flatMap(caseFiles)
  const problems: string[] = []
  const cases: Case[] = []
  for (const file of files) {
    try {
      cases.push(loadCase(file))
    } catch (error) {
      if (!(error instanceof ParleyError)) throw error
      problems.push(error.message)
    }
  }
  const known = new Map<string, string>()
  for (const { test_case_id: id, file } of cases) {
    const other = known.get(id)
    if (other !== undefined) problems.push(`${file}: the test_case_id '${id}' is also that of ${other}`)
    known.set(id, file)
  }
  if (problems.length > 0) throw new ParleyError('case-invalid', problems.join('\n'), { exitCode: EXIT.usage })
  return cases
}

function caseFiles(path: string): string[] {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) return [path]
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.ya?ml$/.test(name))
    .sort()
    .map((name) => join(path, name))
}

function unknownCase(id: string, known: readonly string[]): ParleyError {
  const message = `There is no case '${id}' in these files${didYouMean(id, known)}.`
  return new ParleyError('unknown-case', message, { exitCode: EXIT.usage })
}

function noCases(paths: readonly string[], tags: readonly string[] | undefined): ParleyError {
  const what = tags === undefined ? '' : ` with the tag ${tags.join(' or ')}`
  return new ParleyError('no-cases', `There is no case${what} in ${paths.join(', ')}.`, { exitCode: EXIT.usage })
}
