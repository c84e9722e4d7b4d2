// A schema as it is published: with its address, and with every shape that has a title written once, under `definitions`,
// however often it is used.

import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts'

/** Where schemas are published: `$id` is this and the name of the file. */
const BASE = 'https://unpkg.com/a2a-parley/schemas/'

export interface Publication {
  /** The name of the file without `.schema.json`. */
  name: string
  title: string
  description: string
}

export function publishedSchema({ name, title, description }: Publication, schema: JsonObject): JsonObject {
  const definitions: JsonObject = {}
  const body = referring(schema, definitions, true)
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    $id: `${BASE}${name}.schema.json`,
    title,
    description,
    ...(isJsonObject(body) ? body : {}),
    ...(Object.keys(definitions).length === 0 ? {} : { definitions }),
  }
}

/** What stands beside `$ref` is not looked at by everybody, so a description of its own needs a frame. */
function referring(value: JsonValue | undefined, definitions: JsonObject, isRoot = false): JsonValue | undefined {
  if (Array.isArray(value)) return value.map((item) => referring(item, definitions) ?? null)
  if (!isJsonObject(value)) return value
  const { title, description, ...rest } = value
  if (isRoot || typeof title !== 'string') return withMembers(value, definitions)
  const known = definitions[title]
  // Taken at once, so that what refers to itself ends.
  definitions[title] = known ?? {}
  const own = withMembers(rest, definitions)
  if (known === undefined) definitions[title] = own
  else if (JSON.stringify(known) !== JSON.stringify(own)) throw new Error(`Two shapes have the title ${title}.`)
  const $ref = `#/definitions/${title}`
  return description === undefined ? { $ref } : { description, allOf: [{ $ref }] }
}

function withMembers(object: JsonObject, definitions: JsonObject): JsonObject {
  const members: JsonObject = {}
  for (const [key, member] of Object.entries(object)) members[key] = referring(member, definitions)
  return members
}
