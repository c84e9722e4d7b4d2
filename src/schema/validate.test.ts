import { createRequire } from 'node:module'
import { describe, expect, test } from 'vitest'
import { isBase64, isTimestamp, isUtcTimestamp } from './formats.ts'
import { DEFINITIONS_0_1 } from './v0_1/definitions.ts'
import { DEFINITIONS_0_3 } from './v0_3/definitions.ts'
import { DEFINITIONS_1_0 } from './v1_0/definitions.ts'
import { isValid, readTolerantly, validate } from './validate.ts'

const { Ajv } = createRequire(import.meta.url)('ajv') as typeof import('ajv')

describe.each([
  ['0.1', DEFINITIONS_0_1],
  ['0.3', DEFINITIONS_0_3],
  ['1.0', DEFINITIONS_1_0],
] as const)('the schemas of %s', (generation, definitions) => {
  test('are themselves valid JSON Schema', () => {
    expect(new Ajv().validateSchema({ definitions })).toBe(true)
  })

  test('all compile, and none accepts a number', () => {
    for (const name of Object.keys(definitions) as (keyof typeof definitions)[]) {
      expect(validate(generation, name, 7)).not.toEqual([])
      expect(readTolerantly(generation, name, 7)).toBeUndefined()
    }
  })
})

describe('issues', () => {
  test('point at the fault and name the rule in plain words', () => {
    const wire = {
      message: { role: 'ROLE_USER', parts: [{ text: 'a', url: 'b' }, { raw: '?' }], metadata: [] },
      configuration: { historyLength: -1, returnImmediately: 'yes' },
    }
    expect(validate('1.0', 'SendMessageRequest', wire)).toEqual([
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
    expect(validate('1.0', 'Task', wire)).toEqual([])
    expect(isValid('1.0', 'Task', wire)).toBe(true)
  })

  test('an envelope has a result or an error', () => {
    expect(validate('1.0', 'JsonRpcResponse', { jsonrpc: '2.0', id: 1 })).toEqual([
      { pointer: '', message: 'exactly one of result, error is required' },
    ])
    expect(validate('1.0', 'JsonRpcResponse', { jsonrpc: '2.0', id: 1, result: null })).toEqual([])
  })
})

test('a tolerant reading leaves its input alone', () => {
  const wire = { role: 'ROLE_AGENT' }
  expect(readTolerantly('1.0', 'Message', wire)).toEqual({ role: 'ROLE_AGENT', messageId: '', parts: [] })
  expect(wire).toEqual({ role: 'ROLE_AGENT' })
  expect(readTolerantly('1.0', 'Message', { role: 'nobody' })).toBeUndefined()
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
