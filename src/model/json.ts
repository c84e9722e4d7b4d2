// JSON as TypeScript sees it. Members may be typed `undefined` so that optional members of model types fit.

/** Any JSON. */
export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject

/** A JSON object. */
export interface JsonObject {
  [member: string]: JsonValue | undefined
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function textAt(value: JsonValue | undefined, member: string): string | undefined {
  const found = isJsonObject(value) ? value[member] : undefined
  return typeof found === 'string' ? found : undefined
}

export function objectAt(value: JsonValue | undefined, member: string): JsonObject | undefined {
  const found = isJsonObject(value) ? value[member] : undefined
  return isJsonObject(found) ? found : undefined
}

export function listAt(value: JsonValue | undefined, member: string): JsonValue[] | undefined {
  const found = isJsonObject(value) ? value[member] : undefined
  return Array.isArray(found) ? found : undefined
}

/**
 * Deep equality of JSON: members in any order, absent and undefined alike. `isSameText` decides about two texts that
 * differ.
 */
export function sameJson(a: unknown, b: unknown, isSameText?: (a: string, b: string) => boolean): boolean {
  if (a === b) return true
  if (typeof a === 'string' && typeof b === 'string') return isSameText?.(a, b) ?? false
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, at) => sameJson(item, b[at], isSameText))
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return false
  for (const name of Object.keys(a)) if (!sameJson(a[name], b[name], isSameText)) return false
  return Object.keys(b).every((name) => b[name] === undefined || a[name] !== undefined)
}
