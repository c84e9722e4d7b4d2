// The members the protocol knows, in both spellings. Members of an author's own are not judged (1.0 §5.7).

import { dialectById } from '../../dialects/index.ts'
import { isJsonObject, type JsonValue } from '../../model/json.ts'

let known: ReadonlySet<string> | undefined

/** Is it the proto spelling of a member of the protocol: context_id, where contextId is meant? */
export function isProtoSpelling(name: string): boolean {
  if (!name.includes('_')) return false
  known ??= new Set(Object.values(dialectById('1.0').messages.set.definitions).flatMap(membersOf))
  return known.has(name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()))
}

function membersOf(definition: JsonValue | undefined): string[] {
  if (!isJsonObject(definition)) return []
  const own = isJsonObject(definition.properties) ? Object.keys(definition.properties) : []
  return [...own, ...Object.values(isJsonObject(definition.properties) ? definition.properties : {}).flatMap(membersOf)]
}
