import { describe, expect, test } from 'vitest'
import { compileRegex, type SafeRegex } from './safe-regex.ts'

function compiled(source: string): SafeRegex {
  const regex = compileRegex(source)
  if ('problem' in regex) throw new Error(regex.problem)
  return regex
}

test.each(['(a+)+$', '(a*)*', '((a+)b)*', '(?:\\w+\\s?)*x', '(?<n>a{2,})+'])(
  'refuses nested quantifiers: %s',
  (source) => {
    expect(compileRegex(source)).toMatchObject({ problem: expect.stringContaining('nested quantifiers') })
  },
)

test.each(['(ab)+c', 'report (?<name>\\w+)', '[*+]+', '\\(+\\)+', '(?<=a)b+', '(a|b)*', '(a{3})+'])(
  'accepts %s',
  (source) => {
    expect(compileRegex(source)).toHaveProperty('exec')
  },
)

test('a broken expression is said to be one', () => {
  expect(compileRegex('(a')).toMatchObject({ problem: expect.stringContaining('Unterminated group') })
})

test('named groups are known before anything matches', () => {
  expect(compiled('(?<year>\\d+)-(?<month>\\d+)(?<!x)(?<=y)').groups).toEqual(['year', 'month'])
})

describe('a match that would take for ever', () => {
  test('ends at the deadline', () => {
    expect(compiled('^(a|a)*$').exec(`${'a'.repeat(40)}b`)).toBe('too-slow')
  })

  test('is told from one that is merely long', () => {
    const found = compiled('report (?<name>\\w+)').exec(`${'report '.repeat(5000)}report abc`)
    expect(found).not.toBe('too-slow')
    expect((found as RegExpExecArray).groups?.name).toBe('report')
  })
})
