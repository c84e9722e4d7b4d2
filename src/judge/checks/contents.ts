// Files and structured data in artifacts: complete, readable, and the same wherever the task is shown (1.0 §4.1.6).

import { isJsonObject, type JsonObject } from '../../model/json.ts'
import { isTerminal } from '../../model/state-machine.ts'
import { quote } from '../probe/assertions.ts'
import type { Behaviour } from '../probe/behaviours.ts'
import type { Probe } from '../probe/probe.ts'
import type { RawTask } from '../probe/raw.ts'
import { rawData, rawFile } from '../probe/raw-parts.ts'
import { area, check, type PlacedCheck } from './check.ts'

const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(\s*;.*)?$/
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/

export const contentChecks: PlacedCheck[] = area({ name: 'contents', category: 'lifecycle', phase: 3 }, [
  check(
    'artifact-files',
    'MUST send files by their bytes or by an address',
    {
      proves: ['dm-part-file'],
      fix: 'Give every file part its bytes in base64, or an absolute URL, never both; and its media type as type/subtype.',
      needs: ['behaviour:artifact-file'],
      why: 'A file without bytes and without an address a client can reach is no result.',
      causes: [
        'a path of the server instead of a URL',
        'bytes as a list of numbers or as a data: URL',
        'both members set',
      ],
    },
    async (t) => {
      const { parts, x } = await partsOf(t, 'artifact-file')
      const files = parts.flatMap(({ part, pointer }) => {
        const file = rawFile(part)
        return file === undefined ? [] : [{ file, part, pointer }]
      })
      if (files.length === 0) t.notMeasured('no artifact holds a file', 'a prompt for "artifact-file" that makes one')
      for (const { file, part, pointer } of files) {
        const { bytes, uri, name, mediaType } = file
        const at = { actual: quote(part), pointer, at: x }
        t.expect((bytes === undefined) !== (uri === undefined), 'a file has not exactly one of bytes and address', at)
        if (bytes !== undefined)
          t.expect(typeof bytes === 'string' && BASE64.test(bytes), 'the bytes of a file are not base64', at)
        if (uri !== undefined)
          t.expect(typeof uri === 'string' && URL.canParse(uri), 'the address of a file is no absolute URL', at)
        const isNamed = name === undefined || typeof name === 'string'
        t.expect(isNamed, 'the name of a file is no text', at)
        const isTyped = mediaType === undefined || (typeof mediaType === 'string' && MEDIA_TYPE.test(mediaType))
        t.expect(isTyped, `the media type of a file is ${quote(mediaType)}`, { ...at, expected: 'type/subtype' })
      }
    },
  ),
  check(
    'artifact-data',
    'MUST send structured data as JSON, not as text',
    {
      proves: ['dm-part-data'],
      fix: 'Put the JSON value itself into data; a string that holds JSON is text.',
      needs: ['behaviour:artifact-data'],
      causes: ['the value is serialised twice'],
    },
    async (t) => {
      const { parts, x } = await partsOf(t, 'artifact-data')
      const found = parts.flatMap(({ part, pointer }) => {
        const data = rawData(part)
        return data === undefined ? [] : [{ data, pointer }]
      })
      if (found.length === 0) t.notMeasured('no artifact holds data', 'a prompt for "artifact-data" that makes some')
      for (const { data, pointer } of found) {
        const isText = typeof data === 'string' && /^\s*[[{]/.test(data)
        t.expect(!isText, 'the data is a text that holds JSON', {
          expected: 'the JSON value itself',
          actual: quote(data),
          pointer: `${pointer}/data`,
          at: x,
        })
      }
    },
  ),
])

interface PlacedPart {
  part: JsonObject
  pointer: string
}

/** The parts of all artifacts of a task of that behaviour, as reading it shows them. */
async function partsOf(t: Probe, what: Behaviour) {
  const made = await t.shared(`a read task of ${what}`, async (own) => {
    const { task } = await own.startTask(what)
    await own.awaitTask(task.id, ({ state }: RawTask) => state !== undefined && isTerminal(state))
    const x = await own.call('getTask', { id: task.id })
    return { x, task: own.taskOf(x) }
  })
  const parts = made.task.artifacts.flatMap(({ json, pointer }) =>
    (Array.isArray(json.parts) ? json.parts : []).flatMap((part, at): PlacedPart[] =>
      isJsonObject(part) ? [{ part, pointer: `${pointer}/parts/${at}` }] : [],
    ),
  )
  return { parts, x: made.x }
}
