// FUZZ-10: patterns of people on texts of strangers. Written as in JavaScript, they mean what they mean there, and no text
// makes them take for ever.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compilePattern, matches, type Pattern } from './pattern.ts'

function compiled(source: string, flags: 'u' | '' = 'u'): Pattern {
  const pattern = compilePattern(source, flags)
  if ('problem' in pattern) throw new Error(pattern.problem)
  return pattern
}

/** Each in the engine of linear time. */
const LINEAR: readonly string[] = [
  ...['', 'abc', '^a.c$', 'a|b|', 'x*?y', '(ab)+c', '[*+]+', '\\(+\\)+', '(a{3})+', '(a+)+$', '^(\\w+\\s?){5}$'],
  ...[
    'report (?<name>\\w+)',
    '(?<year>\\d+)-(?<month>\\d+)',
    '(?:a|(?<b>b))c',
    '(a)?(b)?',
    '\\s',
    '\\S+',
    '[\\s,]+',
    '[^\\s]',
  ],
  ...[
    '[\\S]',
    '.',
    '^.*$',
    '\\.',
    '[.]',
    '[\\]\\\\]',
    '[a\\-z]',
    '[-a]',
    '[a-]',
    '[^]',
    '[]',
    '[\\b]',
    '\\bword\\b',
    '\\Bx',
  ],
  ...[
    '\\u0041',
    '[\\u0041-\\u005a]',
    '\\x41',
    '\\cJ',
    '\\0',
    '\\/',
    '\\$',
    '\\{2\\}',
    '\\d{2,3}',
    '\\D',
    '\\W+',
    '[\\W]',
    '[\\d_]',
  ],
  ...['[[]', '[\\[]', '[a^]', '^', '$', '()', '(?:)', 'a{2}', 'a{2,}', '\\t|\\n|\\v|\\f|\\r', '[&&]', '[a-c&&b]'],
]
const LINEAR_UNICODE: readonly string[] = [
  ...[
    '\\u{1F600}',
    '[\\u{1F600}-\\u{1F64F}]',
    '\\ud83d\\ude00',
    '😀+',
    '[😀]',
    '^.$',
    '\\p{L}+',
    '\\P{Lu}',
    '\\p{gc=Nd}',
  ],
  ...['\\p{Script=Greek}', '[\\p{L}\\d]+'],
]
/** Only without the u flag. */
const LINEAR_OLD: readonly string[] = [
  'a{',
  '{x}',
  ']',
  '\\-',
  '\\A',
  '\\Qa',
  '\\z',
  '\\a',
  'x{,2}',
  '\\c',
  '\\xg',
  '\\u00',
  '\\p{L}',
  '\\k',
]

const CHARS = fc.constantFrom(
  ...'aabbcx yzA1290_-.,/\\^$*+?()[]{}|:&\t\n\r\v\f\u0000\u0008\u00a0\u2028\ufeff\u3000é'.split(''),
  '😀',
  'Ω',
  'ß',
  'word',
  'report ',
)
const TEXT = fc.array(CHARS, { maxLength: 30 }).map((parts) => parts.join(''))

describe('what a pattern means', () => {
  test.each([
    ...LINEAR.map((source) => [source, 'u'] as const),
    ...LINEAR.map((source) => [source, ''] as const),
    ...LINEAR_UNICODE.map((source) => [source, 'u'] as const),
    ...LINEAR_OLD.map((source) => [source, ''] as const),
  ])('%j with the flags %j is what JavaScript means', (source, flags) => {
    let native: RegExp
    try {
      native = new RegExp(source, flags)
    } catch {
      return expect(compilePattern(source, flags)).toHaveProperty('problem')
    }
    const pattern = compiled(source, flags)
    expect(pattern.note).toBeUndefined()
    fc.assert(
      fc.property(TEXT, (text) => {
        const wanted = native.exec(text)
        const groups = Object.fromEntries(
          Object.entries(wanted?.groups ?? {}).filter(([, value]) => value !== undefined),
        )
        expect(pattern.exec(text)).toEqual(wanted === null ? null : { groups })
      }),
      { numRuns: 150 },
    )
  })

  test.each([
    ['(?=a)b', 'a lookahead'],
    ['(?!a)b', 'a lookahead'],
    ['(?<=a)b+', 'a lookbehind'],
    ['(?<!a)b', 'a lookbehind'],
    ['(a)\\1', 'a back reference'],
    ['(?<n>a)\\k<n>', 'a back reference'],
    ['a{1001}', 'a repetition'],
    ['\\p{Emoji}', 'the property Emoji'],
    ['\\ud83d', 'half a character'],
    ['(?<ñ>a)', 'a name that is not a plain word'],
  ])('%j uses %s, says so, and works', (source, what) => {
    const pattern = compiled(source)
    expect(pattern.note).toContain(what)
    const texts = ['ab', 'ba', 'aa', 'b', 'a'.repeat(1_001), '😀', '\ud83d']
    expect(texts.map((text) => matches(pattern, text))).toEqual(texts.map((text) => new RegExp(source, 'u').test(text)))
  })

  test('a broken expression is said to be one', () => {
    expect(compilePattern('(a')).toMatchObject({ problem: expect.stringContaining('Unterminated group') })
  })
})

describe('how long it may take', () => {
  test.each([
    ['^(\\w+\\s?){5}$', `${'a'.repeat(2_500)}!`],
    ['^(\\w+\\s?)*$', `${'a'.repeat(4_000)}!`],
    ['(a+)+$', `${'a'.repeat(4_000)}b`],
    ['^(a|a)*$', `${'a'.repeat(4_000)}b`],
    ['(x+x+)+y', 'x'.repeat(4_000)],
    ['(.*)(.*)(.*)(.*)(.*)(.*)[^a]', 'a'.repeat(4_000)],
  ])('%j needs no deadline', (source, text) => {
    expect(compiled(source).exec(text)).toBeNull()
  })

  test('what could take for ever ends at the deadline', () => {
    expect(compiled('^(?=a)(a|a)*$').exec(`${'a'.repeat(40)}b`)).toBe('too-slow')
    expect(matches(compiled('^(?=a)(a|a)*$'), `${'a'.repeat(40)}b`)).toBe(false)
  })

  test('so does a text that is too long even for linear time, and the next one is matched as ever', () => {
    const pattern = compiled('^(\\w+\\s?){5}$')
    expect(pattern.exec(`${'a'.repeat(20_000_000)}!`)).toBe('too-slow')
    expect(pattern.exec('a b c d e')).toEqual({ groups: {} })
    expect(pattern.exec('abc!')).toBeNull()
  })

  test('a long text is matched all the same', () => {
    const found = compiled('report (?<name>\\w+)').exec(`${'report, '.repeat(5_000)}report abc`)
    expect(found).toEqual({ groups: { name: 'abc' } })
  })
})
