// The liberties ProtoJSON grants a writer and a reader must grant back: null for an absent member, the snake_case
// names of the proto, base64 in the URL-safe alphabet or without padding, an offset instead of Z. Only tried on what
// strict validation refused, so well-written requests never pay for it.

import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts'
import { utcInstant } from '../instant.ts'

/** Members whose content belongs to the user, not to the protocol. */
const FREE_FORM: ReadonlySet<string> = new Set(['metadata', 'data', 'params', 'header'])

const INSTANTS: ReadonlySet<string> = new Set(['timestamp', 'statusTimestampAfter'])
const WITH_OFFSET = /T[\d:.]+[+-]\d{2}:\d{2}$/

export function canonicalProtoJson(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(canonicalProtoJson)
  return isJsonObject(value) ? canonicalMembers(value) : value
}

function canonicalMembers(value: JsonObject): JsonObject {
  const members: [string, JsonValue][] = []
  for (const [written, content] of Object.entries(value)) {
    const name = camelCase(written)
    if (content === undefined || (content === null && name !== 'data')) continue
    if (name !== written && Object.hasOwn(value, name)) continue
    if (FREE_FORM.has(name)) members.push([name, content])
    else if (name === 'raw' && typeof content === 'string') members.push([name, standardBase64(content)])
    else if (INSTANTS.has(name) && typeof content === 'string' && WITH_OFFSET.test(content))
      members.push([name, utcInstant(content)])
    else members.push([name, canonicalProtoJson(content)])
  }
  // fromEntries defines members, so that one called __proto__ stays a member.
  return Object.fromEntries(members)
}

function camelCase(name: string): string {
  return name.startsWith('_') ? name : name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

function standardBase64(text: string): string {
  if (!/^[\w+/-]*={0,2}$/.test(text)) return text
  const open = text.replace(/=+$/, '').replaceAll('-', '+').replaceAll('_', '/')
  return open.padEnd(Math.ceil(open.length / 4) * 4, '=')
}
