import { describe, expect, test } from 'vitest'
import { StepNotMeasured } from './outcome.ts'
import { Variables } from './variables.ts'

function variables(): Variables {
  const made = new Variables({
    provided: new Map([['baseUrl', 'http://agent']]),
    document: new Map([
      ['baseUrl', '{{SUT_BASE_URL}}'],
      ['greeting', 'hello {{env.WHO}}'],
      ['send', 'shadowed'],
      ['loop', '{{loop}}'],
    ]),
    env: { WHO: 'world' },
  })
  made.setScope('send', { taskId: 't1', count: 3, response: { task: { id: 't1' } } })
  return made
}

describe('a reference', () => {
  test.each([
    ['{{send.taskId}}', 't1'],
    ['{{ send.count }}', 3],
    ['n={{send.count}}', 'n=3'],
    ['{{send.response.task.id}}', 't1'],
    ['{{greeting}}', 'hello world'],
    ['{{baseUrl}}/x', 'http://agent/x'],
    ['plain', 'plain'],
  ])('%s is %s', (text, expected) => {
    expect(variables().resolve(text)).toBe(expected)
  })

  test('a fresh id each time', () => {
    const [one, other] = [variables().resolve('{{$uuid}}'), variables().resolve('{{$uuid}}')]
    expect(one).toMatch(/^[0-9a-f-]{36}$/)
    expect(one).not.toBe(other)
  })

  test.each(['{{nothing}}', '{{send.other}}', '{{env.UNSET}}', '{{loop}}'])('%s has no value', (text) => {
    expect(() => variables().resolve(text)).toThrow(StepNotMeasured)
  })
})
