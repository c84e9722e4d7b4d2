// Our encoder and decoder against another implementation of protocol buffers, which reads our descriptors.

import {
  create,
  createFileRegistry,
  fromBinary,
  fromJson,
  type JsonValue as ProtoJson,
  toBinary,
  toJson,
} from '@bufbuild/protobuf'
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonValue } from '../../../model/json.ts'
import { decodeMessage, NotDecodable, type UnknownField } from './decode.ts'
import { fileContaining, fileDescriptor, withImports } from './descriptor.ts'
import { encodeMessage, NotEncodable } from './encode.ts'
import { parseDuration, parseTimestamp } from './instants.ts'
import { PROTO_FILES, schema } from './schema.ts'

const theirs = createFileRegistry(
  create(FileDescriptorSetSchema, {
    file: [...PROTO_FILES]
      .sort((a, b) => withImports(a).length - withImports(b).length)
      .map((name) => fromBinary(FileDescriptorProtoSchema, fileDescriptor(name) ?? new Uint8Array())),
  }),
)

function theirType(name: string) {
  const found = theirs.getMessage(name)
  if (found === undefined) throw new Error(`no ${name}`)
  return found
}

const oneLine = fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' })
const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as JsonValue)
const struct = fc.dictionary(
  oneLine.filter((key) => key !== '__proto__'),
  json.filter((value) => !hasPrototype(value)),
  { maxKeys: 3 },
)
const timestamp = fc
  .date({ min: new Date('1970-01-01'), max: new Date('2999-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString().replace('.000Z', 'Z'))
const part = fc.oneof(
  fc.record({ text: oneLine, metadata: struct }, { requiredKeys: ['text'] }),
  fc.record({
    raw: fc.uint8Array({ minLength: 1 }).map((bytes) => Buffer.from(bytes).toString('base64')),
    filename: oneLine,
  }),
  fc.record({ url: oneLine, mediaType: oneLine }),
  fc.record({ data: json.filter((value) => !hasPrototype(value)) }),
)
const message = fc.record(
  {
    messageId: oneLine,
    role: fc.constantFrom('ROLE_USER', 'ROLE_AGENT'),
    parts: fc.array(part, { minLength: 1, maxLength: 3 }),
    metadata: struct,
    extensions: fc.array(oneLine, { minLength: 1 }),
  },
  { requiredKeys: ['messageId', 'role', 'parts'] },
)
const task = fc.record(
  {
    id: oneLine,
    contextId: oneLine,
    status: fc.record({ state: fc.constantFrom('TASK_STATE_WORKING', 'TASK_STATE_CANCELED'), timestamp }),
    history: fc.array(message, { minLength: 1, maxLength: 2 }),
    artifacts: fc.array(fc.record({ artifactId: oneLine, parts: fc.array(part, { minLength: 1 }) }), {
      minLength: 1,
      maxLength: 2,
    }),
    metadata: struct,
  },
  { requiredKeys: ['id', 'status'] },
)

function hasPrototype(value: JsonValue | undefined): boolean {
  return JSON.stringify(value)?.includes('"__proto__"') ?? false
}

describe('the wire', () => {
  test('says what another implementation reads, and reads what it says', () => {
    const name = 'lf.a2a.v1.StreamResponse'
    const [own, other] = [schema().message(name), theirType(name)]
    fc.assert(
      fc.property(
        fc.oneof(
          task.map((each) => ({ task: each })),
          message.map((each) => ({ message: each })),
        ),
        (value) => {
          const ours = encodeMessage(own, value)
          const read = toJson(other, fromBinary(other, ours), { registry: theirs })
          expect(read).toEqual(toJson(other, fromJson(other, value as ProtoJson), { registry: theirs }))
          expect(decodeMessage(own, Buffer.from(toBinary(other, fromJson(other, value as ProtoJson))))).toEqual(read)
        },
      ),
      { numRuns: 300 },
    )
  })

  test('keeps a text that looks like the default of a number', () => {
    const type = schema().message('lf.a2a.v1.GetTaskRequest')
    expect(decodeMessage(type, encodeMessage(type, { id: '0' }))).toEqual({ id: '0' })
  })

  test('keeps presence, negative numbers, errors inside Any and large messages', () => {
    const type = schema().message('lf.a2a.v1.GetTaskRequest')
    expect(decodeMessage(type, encodeMessage(type, { id: 'x', historyLength: 0 }))).toEqual({
      id: 'x',
      historyLength: 0,
    })
    expect(decodeMessage(type, encodeMessage(type, { id: '', historyLength: -7 }))).toEqual({ historyLength: -7 })
    const status = schema().message('google.rpc.Status')
    const detail = {
      '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
      reason: 'R',
      domain: 'd',
      metadata: { a: 'b' },
    }
    const error = { code: 5, message: 'no', details: [detail] }
    expect(decodeMessage(status, encodeMessage(status, error))).toEqual(error)
    const sent = schema().message('lf.a2a.v1.Message')
    const large = { messageId: 'm', parts: [{ text: 'ä'.repeat(400_000) }, { text: 'b' }] }
    expect(decodeMessage(sent, encodeMessage(sent, large))).toEqual(large)
  })

  test('skips what the schema does not have, and tells', () => {
    const type = schema().message('lf.a2a.v1.Task')
    // generation = 7 of a later version, and an id that is a number.
    const bytes = Buffer.from([0x0a, 1, 0x78, 0x38, 5, 0x08, 1])
    const unknown: UnknownField[] = []
    expect(decodeMessage(type, bytes, { unknown })).toEqual({ id: 'x' })
    expect(unknown).toEqual([
      { message: 'lf.a2a.v1.Task', number: 7, wireType: 0, isKnownNumber: false },
      { message: 'lf.a2a.v1.Task', number: 1, wireType: 0, isKnownNumber: true },
    ])
    const state = schema().message('lf.a2a.v1.TaskStatus')
    expect(decodeMessage(state, Buffer.from([0x08, 99]))).toEqual({ state: 99 })
  })

  test.each([
    ['a cut string', [0x0a, 5, 0x78]],
    ['a cut number', [0x08, 0x80]],
    ['an endless number', [0x38, ...Array<number>(11).fill(0x80), 0]],
    ['no UTF-8', [0x0a, 1, 0xff]],
    ['field 0', [0x00, 0x01]],
    ['a wire type that does not exist', [0x0f]],
  ])('refuses %s', (_, bytes) => {
    expect(() => decodeMessage(schema().message('lf.a2a.v1.Task'), Buffer.from(bytes))).toThrow(NotDecodable)
  })

  test('never does anything but decode or refuse', () => {
    const type = schema().message('lf.a2a.v1.SendMessageRequest')
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        try {
          decodeMessage(type, Buffer.from(bytes))
        } catch (error) {
          expect(error).toBeInstanceOf(NotDecodable)
        }
      }),
      { numRuns: 500 },
    )
  })

  test.each([
    [{ id: 5 }, '/id', 'must be a string'],
    [{ status: { state: 'DONE' } }, '/status/state', 'must be one of'],
    [{ history: [{ role: 'ROLE_USER', parts: [{ text: 'a', url: 'b' }] }] }, '/history/0/parts/0', 'more than one'],
    [{ nonsense: 1 }, '', 'nonsense'],
  ])('says where JSON does not fit: %j', (value, pointer, words) => {
    const encode = () => encodeMessage(schema().message('lf.a2a.v1.Task'), value as JsonValue)
    expect(encode).toThrow(NotEncodable)
    expect(encode).toThrow(words)
    expect(() => encode()).toThrow(expect.objectContaining({ pointer }))
  })
})

test('descriptors are found by what they contain', () => {
  expect(fileContaining('lf.a2a.v1.A2AService')).toBe('lf/a2a/v1/a2a.proto')
  expect(fileContaining('a2a.v1.A2AService.GetTask')).toBe('a2a/v1/a2a.proto')
  expect(fileContaining('google.protobuf.Struct')).toBe('google/protobuf/struct.proto')
  expect(fileContaining('nobody.Knows')).toBeUndefined()
})

test('instants that are none are refused', () => {
  expect(parseTimestamp('2026-11-17T12:00:00.5+01:00')).toEqual({ seconds: 1_794_913_200, nanos: 500_000_000 })
  expect(parseTimestamp('yesterday')).toBeUndefined()
  expect(parseDuration('-1.5s')).toEqual({ seconds: -1, nanos: -500_000_000 })
  expect(parseDuration('1')).toBeUndefined()
})
