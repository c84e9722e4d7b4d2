// Is a message that an agent shows the one that was sent? Agents may add (ids, metadata of their own, a media type nobody
// gave); what was sent has to be there, in the meaning of ProtoJSON.

import { isJsonObject, type JsonObject, type JsonValue, sameJson } from '../../model/json.ts'
import type { FoundIssue } from '../probe/observation.ts'
import { sameMeaning } from '../probe/proto-json.ts'

/** Members that hold what the author said, besides the parts. */
const LISTS = ['extensions', 'referenceTaskIds']
/** The proto form of 0.3 has no references to tasks. */
const PROTO_LISTS = ['extensions']

/** What of `sent` is missing or different in `shown`; nothing when the two are written in different forms. */
export function lossesOf(shown: JsonObject, sent: JsonObject, pointer: string): FoundIssue[] {
  if (!isSameForm(shown, sent)) return []
  const losses = metadataLosses(shown.metadata, sent.metadata, `${pointer}/metadata`)
  for (const name of 'content' in sent ? PROTO_LISTS : LISTS) {
    if (sent[name] !== undefined && !sameMeaning({ [name]: shown[name] ?? [] }, { [name]: sent[name] }))
      losses.push({ pointer: `${pointer}/${name}`, message: `${name} is not what was sent` })
  }
  const name = 'content' in sent ? 'content' : 'parts'
  const parts = listOf(sent[name]).map((part) => (isOldForm(sent) ? withoutNewMembers(part) : part))
  return [...losses, ...partLosses(listOf(shown[name]), parts, `${pointer}/${name}`)]
}

function isOldForm(message: JsonObject): boolean {
  return 'kind' in message || 'content' in message
}

/** Before 1.0 a part has no media type and no name of its own; what is unknown may be ignored. */
function withoutNewMembers(part: JsonValue): JsonValue {
  if (!isJsonObject(part)) return part
  const { mediaType: _type, filename: _name, ...rest } = part
  return rest
}

/** Generations and bindings write the same message differently; only what is written alike is compared. */
export function isSameForm(a: JsonObject, b: JsonObject): boolean {
  const style = ({ role }: JsonObject) => typeof role === 'string' && role.startsWith('ROLE_')
  return ['kind', 'content'].every((name) => name in a === name in b) && style(a) === style(b)
}

function partLosses(shown: readonly JsonValue[], sent: readonly JsonValue[], pointer: string): FoundIssue[] {
  if (shown.length !== sent.length) return [{ pointer, message: 'has another number of parts than were sent' }]
  return sent.flatMap((part, at) => memberLosses(shown[at], part, `${pointer}/${at}`))
}

/** Of a part, and of the file inside of it. */
function memberLosses(shown: JsonValue | undefined, sent: JsonValue, pointer: string): FoundIssue[] {
  if (!isJsonObject(sent)) return []
  if (!isJsonObject(shown)) return [{ pointer, message: 'is not a part' }]
  return Object.entries(sent).flatMap(([name, value]): FoundIssue[] => {
    const here = `${pointer}/${name}`
    if (name === 'metadata') return metadataLosses(shown.metadata, value, here)
    if (name === 'file') return memberLosses(shown.file, value ?? null, here)
    if (sameMeaning({ [name]: shown[name] }, { [name]: value })) return []
    return [{ pointer: here, message: `${shown[name] === undefined ? 'is missing' : 'is not'} what was sent` }]
  })
}

function metadataLosses(shown: JsonValue | undefined, sent: JsonValue | undefined, pointer: string): FoundIssue[] {
  if (!isJsonObject(sent)) return []
  const found = isJsonObject(shown) ? shown : {}
  const lost = Object.keys(sent).filter((name) => !sameJson(found[name], sent[name]))
  return lost.length === 0 ? [] : [{ pointer, message: 'does not hold what was sent' }]
}

function listOf(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : []
}
