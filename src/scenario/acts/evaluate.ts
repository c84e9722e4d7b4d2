// Does a value hold what an assertion says? The answer is nothing, or the first mismatch with its path, what was
// expected and what was there. Pure; variables are filled in through `resolve`.

import { isJsonObject, type JsonValue, sameJson } from '../../model/json.ts'
import { matches } from '../../yaml/pattern.ts'
import { joined, type MemberOf, ownMember } from '../../yaml/value-path.ts'
import { type Assertion, describeAssertion, type Operator, type ValueType } from './assertion.ts'

export interface Mismatch {
  path: string
  expected: string
  actual: string
}

export interface Evaluation {
  /** Fills in `{{…}}`; a text that is one reference becomes the value itself. */
  resolve(text: string): JsonValue
  memberOf?: MemberOf
}

const MAX_SHOWN = 300

export function mismatch(
  wanted: Assertion,
  value: JsonValue | undefined,
  path: string,
  by: Evaluation,
): Mismatch | undefined {
  switch (wanted.is) {
    case 'equal': {
      const expected = typeof wanted.value === 'string' ? by.resolve(wanted.value) : wanted.value
      return sameJson(expected, value) ? undefined : differs(path, JSON.stringify(expected), value)
    }
    case 'members': {
      if (!isJsonObject(value)) return differs(path, 'an object', value)
      const memberOf = by.memberOf ?? ownMember
      for (const [name, inner] of wanted.members) {
        const found = mismatch(inner, memberOf(value, name), joined(path, name), by)
        if (found !== undefined) return found
      }
      return undefined
    }
    case 'elements': {
      if (!Array.isArray(value)) return differs(path, 'an array', value)
      for (const [index, inner] of wanted.elements.entries()) {
        const found = mismatch(inner, value[index], joined(path, index), by)
        if (found !== undefined) return found
      }
      return undefined
    }
    case 'operators': {
      for (const operator of wanted.operators) {
        const found = operatorMismatch(operator, value, path, by)
        if (found !== undefined) return found
      }
      return undefined
    }
  }
}

function operatorMismatch(
  operator: Operator,
  value: JsonValue | undefined,
  path: string,
  by: Evaluation,
): Mismatch | undefined {
  const unless = (holds: boolean, expected: string) => (holds ? undefined : differs(path, expected, value))
  switch (operator.op) {
    case 'type':
      return unless(typeOf(value) === operator.is, `a value of type ${operator.is}`)
    case 'exists':
      return unless(value !== undefined, 'any value')
    case 'absent':
      return unless(value === undefined, 'nothing')
    case 'contains':
    case 'starts_with':
    case 'ends_with': {
      const filled = by.resolve(operator.text)
      const part = typeof filled === 'string' ? filled : JSON.stringify(filled)
      const holds = typeof value === 'string' && TEXT_TESTS[operator.op](value, part)
      return unless(holds, `text that ${operator.op.replace('_', ' ')} ${JSON.stringify(part)}`)
    }
    case 'matches':
      return unless(
        typeof value === 'string' && matches(operator.pattern, value),
        `text that matches /${operator.pattern.source}/`,
      )
    case 'gte':
    case 'lte':
    case 'gt':
    case 'lt':
      return unless(
        typeof value === 'number' && COMPARISONS[operator.op](value, operator.limit),
        `a number ${SIGNS[operator.op]} ${operator.limit}`,
      )
    case 'count':
    case 'count_gte':
    case 'count_lte': {
      const length = Array.isArray(value) ? value.length : undefined
      const holds = length !== undefined && COUNTS[operator.op](length, operator.limit)
      return unless(holds, `an array of ${COUNT_WORDS[operator.op]}${operator.limit} elements`)
    }
    case 'all_of': {
      for (const inner of operator.of) {
        const found = mismatch(inner, value, path, by)
        if (found !== undefined) return found
      }
      return undefined
    }
    case 'one_of':
    case 'any_of': {
      const holds = operator.of.some((inner) => mismatch(inner, value, path, by) === undefined)
      return unless(holds, `one of ${operator.of.map(describeAssertion).join(', ')}`)
    }
    case 'not':
      return unless(mismatch(operator.inner, value, path, by) !== undefined, `not ${describeAssertion(operator.inner)}`)
    case 'items':
      return itemsMismatch(operator.inner, value, path, by)
  }
}

function itemsMismatch(inner: Assertion, value: JsonValue | undefined, path: string, by: Evaluation) {
  if (inner.is === 'elements' || !Array.isArray(value)) return mismatch(inner, value, path, by)
  for (const [index, item] of value.entries()) {
    const found = mismatch(inner, item, joined(path, index), by)
    if (found !== undefined) return found
  }
  return undefined
}

const TEXT_TESTS = {
  contains: (value: string, part: string) => value.includes(part),
  starts_with: (value: string, part: string) => value.startsWith(part),
  ends_with: (value: string, part: string) => value.endsWith(part),
}
const COMPARISONS = {
  gte: (value: number, limit: number) => value >= limit,
  lte: (value: number, limit: number) => value <= limit,
  gt: (value: number, limit: number) => value > limit,
  lt: (value: number, limit: number) => value < limit,
}
const SIGNS = { gte: '>=', lte: '<=', gt: '>', lt: '<' }
const COUNTS = {
  count: (length: number, limit: number) => length === limit,
  count_gte: COMPARISONS.gte,
  count_lte: COMPARISONS.lte,
}
const COUNT_WORDS = { count: 'exactly ', count_gte: 'at least ', count_lte: 'at most ' }

function differs(path: string, expected: string, value: JsonValue | undefined): Mismatch {
  return { path, expected, actual: shown(value) }
}

export function shown(value: JsonValue | undefined): string {
  if (value === undefined) return 'nothing (the member is absent)'
  const text = JSON.stringify(value)
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}…`
}

function typeOf(value: JsonValue | undefined): ValueType | undefined {
  if (value === undefined) return undefined
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  const type = typeof value
  return type === 'string' || type === 'number' || type === 'boolean' ? type : 'object'
}
