// The conditions of `repeat.until`: `path == value`, `path != value`, `path in [a, b]`.

import type { JsonValue } from '../../model/json.ts'
import { at, type MemberOf, ownMember, type Path, parsePath } from '../../yaml/value-path.ts'

export interface Condition {
  readonly text: string
  readonly path: Path
  readonly negated: boolean
  readonly values: readonly JsonValue[]
}

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
