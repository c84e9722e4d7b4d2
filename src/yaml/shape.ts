// Shapes of YAML files, declared once: a shape reads a node into a typed value, reports what is wrong where, and
// gives the JSON Schema editors use. Strict: a key no shape names is an error.

import type { JsonObject, JsonValue } from '../model/json.ts'
import { didYouMean } from './did-you-mean.ts'
import type { NodeKind, Position, YamlNode, YamlSource } from './source.ts'

/** `read` returns undefined only after it has reported a problem. `at` names the value for people: 'rules[0].id'. */
export interface Shape<T> {
  readonly kinds: readonly NodeKind[]
  readonly schema: JsonObject
  read(node: YamlNode, source: YamlSource, at: string): T | undefined
}

export interface OptionalShape<T> extends Shape<T> {
  readonly isOptional: true
}

export type Infer<S> = S extends Shape<infer T> ? T : never
type Fields = { readonly [key: string]: Shape<unknown> }
type OptionalKeys<F extends Fields> = { [K in keyof F]: F[K] extends OptionalShape<unknown> ? K : never }[keyof F]
export type RecordOf<F extends Fields> = { [K in Exclude<keyof F, OptionalKeys<F>>]: Infer<F[K]> } & {
  [K in OptionalKeys<F>]?: Infer<F[K]>
}

const NAMES: { readonly [kind in NodeKind]: string } = {
  text: 'text',
  number: 'a number',
  boolean: 'true or false',
  null: 'nothing',
  map: 'a map of keys',
  list: 'a list',
}

/** The root of a file has no name of its own. */
function named(at: string): string {
  return at === '' ? 'the file' : at
}

function wrongKind(shape: { kinds: readonly NodeKind[] }, node: YamlNode, source: YamlSource, at: string): undefined {
  const wanted = shape.kinds.map((kind) => NAMES[kind]).join(' or ')
  return source.report(node, `${named(at)} must be ${wanted}, not ${NAMES[source.kindOf(node)]}`)
}

function scalarShape<T extends string | number | boolean>(
  kind: 'text' | 'number' | 'boolean',
  schema: JsonObject,
  problemWith?: (value: T) => string | undefined,
): Shape<T> {
  const shape: Shape<T> = {
    kinds: [kind],
    schema,
    read(node, source, at) {
      if (source.kindOf(node) !== kind) return wrongKind(shape, node, source, at)
      const value = source.scalar(node) as T
      const problem = problemWith?.(value)
      return problem === undefined ? value : source.report(node, `${named(at)} ${problem}`)
    },
  }
  return shape
}

export const text: Shape<string> = scalarShape('text', { type: 'string' })
export const boolean: Shape<boolean> = scalarShape('boolean', { type: 'boolean' })

export const nonEmptyText: Shape<string> = scalarShape('text', { type: 'string', minLength: 1 }, (value) =>
  value === '' ? 'must not be empty' : undefined,
)

