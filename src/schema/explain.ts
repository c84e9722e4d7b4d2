// What is wrong with a value, in plain words with JSON pointers: the same rules as decide.ts, walked slowly because a
// value that is refused is rare.

import type { Issue } from '../model/issue.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts'
import { pointerStep } from '../model/json-pointer.ts'
import { type Decide, isFields, membersOf, namesIn, referred, typeRule } from './decide.ts'
import type { Definition, Definitions } from './definition.ts'
import { FORMATS } from './formats.ts'

/** More would not be read, and a hostile document can have millions. */
const MOST_ISSUES = 100

export function explain(
  definitions: Definitions,
  decide: (name: string) => Decide,
  name: string,
  value: unknown,
): readonly Issue[] {
  const explanation = new Explanation(definitions, decide)
  explanation.walk({ $ref: `#/definitions/${name}` }, value, '')
  return explanation.issues
}

class Explanation {
  readonly issues: Issue[] = []
  readonly #definitions: Definitions
  readonly #decide: (name: string) => Decide
  readonly #reported = new Set<string>()

  constructor(definitions: Definitions, decide: (name: string) => Decide) {
    this.#definitions = definitions
    this.#decide = decide
  }

  walk(definition: Definition, value: unknown, pointer: string): void {
    if (this.issues.length >= MOST_ISSUES) return
    if (definition.$ref !== undefined) {
      const name = referred(definition.$ref)
      // Most of a large value is right: what is, is not looked at twice.
      if (!this.#decide(name)(value)) this.walk(this.#definitions[name] ?? {}, value, pointer)
      return
    }
    if (definition.type !== undefined && !typeRule(definition.type)(value)) {
      this.#report(pointer, `must be ${withArticle(definition.type)}`)
      return
    }
    this.#scalar(definition, value, pointer)
    for (const each of Array.isArray(definition.allOf) ? definition.allOf : []) {
      if (isJsonObject(each)) this.walk(each, value, pointer)
    }
    if (isJsonObject(definition.if)) this.#conditional(definition, definition.if, value, pointer)
    if (Array.isArray(value)) this.#list(definition, value, pointer)
    else if (isFields(value)) this.#object(definition, value, pointer)
  }

  #scalar(definition: Definition, value: unknown, pointer: string): void {
    const { enum: words, const: fixed, minLength, minimum, maximum, format } = definition
    if (Array.isArray(words) && !(words as unknown[]).includes(value))
      this.#report(pointer, `must be one of ${namesIn(words).join(', ')}${found(value)}`)
    if (fixed !== undefined && value !== fixed) this.#report(pointer, `must be ${JSON.stringify(fixed)}`)
    if (typeof value === 'string') {
      if (typeof minLength === 'number' && value.length < minLength) this.#report(pointer, 'must not be empty')
      const known = typeof format === 'string' ? FORMATS[format] : undefined
      if (known !== undefined && !known.test(value)) this.#report(pointer, known.rule)
    }
    if (typeof value === 'number') {
      if (typeof minimum === 'number' && value < minimum) this.#report(pointer, `must be at least ${minimum}`)
      if (typeof maximum === 'number' && value > maximum) this.#report(pointer, `must be at most ${maximum}`)
    }
  }

  #conditional(definition: Definition, condition: JsonObject, value: unknown, pointer: string): void {
    const trial = new Explanation(this.#definitions, this.#decide)
    trial.walk(condition, value, '')
    const branch = trial.issues.length === 0 ? definition.then : definition.else
    if (isJsonObject(branch)) this.walk(branch, value, pointer)
  }

  #list({ minItems, items }: Definition, value: readonly unknown[], pointer: string): void {
    if (typeof minItems === 'number' && value.length < minItems) this.#report(pointer, 'must have at least one element')
    if (isJsonObject(items)) for (const [at, each] of value.entries()) this.walk(items, each, `${pointer}/${at}`)
  }

  #object(definition: Definition, value: Readonly<Record<string, unknown>>, pointer: string): void {
    const at = (name: string) => pointer + pointerStep(name)
    for (const name of namesIn(definition.required)) {
      if (value[name] === undefined) this.#report(at(name), 'is required')
    }
    const members = membersOf(definition)
    for (const [name, rule] of members) if (value[name] !== undefined) this.walk(rule, value[name], at(name))
    if (isJsonObject(definition.additionalProperties)) {
      const known = new Set(members.map(([name]) => name))
      for (const [name, member] of Object.entries(value)) {
        if (!known.has(name)) this.walk(definition.additionalProperties, member, at(name))
      }
    }
    const names = namesIn(definition.exactlyOneOf)
    const present = names.filter((name) => value[name] !== undefined)
    if (names.length === 0 || present.length === 1) return
    const seen = present.length === 0 ? '' : `, found ${present.join(' and ')}`
    this.#report(pointer, `exactly one of ${names.join(', ')} is required${seen}`)
  }

  #report(pointer: string, message: string): void {
    const key = `${pointer}\n${message}`
    if (this.#reported.has(key)) return
    this.#reported.add(key)
    this.issues.push({ pointer, message })
  }
}

function withArticle(type: JsonValue): string {
  const names = namesIn(Array.isArray(type) ? type : [type])
  return names.map((name) => (name === 'null' ? name : `${/^[aio]/.test(name) ? 'an' : 'a'} ${name}`)).join(' or ')
}

function found(value: unknown): string {
  return typeof value === 'string' && value.length <= 60 ? `, found ${JSON.stringify(value)}` : ''
}
