// Replays the golden examples: per dialect, binding and operation one file with the model and its wire form. Writing
// the model gives the wire, reading the wire gives the model, and the schemas find nothing wrong with it. `alsoRead`
// holds other spellings a reader must understand; "*" stands for an id the generation does not carry. Over gRPC the wire
// is the bytes of the message, in hex.

import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { decodeMessage, type UnknownField } from '../../src/bindings/grpc/proto/decode.ts'
import { encodeMessage } from '../../src/bindings/grpc/proto/encode.ts'
import { type MessageType, schema } from '../../src/bindings/grpc/proto/schema.ts'
import {
  BINDING_IDS,
  type BindingId,
  type Codec,
  type Decoded,
  type Dialect,
  type Encoded,
} from '../../src/dialects/dialect.ts'
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

/** `v1_0/rest`: every generation on every binding it has. */
const PLACES = DIALECTS.flatMap((dialect) =>
  BINDING_IDS.filter((binding) => dialect.codecs[binding] !== undefined).map((binding) => ({
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
    const { asked, answered } = formsOf(dialectById(id), binding, op)
    replay(request, speaker.encodeRequest, speaker.decodeRequest, asked)
    for (const result of results) replay(result, speaker.encodeResult, speaker.decodeResult, answered)
    for (const event of events) replay(event, speaker.encodeEvent, speaker.decodeEvent, answered)
  })
})

type Speak = (value: JsonValue) => Encoded
type Read = (wire: JsonValue) => Decoded<unknown>

/** How the JSON of a dialect is written in a file. */
interface Form {
  write(json: JsonValue): JsonValue
  read(written: JsonValue): JsonValue
  /** What the definitions of the generation find wrong with it. */
  issues(written: JsonValue): readonly unknown[] | undefined
}

function formsOf(dialect: Dialect, binding: BindingId, op: Operation): { asked: Form; answered: Form } {
  const inJson = (side: 'requests' | 'results'): Form => ({
    write: (json) => json,
    read: (written) => written,
    issues: (written) => messageIssues(dialect.messages, side, binding, op, written),
  })
  if (binding !== 'grpc') return { asked: inJson('requests'), answered: inJson('results') }
  const rpc = schema().rpc(`/${dialect.grpc?.service}/${dialect.grpc?.rpcs[op]}`)
  if (rpc === undefined) throw new Error(`A2A ${dialect.id} has no rpc of ${op}`)
  return { asked: inBytes(rpc.request), answered: inBytes(rpc.response) }
}

function bytesOf(written: JsonValue): Buffer {
  if (typeof written !== 'string') throw new TypeError('the bytes of a message are written in hex')
  return Buffer.from(written, 'hex')
}

function inBytes(type: MessageType): Form {
  return {
    write: (json) => encodeMessage(type, json ?? {}, { skipsUnknown: true }).toString('hex'),
    read: (written) => decodeMessage(type, bytesOf(written)),
    issues(written) {
      const unknown: UnknownField[] = []
      decodeMessage(type, bytesOf(written), { unknown })
      return unknown
    },
  }
}

function replay({ model, wire, alsoRead = [] }: Example, encode: Speak, decode: Read, form: Form): void {
  expect(form.write(encode(model).wire as JsonValue)).toEqual(wire)
  expect(form.issues(wire)).toEqual([])
  for (const spelling of [wire, ...alsoRead]) {
    expect(decode(form.read(spelling))).toEqual({ ok: true, value: withPlaceholders(model) })
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
