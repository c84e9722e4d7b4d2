// Paths into a JSON value, in two notations: `task.artifacts[0].parts[*].text` as ACTS writes them, and the part of JSONPath
// people write in matches: $.a.b, $['a b'], $.list[0], $.list[*]. No filters, no recursion, so the time is bounded by the
// size of the value. Read when the file is loaded, so that a malformed one is reported with its line.

import { isJsonObject, type JsonValue } from '../model/json.ts'

/** Every element of an array. */
const EACH: unique symbol = Symbol('[*]')
/** Every element of an array, every member of an object. */
const ALL: unique symbol = Symbol('*')

export type PathSegment = string | number | typeof EACH | typeof ALL

export interface Path {
  readonly text: string
  readonly segments: readonly PathSegment[]
}

/** `members` looks a name up in an object; the default takes what is written there. */
export type MemberOf = (object: { [member: string]: JsonValue | undefined }, name: string) => JsonValue | undefined

export const ownMember: MemberOf = (object, name) => (Object.hasOwn(object, name) ? object[name] : undefined)

const SEGMENT = /(?:^|\.)([^.[\]]+)|\[(\d{1,6}|\*)\]/y

/** Undefined when the text is no path. The empty path is the root. */
export function parsePath(text: string): Path | undefined {
  const segments: PathSegment[] = []
  if (text.startsWith('.')) return undefined
  const reader = new RegExp(SEGMENT)
  while (reader.lastIndex < text.length) {
    const match = reader.exec(text)
    if (match === null) return undefined
    const [, name, index] = match
    if (name !== undefined) segments.push(name)
    else segments.push(index === '*' ? EACH : Number(index))
  }
  return { text, segments }
}

const JSON_PATH_SEGMENT = /\.([\w$-]+)|\[(\d{1,9})\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]|(\[\*\]|\.\*)/y

export function parseJsonPath(text: string): Path | { problem: string } {
  if (!text.startsWith('$')) return { problem: `'${text}' is not a JSON path: it must begin with $` }
  const segments: PathSegment[] = []
  const reader = new RegExp(JSON_PATH_SEGMENT)
  reader.lastIndex = 1
  while (reader.lastIndex < text.length) {
    const at = reader.lastIndex
    const match = reader.exec(text)
    if (match === null) {
      const problem = `'${text}' is not a JSON path this tool reads: '${text.slice(at)}' is neither .name, [0], ['name'] nor [*]`
      return { problem }
    }
    const [, name, index, single, double] = match
    const quoted = single ?? double
    if (index !== undefined) segments.push(Number(index))
    else segments.push(name ?? quoted?.replace(/\\(.)/g, '$1') ?? ALL)
  }
  return { text, segments }
}

export function hasWildcard(path: Path): boolean {
  return path.segments.includes(EACH)
}

export interface Selected {
  path: string
  value: JsonValue
}

/** Everything the path selects; `leads` is false when it ends before anything it could select from. */
export function select(
  root: JsonValue | undefined,
  path: Path,
  memberOf: MemberOf = ownMember,
): { found: Selected[]; leads: boolean } {
  let found: Selected[] = root === undefined ? [] : [{ path: '', value: root }]
  let leads = found.length > 0
  for (const segment of path.segments) {
    const next: Selected[] = []
    let isContainer = false
    for (const { path: at, value } of found) {
      if (segment === EACH) {
        if (!Array.isArray(value)) continue
        isContainer = true
        for (const [index, item] of value.entries()) next.push({ path: `${at}[${index}]`, value: item })
      } else if (segment === ALL) {
        if (typeof value !== 'object' || value === null) continue
        isContainer = true
        for (const [name, item] of Object.entries(value))
          if (item !== undefined) next.push({ path: joined(at, name), value: item })
      } else {
        const child = step(value, segment, memberOf)
        if (child !== undefined) next.push({ path: joined(at, segment), value: child })
      }
    }
    leads &&= isContainer || next.length > 0
    found = next
  }
  return { found, leads }
}

/** What a path without wildcards leads to. */
export function at(root: JsonValue | undefined, path: Path, memberOf: MemberOf = ownMember): JsonValue | undefined {
  return select(root, path, memberOf).found[0]?.value
}

export function joined(path: string, segment: string | number): string {
  if (typeof segment === 'number') return `${path}[${segment}]`
  return path === '' ? segment : `${path}.${segment}`
}

function step(value: JsonValue, segment: string | number, memberOf: MemberOf): JsonValue | undefined {
  if (typeof segment === 'number') return Array.isArray(value) ? value[segment] : undefined
  return isJsonObject(value) ? memberOf(value, segment) : undefined
}
