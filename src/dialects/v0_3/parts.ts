// Parts: 0.3 tags them with `kind` and nests files; 1.0 tells them apart by their one content member.

import { isJsonObject } from '../../model/json.ts'
import type { Part } from '../../model/task.ts'
import type { Losses } from '../losses.ts'
import type { WireFile, WirePart } from './wire.ts'

export function decodePart(wire: WirePart): Part {
  const { kind: _, ...rest } = wire
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
    return { kind: 'text', ...part }
  }
  if ('data' in part) {
    checkFileMembers(part, pointer, lost)
    if (isJsonObject(part.data)) return { kind: 'data', ...part, data: part.data }
    lost.add(`${pointer}/data`, '0.3 carries only objects as data; wrapped as {"value": …}')
    return { kind: 'data', ...part, data: { value: part.data } }
  }
  const { filename, mediaType, ...rest } = part
  const { file: unknown, ...named } = rest as typeof rest & { file?: object }
  const file: WireFile = { ...unknown }
  if (filename !== undefined) file.name = filename
  if (mediaType !== undefined) file.mimeType = mediaType
  if ('raw' in named) {
    const { raw, ...others } = named
    return { kind: 'file', ...others, file: { ...file, bytes: raw } }
  }
  const { url, ...others } = named
  return { kind: 'file', ...others, file: { ...file, uri: url } }
}

/** They travel as members 0.3 does not know: harmless, and restored by whoever does. */
function checkFileMembers(part: Part, pointer: string, lost: Losses): void {
  lost.check(part, 'filename', pointer, '0.3 names files only')
  lost.check(part, 'mediaType', pointer, '0.3 types files only')
}
