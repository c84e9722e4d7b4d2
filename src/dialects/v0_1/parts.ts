// Parts: the `tasks/send` generation tags them with `type` and nests files.

import { isJsonObject } from '../../model/json.ts'
import type { Part } from '../../model/task.ts'
import type { Losses } from '../losses.ts'
import { checkFileMembers, nestFile, unnestFile } from '../older-shapes.ts'
import type { WirePart } from './wire.ts'

export function decodePart(wire: WirePart): Part {
  const { type: _, ...rest } = wire
  return 'file' in rest ? unnestFile(rest) : rest
}

export function encodePart(part: Part, pointer: string, lost: Losses): WirePart {
  if ('text' in part) {
    checkFileMembers(part, pointer, lost, '0.1')
    return { type: 'text', ...part }
  }
  if ('data' in part) {
    checkFileMembers(part, pointer, lost, '0.1')
    const { data } = part
    if (isJsonObject(data) || Array.isArray(data)) return { type: 'data', ...part, data }
    lost.add(`${pointer}/data`, '0.1 carries only objects and arrays as data; wrapped as {"value": …}')
    return { type: 'data', ...part, data: { value: data } }
  }
  return { type: 'file', ...nestFile(part) }
}
