// Parts: the `tasks/send` generation tags them with `type` and nests files.

import { isJsonObject } from '../../model/json.ts'
import type { Part } from '../../model/task.ts'
import type { Losses } from '../losses.ts'
import type { WireFile, WirePart } from './wire.ts'

export function decodePart(wire: WirePart): Part {
  const { type: _, ...rest } = wire
  if (!('file' in rest)) return rest
  const { file, ...part } = rest
  const { bytes, uri, name, mimeType, ...unknown } = file
  return {
    ...part,
    ...(bytes === undefined ? { url: uri ?? '' } : { raw: bytes }),
    ...(name === undefined ? {} : { filename: name }),
    ...(mimeType === undefined ? {} : { mediaType: mimeType }),
    // Members of the file nobody knows stay with it, for the way back.
    ...(Object.keys(unknown).length === 0 ? {} : { file: unknown }),
  }
}

export function encodePart(part: Part, pointer: string, lost: Losses): WirePart {
  if ('text' in part) {
    checkFileMembers(part, pointer, lost)
    return { type: 'text', ...part }
  }
  if ('data' in part) {
    checkFileMembers(part, pointer, lost)
    const { data } = part
    if (isJsonObject(data) || Array.isArray(data)) return { type: 'data', ...part, data }
    lost.add(`${pointer}/data`, '0.1 carries only objects and arrays as data; wrapped as {"value": …}')
    return { type: 'data', ...part, data: { value: data } }
  }
  const { filename, mediaType, ...rest } = part
  const { file: unknown, ...named } = rest as typeof rest & { file?: object }
  const file: WireFile = { ...unknown }
  if (filename !== undefined) file.name = filename
  if (mediaType !== undefined) file.mimeType = mediaType
  if ('raw' in named) {
    const { raw, ...others } = named
    return { type: 'file', ...others, file: { ...file, bytes: raw } }
  }
  const { url, ...others } = named
  return { type: 'file', ...others, file: { ...file, uri: url } }
}

/** They travel as members this generation does not know: harmless, and restored by whoever does. */
function checkFileMembers(part: Part, pointer: string, lost: Losses): void {
  lost.check(part, 'filename', pointer, '0.1 names files only')
  lost.check(part, 'mediaType', pointer, '0.1 types files only')
}
