// The assertions of ACTS as they stand in a file. A map whose keys are all operators is a condition on the value;
// any other map mirrors the members of the value, a list its elements, a scalar is the value itself.

import type { JsonObject, JsonValue } from '../../model/json.ts'
import { closest, didYouMean } from '../../yaml/did-you-mean.ts'
import { compilePattern, type Pattern } from '../../yaml/pattern.ts'
import type { Shape } from '../../yaml/shape.ts'
import type { YamlNode, YamlSource } from '../../yaml/source.ts'

const VALUE_TYPES = ['string', 'number', 'boolean', 'array', 'object', 'null'] as const
export type ValueType = (typeof VALUE_TYPES)[number]

type LimitOperator = 'gte' | 'lte' | 'gt' | 'lt' | 'count' | 'count_gte' | 'count_lte'

export type Operator =
  | { op: 'type'; is: ValueType }
  | { op: 'exists' | 'absent' }
  | { op: 'contains' | 'starts_with' | 'ends_with'; text: string }
  | { op: 'matches'; pattern: Pattern }
  | { op: LimitOperator; limit: number }
  | { op: 'one_of' | 'all_of' | 'any_of'; of: readonly Assertion[] }
  | { op: 'not'; inner: Assertion }
  /** Not in the grammar of the draft, but in its suites: every element, or the elements by position. */
  | { op: 'items'; inner: Assertion }

export type Assertion =
  | { is: 'equal'; value: string | number | boolean | null }
  | { is: 'members'; members: ReadonlyMap<string, Assertion> }
  | { is: 'elements'; elements: readonly Assertion[] }
  | { is: 'operators'; operators: readonly Operator[] }

type Reader = (node: YamlNode, source: YamlSource, at: string) => Operator | undefined

const KINDS = ['text', 'number', 'boolean', 'null', 'map', 'list'] as const

export const assertion: Shape<Assertion> = {
  kinds: KINDS,
  schema: {},
  read(node, source, at) {
    const kind = source.kindOf(node)
    if (kind === 'list') {
      const elements = readAll(source.items(node), source, at)
      return elements && { is: 'elements', elements }
    }
    return kind === 'map' ? readMembers(source.members(node), source, at) : { is: 'equal', value: source.scalar(node) }
  },
}

/** Where the grammar asks for a map of assertions. */
export const memberAssertions: Shape<Assertion> = {
  kinds: ['map'],
  schema: { type: 'object' },
  read(node, source, at) {
    if (source.kindOf(node) !== 'map') return source.report(node, `${at} must be a map of keys`)
    return readMembers(source.members(node), source, at)
  },
}

type Members = ReturnType<YamlSource['members']>

/** Reads some of the members of a map, for maps that hold other keys besides their assertion. */
export function readMembers(members: Members, source: YamlSource, at: string): Assertion | undefined {
  const operators = members.filter(({ key, value }) => isOperator(key, value, source))
  if (operators.length === 0) {
    const read = new Map<string, Assertion>()
    let isComplete = true
    for (const { key, value } of members) {
      const inner = mistypedType(key, value, source, at) ? undefined : assertion.read(value, source, `${at}.${key}`)
      if (inner === undefined) isComplete = false
      else read.set(key, inner)
    }
    return isComplete ? { is: 'members', members: read } : undefined
  }
  const stranger = members.find((member) => !operators.includes(member))
  if (stranger !== undefined) {
    const { key, keyNode } = stranger
    const hint = didYouMean(key, OPERATORS.keys()) || '; name operators or members of the value, not both'
    return source.report(
      keyNode,
      `'${key}' in ${at} is not an operator, but '${operators[0]?.key}' beside it is${hint}`,
    )
  }
  const read = operators.map(({ key, value }) => OPERATORS.get(key)?.(value, source, `${at}.${key}`))
  return read.every((operator) => operator !== undefined) ? { is: 'operators', operators: read } : undefined
}

/** Members of A2A objects may be called `type` or `count`: such a key is an operator only with a fitting operand. */
function isOperator(key: string, value: YamlNode, source: YamlSource): boolean {
  if (!OPERATORS.has(key)) return false
  const kind = source.kindOf(value)
  switch (key) {
    case 'type':
      return kind === 'text' && VALUE_TYPES.some((type) => type === source.scalar(value))
    case 'exists':
    case 'absent':
      return kind === 'boolean'
    case 'contains':
    case 'matches':
      return kind === 'text'
    case 'count':
    case 'gte':
    case 'lte':
    case 'gt':
    case 'lt':
      return kind === 'number'
    case 'items':
      return kind === 'map' || kind === 'list'
    default:
      return true
  }
}

