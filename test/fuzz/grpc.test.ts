// The promise of the dialects over gRPC: what can be said comes back through the bytes of the wire.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeMessage } from '../../src/bindings/grpc/proto/decode.ts'
import { encodeMessage } from '../../src/bindings/grpc/proto/encode.ts'
import { schema } from '../../src/bindings/grpc/proto/schema.ts'
import { dialectById } from '../../src/dialects/index.ts'
import type { JsonValue } from '../../src/model/json.ts'
import { ALL_STATES, models } from './dialects-arbitraries.ts'

const seed = Number(process.env.PARLEY_FUZZ_SEED ?? Date.now() % 2 ** 31)
console.info(`fuzz seed ${seed}`)
const RUNS = { seed, numRuns: Number(process.env.PARLEY_FUZZ_RUNS ?? 100) }

const EVERYTHING = { partMetadata: true, fileNames: true, dataOfAnyType: true, references: true, states: ALL_STATES }
const OLDER = { ...EVERYTHING, dataOfAnyType: false, partMetadata: false, fileNames: false, references: false }

describe.each([
  { id: '1.0' as const, sayable: EVERYTHING },
  { id: '0.3' as const, sayable: OLDER },
])('$id over the wire of gRPC', ({ id, sayable }) => {
  const { codecs, grpc } = dialectById(id)
  const codec = codecs.grpc
  const rpc = schema().rpc(`/${grpc?.service}/SendStreamingMessage`)
  if (codec === undefined || rpc === undefined) throw new Error(`${id} has no gRPC`)
  const { event, message } = models(sayable)
  // Refused at the door, as the JSON bindings do.
  const isAllowed = (value: unknown) => !JSON.stringify(value).includes('__proto__')
  const wired = (type: typeof rpc.request, wire: JsonValue) => decodeMessage(type, encodeMessage(type, wire))

  test('an event is said without a member too many, and means the same at the other end', () => {
    fc.assert(
      fc.property(event.filter(isAllowed), (value) => {
        const { wire } = codec.encodeEvent(value)
        const read = codec.decodeEvent(wired(rpc.response, wire))
        const again = read.ok ? codec.encodeEvent(read.value).wire : undefined
        expect(again === undefined ? read : wired(rpc.response, again)).toEqual(wired(rpc.response, wire))
      }),
      RUNS,
    )
  })

  test('a message to send, too', () => {
    fc.assert(
      fc.property(message.filter(isAllowed), (value) => {
        const { wire } = codec.encodeRequest('sendMessage', { message: value })
        const read = codec.decodeRequest('sendMessage', wired(rpc.request, wire))
        const again = read.ok ? codec.encodeRequest('sendMessage', read.value).wire : undefined
        expect(again === undefined ? read : wired(rpc.request, again)).toEqual(wired(rpc.request, wire))
      }),
      RUNS,
    )
  })
})
