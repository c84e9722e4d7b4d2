import { createRequire } from 'node:module'
import type { Options } from 'ajv'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { likeness } from '../../test/support/likeness.ts'
import { DIALECTS, dialectById } from '../dialects/index.ts'
import type { Definitions } from './definition.ts'
import { FORMATS, isBase64, isTimestamp, isUtcTimestamp } from './formats.ts'
import { tolerant } from './tolerant.ts'

const RUNS = { numRuns: 60 }

const { Ajv, _ } = createRequire(import.meta.url)('ajv') as typeof import('ajv')
const newest = dialectById('1.0').messages.set

/** The same definitions as a well-known validator reads them, to which every answer of ours is held. */
function ajvOf(definitions: Definitions, options: Options): (name: string) => (value: unknown) => boolean {
  const ajv = new Ajv({ ...options, allowUnionTypes: true })
  for (const [name, { test }] of Object.entries(FORMATS)) ajv.addFormat(name, test)
  ajv.addKeyword({
    keyword: 'exactlyOneOf',
    type: 'object',
    schemaType: 'array',
    code(context) {
      const present = (context.schema as string[]).map((name) => _`(${context.data}[${name}] === undefined ? 0 : 1)`)
      context.fail(_`${present.reduce((sum, one) => _`${sum} + ${one}`)} !== 1`)
    },
  })
  ajv.addSchema({ $id: 'a2a', definitions })
  return (name) => ajv.compile({ $ref: `a2a#/definitions/${name}` })
}

describe.each(DIALECTS.map((dialect) => ({ id: dialect.id, dialect })))('the schemas of $id', ({ dialect }) => {
  const { set } = dialect.messages
  const names = Object.keys(set.definitions)

  test('are themselves valid JSON Schema', () => {
    expect(new Ajv().validateSchema({ definitions: set.definitions })).toBe(true)
  })

  test('accept no number, not even tolerantly', () => {
    for (const name of names) {
      expect(set.validate(name, 7)).not.toEqual([])
      expect(set.readTolerantly(name, 7)).toBeUndefined()
    }
  })

  test.each(names)('%s: decided as Ajv decides, and explained when refused', (name) => {
    const ajv = ajvOf(set.definitions, {})(name)
    fc.assert(
      fc.property(likeness(set.definitions, name), (value) => {
        const isRight = ajv(value)
        expect(set.isValid(name, value)).toBe(isRight)
        expect(set.validate(name, value).length === 0).toBe(isRight)
      }),
      RUNS,
    )
  })

  test.each(names)('%s: read tolerantly as Ajv fills in defaults', (name) => {
    const ajv = ajvOf(tolerant(set.definitions, set.tolerated), { useDefaults: true })(name)
    fc.assert(
      fc.property(likeness(set.definitions, name), (value) => {
        const copy = structuredClone(value)
        expect(set.readTolerantly(name, value)).toEqual(ajv(copy) ? copy : undefined)
      }),
      RUNS,
    )
  })
})

describe('issues', () => {
  test('point at the fault and name the rule in plain words', () => {
    const wire = {
      message: { role: 'ROLE_USER', parts: [{ text: 'a', url: 'b' }, { raw: '?' }], metadata: [] },
      configuration: { historyLength: -1, returnImmediately: 'yes' },
    }
    expect(newest.validate('SendMessageRequest', wire)).toEqual([
      { pointer: '/message/messageId', message: 'is required' },
      { pointer: '/message/parts/0', message: 'exactly one of text, raw, url, data is required, found text and url' },
      { pointer: '/message/parts/1/raw', message: 'must be standard base64 with padding' },
      { pointer: '/message/metadata', message: 'must be an object' },
      { pointer: '/configuration/historyLength', message: 'must be at least 0' },
      { pointer: '/configuration/returnImmediately', message: 'must be a boolean' },
    ])
  })

  test('a valid value has none, whatever else it carries', () => {
    const wire = { id: 't', status: { state: 'TASK_STATE_WORKING', x: 1 }, y: [null] }
    expect(newest.validate('Task', wire)).toEqual([])
    expect(newest.isValid('Task', wire)).toBe(true)
  })

  test('an envelope has a result or an error', () => {
    expect(newest.validate('JsonRpcResponse', { jsonrpc: '2.0', id: 1 })).toEqual([
      { pointer: '', message: 'exactly one of result, error is required' },
    ])
    expect(newest.validate('JsonRpcResponse', { jsonrpc: '2.0', id: 1, result: null })).toEqual([])
  })
})

test('a tolerant reading leaves its input alone', () => {
  const wire = { role: 'ROLE_AGENT' }
  expect(newest.readTolerantly('Message', wire)).toEqual({ role: 'ROLE_AGENT', messageId: '', parts: [] })
  expect(wire).toEqual({ role: 'ROLE_AGENT' })
  expect(newest.readTolerantly('Message', { role: 'nobody' })).toBeUndefined()
})

describe('formats', () => {
  test('base64', () => {
    expect(['', 'YQ==', 'YWI=', 'YWJj'].every(isBase64)).toBe(true)
    expect(['YQ', 'Y===', '=YWJ', 'YW-_', 'Y Q='].some(isBase64)).toBe(false)
  })

  test('timestamps', () => {
    expect(isUtcTimestamp('2026-01-02T03:04:05.678Z')).toBe(true)
    expect(isUtcTimestamp('2026-01-02T03:04:05+00:00')).toBe(false)
    expect(isTimestamp('2026-01-02T03:04:05')).toBe(true)
    expect(['2026-13-02T03:04:05Z', '2026-01-02', 'now'].some(isTimestamp)).toBe(false)
  })
})

test('of a document full of faults the first hundred are told', () => {
  const parts = Array.from({ length: 50_000 }, () => ({ text: 1 }))
  const issues = newest.validate('SendMessageRequest', { message: { messageId: 'm', role: 'ROLE_USER', parts } })
  expect(issues).toHaveLength(100)
})
