import { expect, test } from 'vitest'
import { faultLine } from './fault-line.ts'

test.each([
  ['{\n  "name": A\n}', 2],
  ['{\n  "name": "a"\n  "b": 1\n}', 3],
  ['{\n  "name": "a",\n', 3],
  ["{\n\n'name': 1}", 3],
  ['{"a": "line\nbreak"}', 1],
])('finds the fault of %j in line %d', (text, line) => {
  expect(faultLine(text)).toBe(line)
})
