import { describe, expect, test } from 'vitest'
import { at, parseJsonPath, parsePath, select } from './value-path.ts'

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

const VALUE = { report: { 'full name': 'Q3', pages: [{ n: 1 }, { n: 2 }], "it's": true }, list: [10, 20] }

function find(path: string): unknown {
  const compiled = parseJsonPath(path)
  if ('problem' in compiled) throw new Error(compiled.problem)
  return select(VALUE, compiled).found.map(({ value }) => value)
}

describe('a JSON path finds', () => {
  test.each([
    ['$', [VALUE]],
    ['$.list', [[10, 20]]],
    ['$.list[1]', [20]],
    ['$.list[*]', [10, 20]],
    ['$.report.pages[*].n', [1, 2]],
    ['$.report.pages.*', [{ n: 1 }, { n: 2 }]],
    ["$['report']['full name']", ['Q3']],
    ['$["report"]["full name"]', ['Q3']],
    ["$.report['it\\'s']", [true]],
    ['$.absent', []],
    ['$.list[7]', []],
    ['$.list.name', []],
    ['$.report[0]', []],
    ['$.constructor', []],
    ['$.list[*].deeper', []],
  ])('%s', (path, found) => {
    expect(find(path)).toEqual(found)
  })
})

describe('a JSON path is refused, saying where', () => {
  test.each([
    ['report', 'it must begin with $'],
    ['$..report', "'..report' is neither"],
    ['$.list[?(@ > 1)]', "'[?(@ > 1)]' is neither"],
    ['$.list[-1]', "'[-1]' is neither"],
    ['$.report[', "'[' is neither"],
    ['$ report', "' report' is neither"],
  ])('%s', (path, why) => {
    expect(parseJsonPath(path)).toEqual({ problem: expect.stringContaining(why) })
  })
})
