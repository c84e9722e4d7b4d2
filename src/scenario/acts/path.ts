// Dot-paths of ACTS (`task.artifacts[0].parts[*].text`) and the conditions of `repeat.until`. Both are read when the
// file is loaded, so that a malformed one is reported with its line and not in the middle of a run.

import { isJsonObject, type JsonValue } from '../../model/json.ts'

/** Every element of an array. */
const EACH: unique symbol = Symbol('[*]')

export type PathSegment = string | number | typeof EACH

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

export interface Condition {
  readonly text: string
  readonly path: Path
  readonly negated: boolean
  readonly values: readonly JsonValue[]
}

/** `path == value`, `path != value`, `path in [a, b]`. */
export function parseCondition(text: string): Condition | undefined {
  const comparison = /^\s*(\S+)\s*(==|!=)\s*(.+?)\s*$/.exec(text)
  if (comparison !== null) {
    const [, name = '', operator, value = ''] = comparison
    const path = parsePath(name)
    return path && { text, path, negated: operator === '!=', values: [literal(value)] }
  }
  const [, name = '', list = ''] = /^\s*(\S+)\s+in\s+\[([^\]]*)\]\s*$/.exec(text) ?? []
  const path = parsePath(name)
  if (path === undefined || path.segments.length === 0) return undefined
  const values = list.split(',').map((value) => literal(value.trim()))
  return { text, path, negated: false, values }
}

export function holds(condition: Condition, root: JsonValue | undefined, memberOf: MemberOf = ownMember): boolean {
  const value = at(root, condition.path, memberOf)
  return condition.values.includes(value ?? null) !== condition.negated
}

/** Words stand for themselves; quotes, numbers, true, false and null mean what they mean in JSON. */
function literal(text: string): JsonValue {
  const [, single] = /^'(.*)'$/.exec(text) ?? []
  if (single !== undefined) return single
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return text
  }
}
