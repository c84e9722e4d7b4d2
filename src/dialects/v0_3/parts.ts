// Parts: 0.3 tags them with `kind` and nests files; 1.0 tells them apart by their one content member.

import { isJsonObject } from '../../model/json.ts'
import type { Part } from '../../model/task.ts'
import type { Losses } from '../losses.ts'
import { checkFileMembers, nestFile, unnestFile } from '../older-shapes.ts'
import type { WirePart } from './wire.ts'

export function decodePart(wire: WirePart): Part {
  const { kind: _, ...rest } = wire
  return 'file' in rest ? unnestFile(rest) : rest
}

export function encodePart(part: Part, pointer: string, lost: Losses): WirePart {
  if ('text' in part) {
    checkFileMembers(part, pointer, lost, '0.3')
    return { kind: 'text', ...part }
  }
  if ('data' in part) {
    checkFileMembers(part, pointer, lost, '0.3')
    const { data } = part
    if (isJsonObject(data)) return { kind: 'data', ...part, data }
    lost.add(`${pointer}/data`, '0.3 carries only objects as data; wrapped as {"value": …}')
    return { kind: 'data', ...part, data: { value: data } }
  }
  return { kind: 'file', ...nestFile(part) }
}
