// A stored run, read in the browser for a comparison: a run record line by line, or a JSON report. Only what a comparison
// needs is looked at; a file that is neither, or newer than this page, is refused in one sentence.

import type { ConformanceReport, ConformanceResult } from '../../src/judge/runner/result.ts'
import type { RunFooter, RunHeader } from '../../src/run/run.ts'
import { RunLines } from '../shared/run-lines.ts'
import type { Row, RunIndex } from './data.ts'

const NEWEST = 1

export function readRunFile(name: string, text: string): RunIndex {
  const first = jsonIn(text.slice(0, text.indexOf('\n') < 0 ? undefined : text.indexOf('\n')))
  if (isObject(first) && first.type === 'header') return readRecord(name, text)
  const document = jsonIn(text)
  if (!isObject(document)) throw new Error(`${name} is neither a run record nor a JSON report of Parley.`)
  if (isObject(document.header)) {
    checkVersion(name, document.header.schemaVersion)
    return { blockSize: 1, agents: [], ...(document as object) } as unknown as RunIndex
  }
  if (!isObject(document.categories)) throw new Error(`${name} is neither a run record nor a JSON report of Parley.`)
  checkVersion(name, document.schemaVersion)
  return ofReport(document as unknown as ConformanceReport)
}

function readRecord(name: string, text: string): RunIndex {
  const lines = new RunLines()
  for (const [at, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const json = jsonIn(line)
    // A last line may be cut off; any other says that the file was changed.
    if (!isObject(json)) {
      if (at === text.split('\n').length - 1) break
      throw new Error(`${name}: line ${at + 1} is not a JSON object, so the file was changed or damaged.`)
    }
    if (json.type === 'header') checkVersion(name, json.schemaVersion)
    lines.add(json)
  }
  const found = lines.index()
  if (found === undefined) throw new Error(`${name} is a run record without a header.`)
  return found
}

function ofReport(report: ConformanceReport): RunIndex {
  const { agentUrl, agentName, agentVersion, testDate, provenance, categories, ...rest } = report
  const header: RunHeader = {
    ...{ schemaVersion: 1, kind: 'checks', id: '', startedAt: testDate, runtime: '', flags: [] },
    ...{ parleyVersion: provenance.parleyVersion, target: agentUrl },
  }
  const results = Object.values(categories)
    .flat()
    .map((result: ConformanceResult): Row => ({ ...result, group: result.category }))
  const footer = {
    ...rest,
    agentUrl,
    agentName,
    agentVersion,
    startedAt: testDate,
    verdict: 'pass',
    durationMs: provenance.durationMs,
  }
  return { header, footer: footer as unknown as RunFooter, agents: [], results, blockSize: 1 }
}

function checkVersion(name: string, version: unknown): void {
  if (typeof version === 'number' && version <= NEWEST) return
  throw new Error(
    `${name} was written by a newer Parley (version ${String(version)} of its format; this page reads up to ${NEWEST}). Write this page anew with that Parley.`,
  )
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isObject(value: unknown): value is { [member: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
