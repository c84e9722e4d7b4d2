import { describe, expect, test } from 'vitest'
import { at, holds, parseCondition, parsePath, select } from './path.ts'

const task = { task: { id: 't', artifacts: [{ parts: [{ text: 'a' }, { text: 'b' }] }, { parts: [] }] } }

function path(text: string) {
  const parsed = parsePath(text)
  if (parsed === undefined) throw new Error(`no path: ${text}`)
  return parsed
}

describe('a path', () => {
  test('goes through members and indexes', () => {
    expect(at(task, path('task.artifacts[0].parts[1].text'))).toBe('b')
    expect(at(task, path('task.artifacts[2]'))).toBeUndefined()
  })

  test('selects every element, with the place of each', () => {
    expect(select(task, path('task.artifacts[*].parts[*]')).found).toEqual([
      { path: 'task.artifacts[0].parts[0]', value: { text: 'a' } },
      { path: 'task.artifacts[0].parts[1]', value: { text: 'b' } },
    ])
  })

  test('tells an empty list from a list that is not there', () => {
    expect(select({ tasks: [] }, path('tasks[*]'))).toEqual({ found: [], leads: true })
    expect(select({}, path('tasks[*]'))).toEqual({ found: [], leads: false })
  })

  test.each(['a..b', 'a[', 'a[x]', '.a', 'a]'])('refuses %s', (text) => {
    expect(parsePath(text)).toBeUndefined()
  })

  test('never leaves the object it walks', () => {
    expect(at({}, path('constructor.name'))).toBeUndefined()
  })
})

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
