import { expect, test } from 'vitest'
import { jsonText } from './json-text.ts'

test('what a terminal would obey, or what reorders text, is written as an escape and reads back the same', () => {
  const hostile = 'a\u009b31m\u007f\u0085\u202eb\u2066c\u2069\u200f\u061c\u2028\u001b[2J\u0000 é 😀'
  const text = jsonText({ [hostile]: [hostile] })
  expect(text).toMatch(/^[\x20-\x7e\u00a1-\u00ff\ud800-\udfff]*$/)
  expect(JSON.parse(text)).toEqual({ [hostile]: [hostile] })
  expect(jsonText({ a: 1 }, 2)).toBe(JSON.stringify({ a: 1 }, null, 2))
})
