// Definitions turned into closures that answer yes or no. The vocabulary is the one of definition.ts and nothing more;
// a test holds every answer against Ajv's (docs/decisions/0022). No code is generated and nothing is compiled at start:
// a definition becomes closures when it is first asked for, in microseconds.

import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts'
import type { Definition, Definitions } from './definition.ts'
import { FORMATS } from './formats.ts'

export type Decide = (value: unknown) => boolean

interface Compilation {
  readonly definitions: Definitions
  readonly made: Map<string, Decide>
  /** Whether members that are missing are filled in with their default, which changes the value. */
  readonly fills: boolean
}

export type Fields = Readonly<Record<string, unknown>>

/** `fills` is for values that are copies: what is missing and has a default is set. */
export function decider(definitions: Definitions, fills: boolean): (name: string) => Decide {
  const made = new Map<string, Decide>()
  return (name) => named(name, { definitions, made, fills })
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The name in `#/definitions/Name`. */
export function referred(reference: JsonValue): string {
  return typeof reference === 'string' ? reference.slice('#/definitions/'.length) : ''
}

function named(name: string, compilation: Compilation): Decide {
  const { definitions, made } = compilation
  const known = made.get(name)
  if (known !== undefined) return known
  const definition = definitions[name]
  if (definition === undefined) throw new Error(`There is no definition ${name}.`)
  // Definitions refer to each other in circles: what is asked for meanwhile is looked up when it is called.
  let own: Decide | undefined
  made.set(name, (value) => own?.(value) ?? false)
  own = compile(definition, compilation)
  made.set(name, own)
  return own
}

/** The rules in the order in which they are most likely to say no; an absent type lets every value pass to the others. */
function compile(definition: Definition, compilation: Compilation): Decide {
  if (definition.$ref !== undefined) return named(referred(definition.$ref), compilation)
  const rules: Decide[] = []
  const object = objectRule(definition, compilation)
  const isTypeSeparate = definition.type !== undefined && (object === undefined || definition.type !== 'object')
  if (isTypeSeparate) rules.push(textRule(definition) ?? typeRule(definition.type ?? null))
  if (Array.isArray(definition.enum)) {
    const words = new Set<unknown>(definition.enum)
    rules.push((value) => words.has(value))
  }
  const fixed = definition.const
  if (fixed !== undefined) rules.push((value) => value === fixed)
  rules.push(...textRules(definition), ...numberRules(definition))
  if (object !== undefined && !isTypeSeparate) rules.unshift(object)
  if (Array.isArray(definition.allOf)) {
    for (const each of definition.allOf) if (isJsonObject(each)) rules.push(compile(each, compilation))
  }
  if (isJsonObject(definition.if)) rules.push(conditional(definition, definition.if, compilation))
  rules.push(...listRules(definition, compilation))
  if (object !== undefined && isTypeSeparate) rules.push(object)
  return all(rules)
}

/** The commonest rule of all, a text that is not empty, in one step. */
function textRule({ type, minLength, format }: Definition): Decide | undefined {
  if (type !== 'string' || minLength !== 1 || format !== undefined) return undefined
  return (value) => typeof value === 'string' && value !== ''
}

function all(rules: readonly Decide[]): Decide {
  const [first = () => true, second, ...more] = rules
  if (second === undefined) return first
  if (more.length === 0) return (value) => first(value) && second(value)
  return (value) => {
    for (const rule of rules) if (!rule(value)) return false
    return true
  }
}

const TYPES: Readonly<Record<string, Decide>> = {
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  number: (value) => typeof value === 'number' && Number.isFinite(value),
  integer: (value) => typeof value === 'number' && Number.isInteger(value),
  null: (value) => value === null,
  array: (value) => Array.isArray(value),
  object: isFields,
}

export function typeRule(type: JsonValue): Decide {
  const rules = namesIn(Array.isArray(type) ? type : [type]).map((name) => TYPES[name] ?? (() => false))
  const [only] = rules
  return rules.length === 1 && only !== undefined ? only : (value) => rules.some((rule) => rule(value))
}

function* textRules(definition: Definition): Generator<Decide> {
  const { minLength, format } = definition
  if (textRule(definition) !== undefined) return
  if (typeof minLength === 'number') yield (value) => typeof value !== 'string' || value.length >= minLength
  const isOfFormat = typeof format === 'string' ? FORMATS[format]?.test : undefined
  if (isOfFormat !== undefined) yield (value) => typeof value !== 'string' || isOfFormat(value)
}

function* numberRules({ minimum, maximum }: Definition): Generator<Decide> {
  if (typeof minimum === 'number') yield (value) => typeof value !== 'number' || value >= minimum
  if (typeof maximum === 'number') yield (value) => typeof value !== 'number' || value <= maximum
}

function conditional(definition: Definition, condition: JsonObject, compilation: Compilation): Decide {
  // What is only tried must not change the value.
  const holds = compile(condition, { ...compilation, made: new Map(), fills: false })
  const yes = isJsonObject(definition.then) ? compile(definition.then, compilation) : () => true
  const no = isJsonObject(definition.else) ? compile(definition.else, compilation) : () => true
  return (value) => (holds(value) ? yes(value) : no(value))
}

function* listRules({ minItems, items }: Definition, compilation: Compilation): Generator<Decide> {
  if (typeof minItems === 'number') yield (value) => !Array.isArray(value) || value.length >= minItems
  if (isJsonObject(items)) {
    const item = compile(items, compilation)
    yield (value) => {
      if (!Array.isArray(value)) return true
      for (const each of value) if (!item(each)) return false
      return true
    }
  }
}

/**
 * One closure for all that is asked of an object, since this is what most of the time is spent in. It walks the members
 * that are there, which are fewer than those that may be.
 */
function objectRule(definition: Definition, compilation: Compilation): Decide | undefined {
  const members = membersOf(definition)
  const defaults = compilation.fills ? members.filter(([, rule]) => 'default' in rule) : []
  const required = namesIn(definition.required)
  const oneOf = namesIn(definition.exactlyOneOf)
  const others = isJsonObject(definition.additionalProperties)
    ? compile(definition.additionalProperties, compilation)
    : undefined
  if (members.length + required.length + oneOf.length === 0 && others === undefined) return undefined
  const rules = new Map(members.map(([name, rule]) => [name, compile(rule, compilation)]))
  const elsewise = definition.type !== 'object'
  return (value) => {
    if (!isFields(value)) return elsewise
    if (defaults.length > 0) fill(value, defaults)
    for (const name of required) if (value[name] === undefined) return false
    for (const name in value) {
      const rule = rules.get(name) ?? others
      if (rule === undefined) continue
      const member = value[name]
      if (member !== undefined && !rule(member)) return false
    }
    return oneOf.length === 0 || hasExactlyOne(value, oneOf)
  }
}

function hasExactlyOne(value: Fields, names: readonly string[]): boolean {
  let present = 0
  for (const name of names) if (value[name] !== undefined) present++
  return present === 1
}

function fill(value: Fields, defaults: readonly [string, Definition][]): void {
  for (const [name, rule] of defaults) {
    if (value[name] === undefined) Reflect.set(value, name, structuredClone(rule.default))
  }
}

export function membersOf(definition: Definition): [string, Definition][] {
  if (!isJsonObject(definition.properties)) return []
  return Object.entries(definition.properties).filter((member): member is [string, Definition] =>
    isJsonObject(member[1]),
  )
}

export function namesIn(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
}