function mistypedType(key: string, value: YamlNode, source: YamlSource, at: string): boolean {
  if (key !== 'type' || source.kindOf(value) !== 'text') return false
  const suggestion = closest(String(source.scalar(value)), VALUE_TYPES)
  if (suggestion === undefined) return false
  source.report(value, `${at}.type is not a type; did you mean '${suggestion}'?`)
  return true
}

const readNumber =
  (op: LimitOperator, isCount: boolean): Reader =>
  (node, source, at) => {
    const limit = source.scalar(node)
    if (typeof limit !== 'number' || (isCount && !Number.isInteger(limit)))
      return source.report(node, `${at} must be ${isCount ? 'a whole number' : 'a number'}`)
    return { op, limit }
  }

const readText =
  (op: 'contains' | 'starts_with' | 'ends_with'): Reader =>
  (node, source, at) => {
    const text = source.scalar(node)
    return typeof text === 'string' ? { op, text } : source.report(node, `${at} must be text`)
  }

const readList =
  (op: 'one_of' | 'all_of' | 'any_of'): Reader =>
  (node, source, at) => {
    const items = source.items(node)
    if (items.length === 0) return source.report(node, `${at} must be a list with at least 1 entry`)
    const of = readAll(items, source, at)
    return of && { op, of }
  }

const readTrue =
  (op: 'exists' | 'absent'): Reader =>
  (node, source, at) =>
    source.scalar(node) === true
      ? { op }
      : source.report(node, `${at} can only be true; use '${op === 'exists' ? 'absent' : 'exists'}: true' instead`)

const OPERATORS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['type', (node, source) => ({ op: 'type', is: source.scalar(node) as ValueType })],
  ['exists', readTrue('exists')],
  ['absent', readTrue('absent')],
  ['contains', readText('contains')],
  ['starts_with', readText('starts_with')],
  ['ends_with', readText('ends_with')],
  ['matches', readPattern],
  ['gte', readNumber('gte', false)],
  ['lte', readNumber('lte', false)],
  ['gt', readNumber('gt', false)],
  ['lt', readNumber('lt', false)],
  ['count', readNumber('count', true)],
  ['count_gte', readNumber('count_gte', true)],
  ['count_lte', readNumber('count_lte', true)],
  ['one_of', readList('one_of')],
  ['all_of', readList('all_of')],
  ['any_of', readList('any_of')],
  ['not', readInner('not')],
  ['items', readInner('items')],
])

function readInner(op: 'not' | 'items'): Reader {
  return (node, source, at) => {
    const inner = assertion.read(node, source, at)
    return inner && { op, inner }
  }
}

function readPattern(node: YamlNode, source: YamlSource, at: string): Operator | undefined {
  const pattern = compilePattern(String(source.scalar(node)), '')
  if ('problem' in pattern) return source.report(node, `${at} is not a regular expression of ECMA-262`)
  return { op: 'matches', pattern }
}

function readAll(nodes: readonly YamlNode[], source: YamlSource, at: string): Assertion[] | undefined {
  const read = nodes.map((node, index) => assertion.read(node, source, `${at}[${index}]`))
  return read.every((item) => item !== undefined) ? read : undefined
}

/** For messages: the assertion as a person would write it. */
export function describeAssertion(wanted: Assertion): string {
  return JSON.stringify(toJson(wanted))
}

function toJson(wanted: Assertion): JsonValue {
  switch (wanted.is) {
    case 'equal':
      return wanted.value
    case 'elements':
      return wanted.elements.map(toJson)
    case 'members':
      return Object.fromEntries([...wanted.members].map(([name, inner]) => [name, toJson(inner)]))
    case 'operators':
      return Object.assign({}, ...wanted.operators.map(operatorJson)) as JsonObject
  }
}

function operatorJson(operator: Operator): JsonObject {
  if ('is' in operator) return { [operator.op]: operator.is }
  if ('text' in operator) return { [operator.op]: operator.text }
  if ('pattern' in operator) return { [operator.op]: operator.pattern.source }
  if ('limit' in operator) return { [operator.op]: operator.limit }
  if ('of' in operator) return { [operator.op]: operator.of.map(toJson) }
  if ('inner' in operator) return { [operator.op]: toJson(operator.inner) }
  return { [operator.op]: true }
}
