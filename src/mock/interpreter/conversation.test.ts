import { describe, expect, test } from 'vitest'
import type { JsonValue } from '../../model/json.ts'
import { parseScript } from '../script/load-script.ts'
import { EMPTY_SCRIPT } from '../script/script.ts'
import { Conversation, type TurnRequest } from './conversation.ts'

function say(text: string, more: Partial<TurnRequest> & { data?: JsonValue } = {}): TurnRequest {
  const { data, ...rest } = more
  const parts = data === undefined ? [{ text }] : [{ text }, { data }]
  return {
    message: { messageId: 'm', role: 'ROLE_USER', parts },
    headers: {},
    requestMetadata: undefined,
    taskId: 't1',
    contextId: 'c1',
    ...rest,
  }
}

const encode = (turns: unknown): string => Buffer.from(JSON.stringify(turns)).toString('base64')
const status = (state: string) => ({ kind: 'status-update', status: { state } })
const TWO_TURNS = [[status('input-required')], [status('completed')]]
const first = (id = 'x', turns: unknown = TWO_TURNS): string => `[test_case_id=${id}] [responses_json=${encode(turns)}]`

describe('directives', () => {
  test('play turn after turn of the same task without repeating them', () => {
    const talk = new Conversation(EMPTY_SCRIPT)
    expect(talk.choose(say(first()))).toMatchObject({ ok: true, id: 'x', from: 'test-case', index: 0 })
    expect(talk.choose(say('more'))).toMatchObject({ ok: true, id: 'x', index: 1 })
    expect(talk.choose(say('too much'))).toEqual({
      ok: false,
      reason: 'script-error',
      message: "no turn left: test case 'x' has 2 turns, and this is message 3 of the task",
    })
  })

  test('go on in the task that succeeds an ended one', () => {
    const talk = new Conversation(EMPTY_SCRIPT)
    talk.choose(say(first()))
    expect(talk.hasTurnsLeft('t1')).toBe(true)
    const sequel = say('more', { taskId: 't2' })
    const message = { ...sequel.message, taskId: 't1' }
    expect(talk.choose({ ...sequel, message })).toMatchObject({ ok: true, id: 'x', index: 1 })
    expect(talk.hasTurnsLeft('t2')).toBe(false)
    expect(talk.hasTurnsLeft('unknown')).toBe(false)
  })

  test('are found by context and by test id for another task, from turn 0', () => {
    const talk = new Conversation(EMPTY_SCRIPT)
    talk.choose(say(first()))
    expect(talk.choose(say('again', { taskId: 't2' }))).toMatchObject({ ok: true, id: 'x', index: 0 })
    expect(talk.choose(say('[test_case_id=x]', { taskId: 't3', contextId: 'c3' }))).toMatchObject({
      ok: true,
      index: 0,
    })
  })

  test('may be repeated unchanged, but not changed', () => {
    const talk = new Conversation(EMPTY_SCRIPT)
    talk.choose(say(first()))
    expect(talk.choose(say(first()))).toMatchObject({ ok: true, index: 1 })
    expect(talk.choose(say(first('x', [[]]), { taskId: 't2' }))).toMatchObject({
      ok: false,
      message: expect.stringContaining("the test case 'x' is known with other responses"),
    })
  })

  test.each([
    ['hello', 'the message carries no [test_case_id=…]'],
    ['[test_case_id=nope]', "the test case 'nope' is unknown"],
    ['[test_case_id=a][responses_json=%%]', "test case 'a': [responses_json=…] is not base64"],
  ])('%s fails and says why', (text, why) => {
    expect(new Conversation(EMPTY_SCRIPT).choose(say(text))).toMatchObject({
      ok: false,
      reason: 'script-error',
      message: expect.stringContaining(why),
    })
  })

  test('primed responses need only the id', () => {
    const talk = new Conversation(EMPTY_SCRIPT)
    expect(talk.prime(TWO_TURNS, 'p')).toEqual({ ok: true })
    expect(talk.choose(say('[test_case_id=p]'))).toMatchObject({ ok: true, id: 'p' })
    expect(talk.prime([[]])).toEqual({ ok: true })
    expect(talk.choose(say('anything', { taskId: 't2', contextId: 'c2' }))).toMatchObject({ ok: true, index: 0 })
  })
})

describe('rules', () => {
  const script = parseScript(`
rules:
  - { id: once, match: { text: once }, turns: [[{ complete: a }]], times: { max: 1 } }
  - { id: csv, match: { text: { regex: "report (?<name>\\\\w+)" } }, turns: [[{ complete: "{{captures.name}}" }], []], times: { min: 1 } }
  - { id: order, match: { jsonpath: { "$.order.id": 42 }, headers: { x-tenant: acme } }, turns: [[]] }
  - { id: correction, match: { text: wait, turn: 1 }, turns: [[{ fail: stopped }]] }
  - { id: skill, match: { skill: translate }, turns: [[]] }
`)

  test('the first that fits is played, with its captures', () => {
    const talk = new Conversation(script)
    expect(talk.choose(say('report sales'))).toMatchObject({ ok: true, id: 'csv', captures: { name: 'sales' } })
    expect(
      talk.choose(say('', { taskId: 't2', data: { order: { id: 42 } }, headers: { 'x-tenant': 'acme' } })),
    ).toMatchObject({ ok: true, id: 'order' })
    expect(talk.choose(say('', { taskId: 't3', requestMetadata: { skillId: 'translate' } }))).toMatchObject({
      ok: true,
      id: 'skill',
    })
  })

  test('a rule for a later turn takes over from the one being played', () => {
    const talk = new Conversation(script)
    talk.choose(say('report sales'))
    expect(talk.choose(say('wait'))).toMatchObject({ ok: true, id: 'correction', index: 0 })
  })

  test('a rule is not played more often than it may', () => {
    const talk = new Conversation(script)
    expect(talk.choose(say('once'))).toMatchObject({ ok: true })
    expect(talk.choose(say('once', { taskId: 't2' }))).toMatchObject({
      ok: false,
      reason: 'unmatched',
      nearest: { rule: 'once', why: ['it already matched 1 time'] },
    })
  })

  test('what fits no rule is told which came nearest and why not', () => {
    const talk = new Conversation(script)
    expect(talk.choose(say('', { data: { order: { id: 7 } }, headers: { 'x-tenant': 'acme' } }))).toMatchObject({
      message: "No rule of the script matches this message; the nearest is 'order', but $.order.id is 7, not 42.",
    })
  })

  test('what was required and not played is known', () => {
    const talk = new Conversation(script)
    expect(talk.unmet()).toEqual(["rule 'csv' matched 0 times; expected at least 1"])
    talk.choose(say('report a'))
    expect(talk.unmet()).toEqual(["rule 'csv': turn 1 of 2 was never reached"])
    talk.choose(say('go on'))
    expect(talk.unmet()).toEqual([])
  })
})
