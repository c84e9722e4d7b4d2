// JSON as TypeScript sees it. Members may be typed `undefined` so that optional members of model types fit.

export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject

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
