// A stored run from its file: a run record, or a JSON report of checks, suites or cases.

import { readFileSync } from 'node:fs'
import { whyUnreadable } from '../base/why-unreadable.ts'
import type { ConformanceReport } from '../judge/runner/result.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts'
import { SchemaSet } from '../schema/schema-set.ts'
import { runOfCasesDocument, runOfConformance, runOfSuitesDocument } from './json-documents.ts'
import { checkVersion, isRecord, parseRecord, type StoredRun, unreadable } from './record-reader.ts'
import { open } from './record-schema.ts'
import {
  type CasesDocument,
  casesShape,
  conformanceShape,
  runShape,
  type SuitesDocument,
  suitesShape,
} from './report-shape.ts'
import type { Run } from './run.ts'

export function loadRun(file: string): StoredRun {
  return parseRun(textOf(file), file)
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw unreadable(file, whyUnreadable(error))
  }
}

export function parseRun(text: string, file: string): StoredRun {
  if (isRecord(text)) return parseRecord(text, file)
  const run = runOfDocument(documentIn(text, file), file)
  return { run, arrival: run.results }
}

const DOCUMENTS = new SchemaSet(
  {
    checks: open(conformanceShape.schema),
    suites: open(suitesShape.schema),
    cases: open(casesShape.schema),
    run: open(runShape.schema),
  },
  {},
)

function runOfDocument(document: JsonObject, file: string): Run {
  if (isJsonObject(document.categories)) return runOfConformance(checked<ConformanceReport>('checks', document, file))
  if (Array.isArray(document.tests)) return runOfSuitesDocument(checked<SuitesDocument>('suites', document, file))
  if (isJsonObject(document.header)) {
    checkVersion(document.header.schemaVersion, file)
    return checked<Run>('run', document, file)
  }
  if (Array.isArray(document.results)) return runOfCasesDocument(checked<CasesDocument>('cases', document, file))
  throw unreadable(file, 'it is neither a run record nor a JSON report of Parley')
}

function documentIn(text: string, file: string): JsonObject {
  if (text.trim() === '') throw unreadable(file, 'it is empty')
  let document: JsonValue
  try {
    document = JSON.parse(text) as JsonValue
  } catch {
    throw unreadable(file, 'it is neither a run record nor a JSON report of Parley')
  }
  if (!isJsonObject(document)) throw unreadable(file, 'it is not a JSON object')
  if (document.schemaVersion !== undefined) checkVersion(document.schemaVersion, file)
  return withProtocols(document)
}

/** Reports from before there was gRPC do not say what their exchanges travelled over. */
function withProtocols(document: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(document), (key, value: unknown) =>
    key === 'transcript' && Array.isArray(value) ? value.map((one: object) => ({ protocol: 'http', ...one })) : value,
  ) as JsonObject
}

function checked<T>(name: 'checks' | 'suites' | 'cases' | 'run', document: JsonObject, file: string): T {
  const [issue] = DOCUMENTS.validate(name, document)
  if (issue !== undefined) throw unreadable(file, `${issue.pointer === '' ? 'it' : issue.pointer} ${issue.message}`)
  return document as unknown as T
}
