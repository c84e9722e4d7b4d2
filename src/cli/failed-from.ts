// `--failed-from`: the checks that failed in an earlier run, read from its JSON report.

import { isJsonObject, type JsonValue } from '../model/json.ts'
import { usage } from './flag-values.ts'
import { readInput } from './target-options.ts'

export function failedIn(file: string): string[] {
  const failed = [...new Set(failuresIn(readInput('--failed-from', file).toString('utf8'), file))]
  if (failed.length === 0) throw usage(`In the report ${file} nothing failed; leave out --failed-from.`)
  return failed
}

function failuresIn(text: string, file: string): string[] {
  const report = parsed(text)
  if (!isJsonObject(report) || !isJsonObject(report.categories))
    throw usage(`The file ${file} given with --failed-from is not a JSON report of parley test.`)
  const reports = isJsonObject(report.second) ? [report, report.second] : [report]
  const results = reports.flatMap(({ categories }) =>
    isJsonObject(categories) ? Object.values(categories).flat() : [],
  )
  return results.flatMap((result) =>
    isJsonObject(result) && result.status === 'fail' && typeof result.test === 'string' ? [result.test] : [],
  )
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return undefined
  }
}
