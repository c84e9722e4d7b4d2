import { expect, test } from 'vitest'
import { jsonLines } from './json-lines.ts'

test.each([
  ['{"a": 1}', undefined],
  ['{\n  "name": "x",\n  "a": }\n', 3],
  ['{\n  "a": 1\n  "b": 2\n}', 3],
  ['{\n  "a": 1,\n}', 3],
  ['[1, 2,\n03]', 2],
  ['{"a": "line\nbreak"}', 1],
  ['{"a": 1}\n\nrest', 3],
  ['', 1],
  ['[\n[\n', 3],
  [`${'['.repeat(200_000)}`, 1],
])('the fault of %j is in line %s', (text, line) => {
  expect(jsonLines(text).fault).toBe(line)
})

test('every member has its line, and what is missing has the line of what it is missing from', () => {
  const { lineOf } = jsonLines('{\n  "a": {\n    "b/c": [1,\n      2]\n  }\n}')
  expect([lineOf(''), lineOf('/a'), lineOf('/a/b~1c'), lineOf('/a/b~1c/1'), lineOf('/a/none/deeper')]).toEqual([
    1, 2, 3, 4, 2,
  ])
})
