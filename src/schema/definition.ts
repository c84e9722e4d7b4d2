// The few words schemas are written in. A generation is one flat table of named definitions that refer to each
// other by name; unknown members are allowed everywhere (1.0 §5.7).

import type { JsonObject } from '../model/json.ts'

export type Definition = JsonObject
export type Definitions = Readonly<Record<string, Definition>>

export const STRING: Definition = { type: 'string' }
/** Identifiers and addresses: a required one that is empty says nothing. */
export const NAME: Definition = { type: 'string', minLength: 1 }
export const BOOLEAN: Definition = { type: 'boolean' }
export const INTEGER: Definition = { type: 'integer', minimum: -2_147_483_648, maximum: 2_147_483_647 }
export const COUNT: Definition = { type: 'integer', minimum: 0, maximum: 2_147_483_647 }
export const STRUCT: Definition = { type: 'object' }
export const ANY: Definition = {}
export const STRINGS: Definition = { type: 'array', items: STRING }
export const STRING_MAP: Definition = { type: 'object', additionalProperties: STRING }

/** Refers to another definition of the same generation. */
export function ref(name: string): Definition {
  return { $ref: `#/definitions/${name}` }
}

export function listOf(items: Definition): Definition {
  return { type: 'array', items }
}

/** "Arrays marked as required MUST contain at least one element" (1.0 §5.7). */
export function someOf(items: Definition): Definition {
  return { type: 'array', items, minItems: 1 }
}

export function mapOf(values: Definition): Definition {
  return { type: 'object', additionalProperties: values }
}

export function oneOfNames(...names: string[]): Definition {
  return { type: 'string', enum: names }
}

/** An object with these required and these optional members. */
export function object(
  required: Record<string, Definition>,
  optional: Record<string, Definition> = {},
  rules: Definition = {},
): Definition {
  return { type: 'object', required: Object.keys(required), properties: { ...required, ...optional }, ...rules }
}
