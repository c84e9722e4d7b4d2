import { describe, expect, test } from 'vitest'
import { compileJsonPath } from './json-path.ts'

const VALUE = { report: { 'full name': 'Q3', pages: [{ n: 1 }, { n: 2 }], "it's": true }, list: [10, 20] }

function find(path: string): unknown {
  const compiled = compileJsonPath(path)
  if ('problem' in compiled) throw new Error(compiled.problem)
  return compiled.find(VALUE)
}

describe('finds', () => {
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

describe('refuses, saying where', () => {
  test.each([
    ['report', 'it must begin with $'],
    ['$..report', "'..report' is neither"],
    ['$.list[?(@ > 1)]', "'[?(@ > 1)]' is neither"],
    ['$.list[-1]', "'[-1]' is neither"],
    ['$.report[', "'[' is neither"],
    ['$ report', "' report' is neither"],
  ])('%s', (path, why) => {
    expect(compileJsonPath(path)).toEqual({ problem: expect.stringContaining(why) })
  })
})
