import { Ajv } from 'ajv'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { parseScript } from './load-script.ts'
import { SCRIPT_JSON_SCHEMA } from './script-shape.ts'

const validate = new Ajv({ strict: false, allowUnionTypes: true }).compile(SCRIPT_JSON_SCHEMA)

const step = (text: string): string => `rules: [{ turns: [[${text}]] }]`

test.each([
  'agent: { name: a, security: [bearer, { apiKey: { value: x } }] }',
  step('{ status: working, text: a }, { delay: 1.5s }, { complete: }'),
  step('{ complete: { data: [1] } }'),
  step('{ event: { kind: task, status: { state: working } } }'),
  'rules: [{ match: { jsonpath: { "$.a": 1, "$.b": { exists: true } }, headers: { x: y } }, turns: [[]], times: 2 }]',
  'faults: [{ do: http-status, with: { status: 503, retryAfter: 1 }, count: 1 }, { do: reset }]',
])('schema and validator both accept %s', (yaml) => {
  expect(() => parseScript(yaml)).not.toThrow()
  expect(validate(parse(yaml)), JSON.stringify(validate.errors)).toBe(true)
})

test.each([
  'agnet: {}',
  'agent: { streaming: 1 }',
  step('{ stauts: working }'),
  step('{ status: done }'),
  step('{ delay: 5 }'),
  step('{ delay: 1s, complete: x }'),
  'rules: [{ turns: [] }]',
  'rules: [{ id: a }]',
  'faults: [{ do: nope }]',
  'faults: [{ do: http-status }]',
  'faults: [{ do: hang, count: 0 }]',
])('schema and validator both refuse %s', (yaml) => {
  expect(() => parseScript(yaml)).toThrow()
  expect(validate(parse(yaml))).toBe(false)
})
