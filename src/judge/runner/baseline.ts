// Known failures, with the reason each is accepted. A listed check that passes makes the run fail: a baseline that is
// not true any more hides the next failure.

import { readFile, rename, writeFile } from 'node:fs/promises'
import { LineCounter, parseDocument, stringify } from 'yaml'
import { EXIT, ParleyError } from '../../model/errors.ts'
import type { ConformanceResult } from './result.ts'

export interface BaselineEntry {
  /** A check id, or the key of one result: `get-task-unknown@1.0/rest`. */
  check: string
  reason: string
  link?: string
}

export async function readBaseline(path: string): Promise<BaselineEntry[]> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    throw new ParleyError('baseline-unreadable', `The baseline ${path} cannot be read; check the path.`, {
      exitCode: EXIT.usage,
      cause: error,
    })
  }
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines })
  const bad = (offset: number, what: string) => {
    const { line } = lines.linePos(offset)
    return new ParleyError('bad-baseline', `${path}:${line}: ${what}`, { exitCode: EXIT.usage })
  }
  const [fault] = document.errors
  if (fault !== undefined) throw bad(fault.pos[0], fault.message.split('\n', 1)[0] ?? 'not YAML')
  const known: unknown = document.toJS()
  const list = typeof known === 'object' && known !== null && 'known' in known ? known.known : undefined
  if (!Array.isArray(list)) throw bad(0, 'a baseline has one member, `known`, with a list of entries')
  return list.map((entry: unknown, at): BaselineEntry => {
    const node = document.getIn(['known', at], true)
    const range = typeof node === 'object' && node !== null && 'range' in node ? (node.range as [number] | null) : null
    return entryOf(entry, (what) => bad(range?.[0] ?? 0, `known[${at}]: ${what}`))
  })
}

function entryOf(entry: unknown, bad: (what: string) => ParleyError): BaselineEntry {
  if (typeof entry !== 'object' || entry === null) throw bad('must be an object with `check` and `reason`')
  const { check, reason, link, ...rest } = entry as Record<string, unknown>
  const [unknown] = Object.keys(rest)
  if (unknown !== undefined) throw bad(`unknown key \`${unknown}\`; entries have check, reason and link`)
  if (typeof check !== 'string') throw bad('`check` must be the id of a check')
  if (typeof reason !== 'string' || reason.trim() === '') throw bad('`reason` must say why the failure is accepted')
  if (link !== undefined && typeof link !== 'string') throw bad('`link` must be a URL')
  return link === undefined ? { check, reason } : { check, reason, link }
}

/** Marks known failures and names the entries that are not true any more. */
export function applyBaseline(
  results: readonly ConformanceResult[],
  entries: readonly BaselineEntry[],
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
    if (failing.length === 0 && (passing || matching.length === 0)) stale.push(entry.check)
  }
  return { stale }
}

/** The failures of this run, keeping the reasons already written. */
export async function updateBaseline(
  path: string,
  results: readonly ConformanceResult[],
  before: readonly BaselineEntry[],
): Promise<void> {
  const failing = results.filter(
    (result) => ['fail', 'known'].includes(result.verdict) || (result.verdict === 'warn' && result.status === 'fail'),
  )
  const known = failing.map(({ key, test, message }): BaselineEntry => {
    const old = before.find((entry) => entry.check === key || entry.check === test)
    return old === undefined ? { check: key, reason: `to be explained: ${message ?? 'fails'}` } : { ...old, check: key }
  })
  const temporary = `${path}.${process.pid}.tmp`
  await writeFile(temporary, stringify({ known }))
  await rename(temporary, path)
}