export function integer(min: number, max: number = Number.MAX_SAFE_INTEGER): Shape<number> {
  const schema: JsonObject = { type: 'integer', minimum: min }
  if (max !== Number.MAX_SAFE_INTEGER) schema.maximum = max
  return scalarShape('number', schema, (value: number) =>
    Number.isInteger(value) && value >= min && value <= max
      ? undefined
      : `must be a whole number ${max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`}`,
  )
}

export function number(min: number, max: number): Shape<number> {
  return scalarShape('number', { type: 'number', minimum: min, maximum: max }, (value: number) =>
    value >= min && value <= max ? undefined : `must be a number from ${min} to ${max}`,
  )
}

export function choice<const C extends string>(choices: readonly C[]): Shape<C> {
  const known: ReadonlySet<string> = new Set(choices)
  return scalarShape<C>('text', { enum: [...choices] }, (value) =>
    known.has(value) ? undefined : `must be one of ${choices.join(', ')}, not '${value}'${didYouMean(value, choices)}`,
  )
}

export const json: Shape<JsonValue> = {
  kinds: ['text', 'number', 'boolean', 'null', 'map', 'list'],
  schema: {},
  read: (node, source) => source.toJson(node),
}

export const jsonObject: Shape<JsonObject> = {
  kinds: ['map'],
  schema: { type: 'object' },
  read(node, source, at) {
    if (source.kindOf(node) !== 'map') return wrongKind(jsonObject, node, source, at)
    return source.toJson(node) as JsonObject
  },
}

/** A key without a value, as in `- complete:`. */
export const nothing: Shape<null> = {
  kinds: ['null'],
  schema: { type: 'null' },
  read: (node, source, at) => (source.kindOf(node) === 'null' ? null : wrongKind(nothing, node, source, at)),
}

export function list<T>(item: Shape<T>, minItems = 0): Shape<T[]> {
  const schema: JsonObject = { type: 'array', items: item.schema }
  if (minItems > 0) schema.minItems = minItems
  const shape: Shape<T[]> = {
    kinds: ['list'],
    schema,
    read(node, source, at) {
      if (source.kindOf(node) !== 'list') return wrongKind(shape, node, source, at)
      const nodes = source.items(node)
      if (nodes.length < minItems)
        return source.report(node, `${at} must have at least ${minItems} ${minItems === 1 ? 'entry' : 'entries'}`)
      const values = nodes.map((child, i) => item.read(child, source, `${at}[${i}]`))
      return values.every((value) => value !== undefined) ? (values as T[]) : undefined
    },
  }
  return shape
}

export function mapOf<T>(value: Shape<T>): Shape<Map<string, T>> {
  const shape: Shape<Map<string, T>> = {
    kinds: ['map'],
    schema: { type: 'object', additionalProperties: value.schema },
    read(node, source, at) {
      if (source.kindOf(node) !== 'map') return wrongKind(shape, node, source, at)
      const result = new Map<string, T>()
      let isComplete = true
      for (const member of source.members(node)) {
        const read = value.read(member.value, source, `${at}.${member.key}`)
        if (read === undefined) isComplete = false
        else result.set(member.key, read)
      }
      return isComplete ? result : undefined
    },
  }
  return shape
}

export function optional<T>(shape: Shape<T>): OptionalShape<T> {
  return { ...shape, isOptional: true }
}

export function described<T>(shape: Shape<T>, description: string): Shape<T> {
  return { ...shape, schema: { ...shape.schema, description } }
}

/** A shape that is used in several places; what is published has it once, under this name. */
export function titled<T>(shape: Shape<T>, title: string): Shape<T> {
  return { ...shape, schema: { ...shape.schema, title } }
}

function isOptional(shape: Shape<unknown>): boolean {
  return 'isOptional' in shape
}

/** `about`: what each key means, which editors show beside it. */
export function record<F extends Fields>(fields: F, about: { [K in keyof F]?: string } = {}): Shape<RecordOf<F>> {
  const keys = Object.keys(fields)
  const required = keys.filter((key) => !isOptional(fields[key] as Shape<unknown>))
  const properties: JsonObject = {}
  for (const key of keys) {
    const description = about[key]
    properties[key] = description === undefined ? fields[key]?.schema : { ...fields[key]?.schema, description }
  }
  const schema: JsonObject = { type: 'object', properties, additionalProperties: false }
  if (required.length > 0) schema.required = required
  const shape: Shape<RecordOf<F>> = {
    kinds: ['map'],
    schema,
    read(node, source, at) {
      if (source.kindOf(node) !== 'map') return wrongKind(shape, node, source, at)
      const result: { [key: string]: unknown } = {}
      let isComplete = true
      const present = new Set<string>()
      for (const { key, keyNode, value } of source.members(node)) {
        present.add(key)
        const field = Object.hasOwn(fields, key) ? fields[key] : undefined
        if (field === undefined) {
          source.report(
            keyNode,
            `unknown key '${key}' in ${named(at)}${didYouMean(key, keys) || `; known are ${keys.join(', ')}`}`,
          )
          isComplete = false
          continue
        }
        const read = field.read(value, source, at === '' ? key : `${at}.${key}`)
        if (read === undefined) isComplete = false
        else result[key] = read
      }
      for (const key of required)
        if (!present.has(key)) {
          source.report(node, `${named(at)} needs the key '${key}'`)
          isComplete = false
        }
      return isComplete ? (result as RecordOf<F>) : undefined
    },
  }
  return shape
}

/** The first alternative that takes this kind of node; alternatives must differ in kind. */
export function either<const S extends readonly Shape<unknown>[]>(...alternatives: S): Shape<Infer<S[number]>> {
  const kinds = alternatives.flatMap((alternative) => alternative.kinds)
  const shape: Shape<Infer<S[number]>> = {
    kinds,
    schema: { anyOf: alternatives.map((alternative) => alternative.schema) },
    read(node, source, at) {
      const kind = source.kindOf(node)
      const alternative = alternatives.find((candidate) => candidate.kinds.includes(kind))
      if (alternative === undefined) return wrongKind(shape, node, source, at)
      return alternative.read(node, source, at) as Infer<S[number]> | undefined
    },
  }
  return shape
}

/** A map whose meaning is named by one of its keys, as a step is by `status`, `delay` or `artifact`. */
export function keyed<const V extends { readonly [key: string]: Shape<object> }>(
  noun: string,
  variants: V,
): Shape<{ [K in keyof V]: { is: K; value: Infer<V[K]> } }[keyof V]> {
  const names = Object.keys(variants)
  type Result = { [K in keyof V]: { is: K; value: Infer<V[K]> } }[keyof V]
  const shape: Shape<Result> = {
    kinds: ['map'],
    schema: { anyOf: names.map((name) => (variants[name] as Shape<object>).schema) },
    read(node, source, at) {
      if (source.kindOf(node) !== 'map') return wrongKind(shape, node, source, at)
      const members = source.members(node)
      const found = members.filter(({ key }) => Object.hasOwn(variants, key))
      const [first, second] = found
      if (first === undefined) {
        const key = members[0]?.key ?? ''
        return source.report(
          members[0]?.keyNode ?? node,
          `${at}: unknown ${noun} '${key}'${didYouMean(key, names) || `; known are ${names.join(', ')}`}`,
        )
      }
      if (second !== undefined)
        return source.report(second.keyNode, `${at} has both '${first.key}' and '${second.key}'; make it two ${noun}s`)
      const value = variants[first.key]?.read(node, source, at)
      return value === undefined ? undefined : ({ is: first.key, value } as Result)
    },
  }
  return shape
}

/** A further condition, or a conversion; the schema stays that of the shape unless given. */
export function refine<T, U>(
  shape: Shape<T>,
  convert: (value: T, report: (message: string) => undefined) => U | undefined,
  schema: JsonObject = shape.schema,
): Shape<U> {
  return {
    kinds: shape.kinds,
    schema,
    read(node, source, at) {
      const value = shape.read(node, source, at)
      if (value === undefined) return undefined
      return convert(value, (message) => source.report(node, `${named(at)} ${message}`))
    },
  }
}

/** Keeps where a value stands, for rules that compare several values. */
export function located<T>(shape: Shape<T>): Shape<{ value: T; position: Position }> {
  return {
    kinds: shape.kinds,
    schema: shape.schema,
    read(node, source, at) {
      const value = shape.read(node, source, at)
      return value === undefined ? undefined : { value, position: source.positionOf(node) }
    },
  }
}

/** `150ms`, `2s`, `1m`: a duration always has its unit. */
export const durationMs: Shape<number> = refine(
  text,
  (value, report) => {
    const match = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m)$/.exec(value)
    if (match === null) return report(`must be a duration with a unit, such as 150ms or 2s, not '${value}'`)
    return Number(match[1]) * (match[2] === 'ms' ? 1 : match[2] === 's' ? 1000 : 60_000)
  },
  { type: 'string', pattern: '^\\d{1,9}(\\.\\d{1,3})?(ms|s|m)$' },
)
