// Files and structured data inside of parts, in any generation's shape, read forgivingly.

import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts'
import { objectAt, textAt } from './raw.ts'

export interface RawFile {
  bytes?: JsonValue
  uri?: JsonValue
  name?: JsonValue
  mediaType?: JsonValue
}

/** `raw` or `url` beside their names in 1.0; an object `file` before, whose members the REST form of 0.3 calls otherwise. */
export function rawFile(part: JsonObject): RawFile | undefined {
  const file = objectAt(part, 'file')
  if (file === undefined) {
    if (!('raw' in part) && !('url' in part)) return undefined
    return withContent(part.raw, part.url, { name: part.filename, mediaType: part.mediaType })
  }
  return withContent(file.bytes ?? file.fileWithBytes, file.uri ?? file.fileWithUri, {
    name: file.name,
    mediaType: file.mimeType ?? file.mediaType,
  })
}

/** A file of no bytes is one, too; beside an address, no bytes are none. */
function withContent(
  bytes: JsonValue | undefined,
  uri: JsonValue | undefined,
  rest: { [name: string]: JsonValue | undefined },
): RawFile {
  const content = some({ bytes, uri })
  return { ...(Object.keys(content).length === 0 && bytes === '' ? { bytes } : content), ...some(rest) }
}

function some(members: { [name: string]: JsonValue | undefined }): RawFile {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined && value !== ''))
}

/** The structured data of a part; undefined when it has none. */
export function rawData(part: JsonObject): JsonValue | undefined {
  const { data } = part
  // The REST form of 0.3 wraps it once more.
  const wrapped = isJsonObject(data) && Object.keys(data).length === 1 ? data.data : undefined
  return wrapped !== undefined && textAt(part, 'kind') === undefined && !('mediaType' in part) ? wrapped : data
}
