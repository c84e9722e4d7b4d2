// Files and structured data in artifacts: complete, readable, and the same wherever the task is shown (1.0 §4.1.6).

import { isJsonObject, type JsonObject } from '../../model/json.ts'
import { isTerminal } from '../../model/state-machine.ts'
import { parsed } from '../probe/answer.ts'
import { quote } from '../probe/assertions.ts'
import type { Behaviour } from '../probe/behaviours.ts'
import type { Probe } from '../probe/probe.ts'
import type { RawTask } from '../probe/raw.ts'
import { rawData, rawFile } from '../probe/raw-parts.ts'
import { area, check, type PlacedCheck } from './check.ts'

const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(\s*;.*)?$/
const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/

export const contentChecks: PlacedCheck[] = area({ name: 'contents', category: 'lifecycle', phase: 3 }, [
  check(
    'artifact-files',
    'MUST send a file either as bytes or as a URL',
    {
      proves: ['dm-part-file'],
      fix: 'Give every file part its bytes in base64, or its URL, never both; and its media type as type/subtype.',
      needs: ['behaviour:artifact-file'],
      why: 'A file without bytes and without a URL cannot be used.',
      causes: ['bytes as a list of numbers or as a data: URL', 'both members set'],
    },
    async (t) => {
      for (const { file, at } of await filesOf(t)) {
        const { bytes, uri, name, mediaType } = file
        t.expect((bytes === undefined) !== (uri === undefined), 'a file does not have exactly one of bytes and URL', at)
        if (bytes !== undefined)
          t.expect(typeof bytes === 'string' && BASE64.test(bytes), 'the bytes of a file are not base64', at)
        if (uri !== undefined) t.expect(typeof uri === 'string', 'the URL of a file is not a string', at)
        const isNamed = name === undefined || typeof name === 'string'
        t.expect(isNamed, 'the name of a file is not a string', at)
        const isTyped = mediaType === undefined || (typeof mediaType === 'string' && MEDIA_TYPE.test(mediaType))
        t.expect(isTyped, `the media type of a file is ${quote(mediaType)}`, { ...at, expected: 'type/subtype' })
      }
    },
  ),
  check(
    'artifact-file-address',
    'SHOULD give an absolute URL for a file',
    {
      proves: ['dm-part-file-address'],
      fix: 'Write the absolute URL of the file: a client has no base URL to resolve a relative one against.',
      needs: ['behaviour:artifact-file', 'check:artifact-files'],
      causes: ['a path of the server instead of a URL'],
    },
    async (t) => {
      const named = (await filesOf(t)).filter(({ file }) => file.uri !== undefined)
      if (named.length === 0) t.notMeasured('the files are sent as bytes, without a URL')
      for (const { file, at } of named)
        t.expect(typeof file.uri === 'string' && URL.canParse(file.uri), 'the URL of a file is not absolute', at)
    },
  ),
  check(
    'artifact-data',
    'MUST send structured data as JSON, not as text',
    {
      proves: ['dm-part-data'],
      fix: 'Put the JSON value itself into data, not a string that contains JSON.',
      needs: ['behaviour:artifact-data'],
      causes: ['the value is serialized twice'],
    },
    async (t) => {
      const { parts, x } = await partsOf(t, 'artifact-data')
      const found = parts.flatMap(({ part, pointer }) => {
        const data = rawData(part)
        return data === undefined ? [] : [{ data, pointer }]
      })
      if (found.length === 0) t.notMeasured('no artifact holds data', 'a prompt for "artifact-data" that makes some')
      for (const { data, pointer } of found) {
        const isText = typeof data === 'string' && /^\s*[[{]/.test(data) && parsed(data) !== undefined
        t.expect(!isText, 'the data is a string that contains JSON', {
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

async function filesOf(t: Probe) {
  const { parts, x } = await partsOf(t, 'artifact-file')
  const files = parts.flatMap(({ part, pointer }) => {
    const file = rawFile(part)
    return file === undefined ? [] : [{ file, at: { actual: quote(part), pointer, at: x } }]
  })
  return files.length > 0
    ? files
    : t.notMeasured('no artifact holds a file', 'a prompt for "artifact-file" that makes one')
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
