// Values that look like what a definition describes: mostly right, with a fault here and there.

import fc from 'fast-check'
import { isJsonObject, type JsonValue } from '../../src/model/json.ts'
import type { Definition, Definitions } from '../../src/schema/definition.ts'

const STRANGE: readonly JsonValue[] = [null, 7, -3, 1.5, '', 'x', true, [], {}, ['x'], { x: 1 }]
const TEXTS = ['x', 'text/plain', 'YQ==', 'YQ', '2026-01-02T03:04:05.678Z', '2026-01-02T03:04:05', '']

/** Deterministic in the seed that fast-check gives and shrinks. */
export function likeness(definitions: Definitions, name: string): fc.Arbitrary<JsonValue> {
  return fc.tuple(fc.integer(), fc.constantFrom(0, 0.02, 0.1)).map(([seed, faults]) => {
    const pick = new Picker(seed, faults)
    return pick.value(definitions[name] ?? {}, definitions, 0)
  })
}

class Picker {
  #state: number
  readonly #faults: number

  constructor(seed: number, faults: number) {
    this.#state = seed >>> 0
    this.#faults = faults
  }

  value(definition: Definition, all: Definitions, depth: number): JsonValue {
    if (this.#chance(this.#faults)) return this.#oneOf(STRANGE)
    const name = typeof definition.$ref === 'string' ? definition.$ref.split('/').at(-1) : undefined
    if (name !== undefined) return this.value(all[name] ?? {}, all, depth)
    if (definition.const !== undefined) return definition.const
    if (Array.isArray(definition.enum)) return this.#oneOf(definition.enum)
    const { type } = definition
    const chosen = Array.isArray(type) ? this.#oneOf(type) : type
    switch (typeof chosen === 'string' ? chosen : 'object') {
      case 'string':
        return definition.minLength === undefined || this.#chance(this.#faults) ? this.#oneOf(TEXTS) : 'x'
      case 'integer':
      case 'number':
        return this.#oneOf([0, 1, 50, -1, 2 ** 31])
      case 'boolean':
        return this.#chance(0.5)
      case 'null':
        return null
      case 'array':
        return this.#list(definition, all, depth)
      default:
        return this.#object(definition, all, depth)
    }
  }

  #list({ items }: Definition, all: Definitions, depth: number): JsonValue {
    const length = depth > 6 || this.#chance(this.#faults) ? 0 : 1 + this.#below(2)
    return Array.from({ length }, () => this.value(isJsonObject(items) ? items : {}, all, depth + 1))
  }

  #object(definition: Definition, all: Definitions, depth: number): JsonValue {
    const made: { [name: string]: JsonValue } = {}
    const required = new Set(Array.isArray(definition.required) ? definition.required : [])
    const oneOf = Array.isArray(definition.exactlyOneOf) ? definition.exactlyOneOf : []
    const chosen = oneOf.length === 0 ? undefined : this.#oneOf(oneOf)
    for (const [name, rule] of members(definition)) {
      const isWanted = oneOf.includes(name) ? name === chosen : required.has(name) || (depth < 4 && this.#chance(0.3))
      if (isWanted !== this.#chance(this.#faults)) made[name] = this.value(rule, all, depth + 1)
    }
    // Branches hang on a tag whose value is drawn above.
    const branches = [definition, ...(Array.isArray(definition.allOf) ? definition.allOf : [])].filter(isJsonObject)
    for (const { if: condition, then, else: other } of branches) {
      if (!isJsonObject(condition)) continue
      const branch = holds(condition, made) ? then : other
      if (!isJsonObject(branch)) continue
      const value = this.value(branch, all, depth + 1)
      if (isJsonObject(value)) Object.assign(made, { ...value, ...made })
      else return value
    }
    const { additionalProperties: rest } = definition
    if (isJsonObject(rest) && this.#chance(0.5)) made.extra = this.value(rest, all, depth + 1)
    else if (this.#chance(0.2)) made.unknown = 1
    return made
  }

  #chance(probability: number): boolean {
    return this.#next() < probability
  }

  #below(limit: number): number {
    return Math.floor(this.#next() * limit)
  }

  #oneOf(values: readonly JsonValue[]): JsonValue {
    return values[this.#below(values.length)] ?? null
  }

  /** Mulberry32. */
  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

function members(definition: Definition): [string, Definition][] {
  const properties = isJsonObject(definition.properties) ? definition.properties : {}
  return Object.entries(properties).filter((member): member is [string, Definition] => isJsonObject(member[1]))
}

function holds(condition: Definition, value: { [name: string]: JsonValue }): boolean {
  const required = Array.isArray(condition.required) ? condition.required.map(String) : []
  return (
    required.every((name) => value[name] !== undefined) &&
    members(condition).every(([name, rule]) => value[name] === undefined || rule.const === value[name])
  )
}
