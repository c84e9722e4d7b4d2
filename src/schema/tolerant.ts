// Turns strict definitions into forgiving ones: the listed members may be missing (a default stands in for them) or
// empty. Types, enums and oneofs stay as strict as ever.

import { isJsonObject, type JsonValue } from '../model/json.ts'
import type { Definition, Definitions } from './definition.ts'

/** Definition name -> member -> what a missing one reads as. */
export type Tolerated = Readonly<Record<string, Readonly<Record<string, JsonValue>>>>

export function tolerant(definitions: Definitions, tolerated: Tolerated): Definitions {
  const relaxed: Record<string, Definition> = { ...definitions }
  for (const [name, members] of Object.entries(tolerated)) {
    const strict = definitions[name]
    if (strict !== undefined) relaxed[name] = withDefaults(strict, members)
  }
  return relaxed
}

function withDefaults(strict: Definition, members: Readonly<Record<string, JsonValue>>): Definition {
  const required = Array.isArray(strict.required) ? strict.required : []
  const properties: Definition = { ...(isJsonObject(strict.properties) ? strict.properties : {}) }
  for (const [member, standIn] of Object.entries(members)) {
    const { minItems: _items, minLength: _length, ...open } = asDefinition(properties[member])
    properties[member] = { ...open, default: standIn }
  }
  return {
    ...strict,
    properties,
    required: required.filter((name) => typeof name !== 'string' || !Object.hasOwn(members, name)),
  }
}

function asDefinition(value: JsonValue | undefined): Definition {
  return isJsonObject(value) ? value : {}
}
