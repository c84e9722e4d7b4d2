import { describe, expect, test } from 'vitest'
import { holds, parseCondition } from './condition.ts'

describe('a condition', () => {
  test.each([
    ['status.state == done', true],
    ["status.state == 'done'", true],
    ['status.state != done', false],
    ['status.state in [failed, done]', true],
    ['status.state in [failed]', false],
    ['count == 3', true],
    ['missing != done', true],
  ])('%s is %s', (text, expected) => {
    const condition = parseCondition(text)
    expect(condition && holds(condition, { status: { state: 'done' }, count: 3 })).toBe(expected)
  })

  test.each(['status.state', 'status.state = done', 'in [a]', 'a in b'])('refuses %s', (text) => {
    expect(parseCondition(text)).toBeUndefined()
  })
})
