import { describe, expect, test } from 'vitest'
import { parseCase, variantsOf } from './load-case.ts'

const INPUT = 'test_case_id: t\ngateway_input: { parts: [{ text: go }] }\n'
const ASSERTION = 'expected_gateway_output: [{ type: final_response }]\n'

describe('a case file', () => {
  test('with the least there can be', () => {
    const written = parseCase(INPUT + ASSERTION)
    expect(variantsOf(written)).toEqual([{ generation: '1.0', streaming: true, binding: 'jsonrpc' }])
  })

  test('asks for the ways it is played, and the runner may ask for others', () => {
    const written = parseCase(`${INPUT}${ASSERTION}generation: [0.3, 1.0]\nstreaming: [true, false]\n`)
    expect(variantsOf(written)).toHaveLength(4)
    expect(variantsOf(written, { generation: ['0.1'], streaming: [false] })).toEqual([
      { generation: '0.1', streaming: false, binding: 'jsonrpc' },
    ])
  })

  test.each([
    [
      'an unknown key',
      `${INPUT}${ASSERTION}expected_artefacts: []\n`,
      /case\.yaml:4:1: unknown key 'expected_artefacts'.*did you mean 'expected_artifacts'/,
    ],
    [
      'a key unknown further down',
      `${INPUT}expected_gateway_output:\n  - type: error\n    text: x\n`,
      /case\.yaml:5:5: unknown key 'text'/,
    ],
    [
      'an unknown type',
      `${INPUT}expected_gateway_output: [{ type: status }]\n`,
      /case\.yaml:3:.*must be one of status_update/,
    ],
    [
      'a language model',
      `${INPUT}${ASSERTION}llm_interactions: [{ a: 1 }]\n`,
      /case\.yaml:4:.*llm_interactions is not supported/,
    ],
    ['no assertion', INPUT, /the case asserts nothing, so it could not fail/],
    ['an empty assertion', `${INPUT}expected_gateway_output: []\nexpected_artifacts: []\n`, /asserts nothing/],
    ['no input', `test_case_id: t\n${ASSERTION}`, /needs the key 'gateway_input'/],
    [
      'two inputs',
      `test_case_id: t\ngateway_input: { parts: [{ text: a }], prompt: { parts: [{ text: b }] } }\n${ASSERTION}`,
      /exactly one of prompt and parts/,
    ],
    ['a bad id', `test_case_id: a b\ngateway_input: { parts: [{ text: a }] }\n${ASSERTION}`, /may only contain/],
    [
      'a bad regular expression',
      `${INPUT}expected_gateway_output: [{ type: error, content_parts: [{ type: text, text_matches: "(" }] }]\n`,
      /is not a regular expression/,
    ],
    [
      'bytes that are not base64',
      `${INPUT}${ASSERTION}setup_artifacts: [{ filename: a, bytes_base64: "***" }]\n`,
      /is not base64/,
    ],
    [
      'a script with an unknown key',
      `${INPUT}${ASSERTION}downstream_script:\n  rulez: []\n`,
      /case\.yaml:5:3: unknown key 'rulez'.*did you mean 'rules'/,
    ],
    [
      'a script that does not compile',
      `${INPUT}${ASSERTION}downstream_script: { rules: [{ id: a, turns: [[]] }, { id: a, turns: [[]] }] }\n`,
      /downstream_script:.*'a'/,
    ],
    ['an unknown fault', `${INPUT}${ASSERTION}downstream_faults: [{ do: explode }]\n`, /there is no fault 'explode'/],
    [
      'a follow-up that says nothing',
      `${INPUT}${ASSERTION}follow_ups: [{ user_identity: bob }]\n`,
      /a follow-up needs exactly one of/,
    ],
    ['text that is no YAML', 'a: [', /case\.yaml:1:/],
  ])('is refused with its line for %s', (_, text, message) => {
    expect(() => parseCase(text)).toThrow(message)
  })

  test('takes an empty llm_interactions, and an empty list of requests as a claim', () => {
    expect(() => parseCase(`${INPUT}llm_interactions: []\nexpected_downstream_requests: []\n`)).not.toThrow()
  })
})
