import { expect, test } from 'vitest'
import { findArtifactUris } from '../artifacts/artifact-uri.ts'
import { findDirectives } from '../mock/directives.ts'
import { hostOf } from '../net/guard/guarded-url.ts'
import { markdownCell } from '../report/markdown-text.ts'
import { trimEndOf } from './trim-end.ts'

test.each([
  ['abc==', '=', 'abc'],
  ['==', '=', ''],
  ['', '=', ''],
  ['a=b', '=', 'a=b'],
  ['see it!?.', '.?!', 'see it'],
])('%j without %j at its end is %j', (text, characters, trimmed) => {
  expect(trimEndOf(text, characters)).toBe(trimmed)
})

/** Each would take minutes if it looked at a run from each of its characters on. */
test('texts of strangers are read in one pass', () => {
  const many = 400_000
  expect(trimEndOf(`${'='.repeat(many)}x`, '=')).toHaveLength(many + 1)
  expect(findArtifactUris(`artifact://${','.repeat(many)}x`)).toHaveLength(1)
  expect(findDirectives('[test_case_id='.repeat(many)).ok).toBe(true)
  expect(hostOf(new URL(`http://a${'.'.repeat(20_000)}x`)).endsWith('x')).toBe(true)
  expect(markdownCell(`a${' '.repeat(many)}b`)).toHaveLength(many + 2)
})
