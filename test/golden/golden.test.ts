// Replays the golden examples: per dialect, binding and operation one file with the model and its wire form. Writing
// the model gives the wire, reading the wire gives the model, and the schemas find nothing wrong with it. `alsoRead`
// holds other spellings a reader must understand; "*" stands for an id the generation does not carry.

import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Codec, Decoded, Encoded } from '../../src/dialects/dialect.ts'
import { DIALECTS, dialectById } from '../../src/dialects/index.ts'
import { isJsonObject, type JsonValue } from '../../src/model/json.ts'
import { OPERATIONS, type Operation } from '../../src/model/operation.ts'
import { messageIssues } from '../../src/dialects/message-schemas.ts'

interface Example {
  model: JsonValue
  wire: JsonValue
  alsoRead?: JsonValue[]
}

interface Golden {
  request: Example
  results?: Example[]
  events?: Example[]
}

/** gRPC carries the same messages as bytes, and has its own examples. */
const JSON_BINDINGS = ['jsonrpc', 'rest'] as const

/** `v1_0/rest`: every generation on every binding it has. */
const PLACES = DIALECTS.flatMap((dialect) =>
  JSON_BINDINGS.filter((binding) => dialect.codecs[binding] !== undefined).map((binding) => ({
    ...{ id: dialect.id, binding, folder: `v${dialect.id.replace('.', '_')}/${binding}` },
  })),
)

describe.each(PLACES)('$folder', ({ id, binding, folder }) => {
  const codec = dialectById(id).codecs[binding]
  const files = readdirSync(join(import.meta.dirname, folder))

  test('has an example of every operation that travels', () => {
    const named = files.map((file) => basename(file, '.json'))
    const travelling = OPERATIONS.filter((op) => op !== 'getCard' && dialectById(id).has(op))
    expect(named).toEqual(expect.arrayContaining(travelling))
  })

  test.each(files)('%s', (file) => {
    const op = OPERATIONS.find((name) => file === `${name}.json`)
    if (op === undefined || codec === undefined) throw new Error(`${file} is named after no operation of A2A ${id}`)
    const golden = JSON.parse(readFileSync(join(import.meta.dirname, folder, file), 'utf8')) as Golden
    const { request, results = [], events = [] } = golden
    const speaker = speakerOf(codec, op)
    replay(request, speaker.encodeRequest, speaker.decodeRequest)
    expect(messageIssues(dialectById(id).messages, 'requests', binding, op, request.wire)).toEqual([])
    for (const result of results) {
      replay(result, speaker.encodeResult, speaker.decodeResult)
      expect(messageIssues(dialectById(id).messages, 'results', binding, op, result.wire)).toEqual([])
    }
    for (const event of events) {
      replay(event, speaker.encodeEvent, speaker.decodeEvent)
      expect(messageIssues(dialectById(id).messages, 'results', binding, op, event.wire)).toEqual([])
    }
  })
})

type Speak = (value: JsonValue) => Encoded
type Read = (wire: JsonValue) => Decoded<unknown>

function replay({ model, wire, alsoRead = [] }: Example, encode: Speak, decode: Read): void {
  expect(encode(model).wire).toEqual(wire)
  for (const spelling of [wire, ...alsoRead]) {
    expect(decode(spelling)).toEqual({ ok: true, value: withPlaceholders(model) })
  }
}

/** The files hold plain JSON; what the types promise about it is what this test is about. */
function speakerOf(
  codec: Codec,
  op: Operation,
): Record<'encodeRequest' | 'encodeResult' | 'encodeEvent', Speak> &
  Record<'decodeRequest' | 'decodeResult' | 'decodeEvent', Read> {
  return {
    encodeRequest: (value) => codec.encodeRequest(op, value as never),
    encodeResult: (value) => codec.encodeResult(op, value as never),
    encodeEvent: (value) => codec.encodeEvent(value as never),
    decodeRequest: (wire) => codec.decodeRequest(op, wire),
    decodeResult: (wire) => codec.decodeResult(op, wire),
    decodeEvent: (wire) => codec.decodeEvent(wire),
  }
}

function withPlaceholders(model: JsonValue): unknown {
  if (model === '*') return expect.any(String)
  if (Array.isArray(model)) return model.map(withPlaceholders)
  if (!isJsonObject(model)) return model
  return Object.fromEntries(Object.entries(model).map(([name, value]) => [name, withPlaceholders(value ?? null)]))
}
