// What a JSON value means under ProtoJSON, so that two ways of writing one thing are equal: members at their default and
// absent ones, numbers and numeric strings, enums by name and by number, instants, base64 in both alphabets, both
// spellings of a name. Inside of `data`, `metadata` and the like everything is the author's own and compared as it is.

import { trimEndOf } from '../../base/trim-end.ts'
import { isJsonObject, type JsonObject, type JsonValue, sameJson } from '../../model/json.ts'
import { TASK_STATES } from '../../model/task.ts'

/** Members that hold any JSON: google.protobuf.Struct and Value. */
const FREE = new Set(['metadata', 'data', 'params', 'header'])
/** Members of a oneof are there or not; their default is a value like any other. */
const CONTENT = new Set(['text', 'raw', 'url', 'data', 'file'])
const BYTES = new Set(['raw', 'bytes'])
const COUNTS = new Set(['pageSize', 'totalSize', 'historyLength'])

const INSTANTS = new Set(['timestamp', 'statusTimestampAfter'])
/** In the order of their numbers in a2a.proto. */
const ENUMS: Readonly<Record<string, readonly string[]>> = {
  role: ['ROLE_UNSPECIFIED', 'ROLE_USER', 'ROLE_AGENT'],
  state: TASK_STATES,
}

/** Do both say the same? */
export function sameMeaning(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  return sameJson(meaningOf(a), meaningOf(b))
}

/** The value in the one way of writing it that all others are equal to. */
export function meaningOf(value: JsonValue | undefined, name = ''): JsonValue | undefined {
  if (value === undefined || value === null) return undefined
  if (FREE.has(name)) return isJsonObject(value) && Object.keys(value).length === 0 ? undefined : value
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map((item) => meaningOf(item) ?? null)
  if (isJsonObject(value)) return objectMeaning(value)
  return scalarMeaning(value, name)
}

function objectMeaning(object: JsonObject): JsonObject {
  const meant: JsonObject = {}
  for (const [written, inner] of Object.entries(object)) {
    const name = camelCase(written)
    const value = meaningOf(inner, name) ?? (CONTENT.has(name) ? (inner ?? undefined) : undefined)
    if (value !== undefined) meant[name] = value
  }
  return meant
}

function scalarMeaning(value: string | number | boolean, name: string): JsonValue | undefined {
  const names = ENUMS[name]
  if (names !== undefined && typeof value === 'number') return scalarMeaning(names[value] ?? String(value), name)
  if (typeof value === 'string') {
    if (names !== undefined && value.endsWith('_UNSPECIFIED')) return undefined
    if (COUNTS.has(name) && /^-?\d+$/.test(value)) return scalarMeaning(Number(value), name)
    if (BYTES.has(name)) return trimEndOf(value.replaceAll('-', '+').replaceAll('_', '/'), '=')
    if (INSTANTS.has(name) && isInstant(value)) return new Date(value).toISOString()
  }
  const isDefault = value === '' || value === 0 || value === false
  return isDefault ? undefined : value
}

/** RFC 3339, as google.protobuf.Timestamp is written; finer than milliseconds is not compared. */
function isInstant(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(Date.parse(text))
}

function camelCase(name: string): string {
  return name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}
