// Reads a run record, also one that is still being written or whose writer was killed: everything up to the last whole line counts,
// and without a footer the run is told as incomplete.

import { EXIT, ParleyError } from '../model/errors.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts'
import { SchemaSet } from '../schema/schema-set.ts'
import { LINE_TYPES, type LineType, lineSchema, open } from './record-schema.ts'
import { RECORD_VERSION, type Run, type RunAgent, type RunFooter, type RunHeader, type RunResult } from './run.ts'
import { unfinishedFooter } from './unfinished-run.ts'

export interface StoredRun {
  run: Run
  /** The results as they came, as they finally were. */
  arrival: RunResult[]
  /** How many results were planned, where that was known. */
  total?: number
}

export function isRecord(text: string): boolean {
  const first = parsed(text.slice(0, text.indexOf('\n') < 0 ? undefined : text.indexOf('\n')))
  return isJsonObject(first) && first.type === 'header'
}

export function parseRecord(text: string, file: string): StoredRun {
  const lines = linesOf(text, file)
  const [first] = lines
  if (first === undefined) throw unreadable(file, 'it is empty')
  if (first.type !== 'header') throw unreadable(file, 'its first line is not the header of a run record')
  checkVersion(first.schemaVersion, file)
  checkLines(lines, file)
  const header = members<RunHeader>(first)
  const agents: RunAgent[] = []
  const byNumber: RunResult[] = []
  let total: number | undefined
  let footer: (RunFooter & { order?: number[] }) | undefined
  for (const line of lines.slice(1)) {
    if (line.type === 'agent') agents.push(members(line))
    else if (line.type === 'plan') total = Number(line.total)
    else if (line.type === 'footer') footer = members(line)
    else if (line.type === 'result') {
      const { n, ...result } = members<RunResult & { n: number }>(line)
      byNumber[n] = result
    }
    // Lines of other types are from a later Parley that says more about the same.
  }
  const arrival = byNumber.filter((result) => result !== undefined)
  if (footer === undefined) {
    const run = { header, agents, results: arrival, footer: unfinishedFooter(header, agents, arrival) }
    return { run, arrival, total }
  }
  const { order, ...end } = footer
  const results = order === undefined ? arrival : order.flatMap((n) => byNumber[n] ?? [])
  return { run: { header, agents, results, footer: end }, arrival, total }
}

export function checkVersion(version: JsonValue | undefined, file: string): void {
  if (typeof version === 'number' && version <= RECORD_VERSION) return
  const said = typeof version === 'number' ? `version ${version}` : 'no version this Parley knows'
  throw unreadable(
    file,
    `it has ${said}, and this Parley reads up to ${RECORD_VERSION}; update Parley (npm install a2a-parley@latest)`,
  )
}

const LINES = new SchemaSet(
  Object.fromEntries(LINE_TYPES.map((type) => [type, open(lineSchema(type))])) as Record<LineType, JsonObject>,
  {},
)

/** Whatever was written by hand or by another program is refused here, not met later. */
function checkLines(lines: readonly JsonObject[], file: string): void {
  for (const [at, line] of lines.entries()) {
    const type = LINE_TYPES.find((known) => known === line.type)
    const [issue] = type === undefined ? [] : LINES.validate(type, line)
    if (issue === undefined) continue
    throw unreadable(file, `line ${at + 1}: ${issue.pointer === '' ? 'it' : issue.pointer} ${issue.message}`)
  }
}

/** A last line without its end was being written when the process died. */
function linesOf(text: string, file: string): JsonObject[] {
  const whole = text.slice(0, text.lastIndexOf('\n') + 1)
  return whole.split('\n').flatMap((line, at) => {
    if (line.trim() === '') return []
    const value = parsed(line)
    if (isJsonObject(value)) return [value]
    throw unreadable(file, `line ${at + 1} is not a JSON object, so the file was changed or damaged`)
  })
}

function members<T>(line: JsonObject): T {
  const { type: _, ...rest } = line
  return rest as T
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return undefined
  }
}

export function unreadable(file: string, why: string): ParleyError {
  return new ParleyError('run-unreadable', `${file} cannot be read as a run: ${why}.`, { exitCode: EXIT.usage })
}
