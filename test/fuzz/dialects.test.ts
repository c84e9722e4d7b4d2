// The promises every dialect keeps (ARCHITECTURE, "Generations are dialects"): what it can say comes back, unknown
// members survive, nothing that is JSON makes it throw. A failing run prints its seed; PARLEY_FUZZ_SEED repeats it.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { BindingId, Codec, Dialect } from '../../src/dialects/dialect.ts'
import { DIALECTS, dialectById } from '../../src/dialects/index.ts'
import { messageIssues } from '../../src/dialects/message-schemas.ts'
import type { JsonValue } from '../../src/model/json.ts'
import { OPERATIONS } from '../../src/model/operation.ts'
import { ALL_STATES, damaged, json, models, type Sayable, withUnknownMembers } from './dialects-arbitraries.ts'

const seed = Number(process.env.PARLEY_FUZZ_SEED ?? Date.now() % 2 ** 31)
console.info(`fuzz seed ${seed}`)
const RUNS = { seed, numRuns: Number(process.env.PARLEY_FUZZ_RUNS ?? 150) }

const EVERYTHING: Sayable = {
  partMetadata: true,
  fileNames: true,
  dataOfAnyType: true,
  references: true,
  states: ALL_STATES,
}

function codecOf(id: '0.1' | '0.3' | '1.0', binding: BindingId): Codec {
  const codec = dialectById(id).codecs[binding]
  if (codec === undefined) throw new Error(`${id} has no ${binding}`)
  return codec
}

const FAITHFUL: readonly { id: '0.3' | '1.0'; binding: Exclude<BindingId, 'grpc'>; sayable: Sayable }[] = [
  { id: '1.0', binding: 'jsonrpc', sayable: EVERYTHING },
  { id: '1.0', binding: 'rest', sayable: EVERYTHING },
  { id: '0.3', binding: 'jsonrpc', sayable: { ...EVERYTHING, dataOfAnyType: false } },
  {
    id: '0.3',
    binding: 'rest',
    sayable: { ...EVERYTHING, dataOfAnyType: false, partMetadata: false, fileNames: false, references: false },
  },
]

describe.each(FAITHFUL)('$id over $binding', ({ id, binding, sayable }) => {
  const codec = codecOf(id, binding)
  const { event, message, task } = models(sayable)

  test('an event comes back as it was, is valid, and loses nothing', () => {
    fc.assert(
      fc.property(event, (value) => {
        const { wire, lost } = codec.encodeEvent(value)
        expect(lost).toEqual([])
        expect(messageIssues(dialectById(id).messages, 'results', binding, 'streamMessage', wire)).toEqual([])
        expect(codec.decodeEvent(wire)).toEqual({ ok: true, value })
      }),
      RUNS,
    )
  })

  test('a task comes back as it was', () => {
    fc.assert(
      fc.property(task, (value) => {
        const { wire } = codec.encodeResult('getTask', value)
        expect(messageIssues(dialectById(id).messages, 'results', binding, 'getTask', wire)).toEqual([])
        expect(codec.decodeResult('getTask', wire)).toEqual({ ok: true, value })
      }),
      RUNS,
    )
  })

  test('a message to send comes back as it was', () => {
    const request = fc.record({ message, configuration: fc.record({ returnImmediately: fc.boolean() }) })
    fc.assert(
      fc.property(request, (value) => {
        const { wire } = codec.encodeRequest('sendMessage', value)
        expect(messageIssues(dialectById(id).messages, 'requests', binding, 'sendMessage', wire)).toEqual([])
        expect(codec.decodeRequest('sendMessage', wire)).toEqual({ ok: true, value })
      }),
      RUNS,
    )
  })
})

/** The wire forms of random events, tasks and requests of a dialect. */
function wires(dialect: Dialect, binding: BindingId) {
  const codec = codecOf(dialect.id, binding)
  const { event, message, task } = models({ ...EVERYTHING, dataOfAnyType: false })
  return {
    codec,
    event: event.map((value) => codec.encodeEvent(value).wire),
    task: task.map((value) => codec.encodeResult('getTask', value).wire),
    request: message.map((value) => codec.encodeRequest('sendMessage', { message: value }).wire),
  }
}

describe.each(DIALECTS)('$id over jsonrpc', (dialect) => {
  const { codec, event, task, request } = wires(dialect, 'jsonrpc')
  const unknown = (wire: JsonValue) => withUnknownMembers(wire)

  test('what was read is written again, with the members nobody knows', () => {
    fc.assert(
      fc.property(event.map(unknown), task.map(unknown), request.map(unknown), (e, t, r) => {
        const decodedEvent = codec.decodeEvent(e)
        const decodedTask = codec.decodeResult('getTask', t)
        const decodedRequest = codec.decodeRequest('sendMessage', r)
        if (!decodedEvent.ok || !decodedTask.ok || !decodedRequest.ok) throw new Error('a valid value was refused')
        expect(codec.encodeEvent(decodedEvent.value).wire).toEqual(e)
        expect(codec.encodeResult('getTask', decodedTask.value).wire).toEqual(t)
        expect(codec.encodeRequest('sendMessage', decodedRequest.value).wire).toEqual(r)
      }),
      RUNS,
    )
  })
})

const BOUND = DIALECTS.flatMap((dialect) =>
  (['jsonrpc', 'rest'] as const)
    .filter((b) => dialect.codecs[b] !== undefined)
    .map((binding) => ({ dialect, binding })),
)

describe.each(BOUND)('$dialect.id over $binding', ({ dialect, binding }) => {
  const { codec, event, task, request } = wires(dialect, binding)

  test('no JSON makes it throw', () => {
    const anything = fc.oneof(json, event.chain(damaged), task.chain(damaged), request.chain(damaged))
    fc.assert(
      fc.property(anything, (wire) => {
        for (const op of OPERATIONS) {
          codec.decodeRequest(op, wire)
          codec.decodeResult(op, wire)
        }
        codec.decodeEvent(wire)
        dialect.card.decode(wire)
        dialect.card.issues(wire)
        dialect.errors().decode({ code: -32001, message: '', data: wire })
      }),
      RUNS,
    )
  })

  test('a member called __proto__ changes no prototype', () => {
    const poison: readonly [string, JsonValue][] = [
      ['__proto__', { polluted: true }],
      ['constructor', { prototype: { polluted: true } }],
    ]
    fc.assert(
      fc.property(fc.oneof(event, task, request), (wire) => {
        const poisoned = withUnknownMembers(wire, poison)
        for (const op of OPERATIONS) {
          const decoded = codec.decodeRequest(op, poisoned)
          if (decoded.ok && decoded.value !== null) expect(Object.getPrototypeOf(decoded.value)).toBe(Object.prototype)
          codec.decodeResult(op, poisoned)
        }
        expect(Reflect.get({}, 'polluted')).toBeUndefined()
      }),
      { ...RUNS, numRuns: 30 },
    )
  })
})
