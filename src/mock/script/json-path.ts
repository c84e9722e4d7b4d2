// The part of JSONPath people write in matches: $.a.b, $['a b'], $.list[0], $.list[*]. No filters, no recursion,
// so the time it takes is bounded by the size of the value.

import { isJsonObject, type JsonValue } from '../../model/json.ts'

type Segment = { name: string } | { index: number } | 'all'

export interface JsonPath {
  readonly source: string
  find(value: JsonValue): JsonValue[]
}

const SEGMENT = /\.([\w$-]+)|\[(\d{1,9})\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]|(\[\*\]|\.\*)/y

export function compileJsonPath(source: string): JsonPath | { problem: string } {
  if (!source.startsWith('$')) return { problem: `'${source}' is not a JSON path: it must begin with $` }
  const segments: Segment[] = []
  SEGMENT.lastIndex = 1
  while (SEGMENT.lastIndex < source.length) {
    const at = SEGMENT.lastIndex
    const match = SEGMENT.exec(source)
    if (match === null)
      return {
        problem: `'${source}' is not a JSON path this tool reads: '${source.slice(at)}' is neither .name, [0], ['name'] nor [*]`,
      }
    const [, name, index, single, double] = match
    const quoted = single ?? double
    if (index !== undefined) segments.push({ index: Number(index) })
    else if (name !== undefined) segments.push({ name })
    else if (quoted !== undefined) segments.push({ name: quoted.replace(/\\(.)/g, '$1') })
    else segments.push('all')
  }
  return {
    source,
    find: (value) => segments.reduce((found, segment) => found.flatMap((one) => step(one, segment)), [value]),
  }
}

function step(value: JsonValue, segment: Segment): JsonValue[] {
  const members =
    segment === 'all'
      ? typeof value === 'object' && value !== null
        ? Object.values(value)
        : []
      : 'index' in segment
        ? [Array.isArray(value) ? value[segment.index] : undefined]
        : [isJsonObject(value) && Object.hasOwn(value, segment.name) ? value[segment.name] : undefined]
  return members.filter((member) => member !== undefined)
}
