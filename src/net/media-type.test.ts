import { describe, expect, test } from 'vitest'
import { parseMediaType } from './media-type.ts'

describe('parseMediaType', () => {
  test.each([
    ['application/json', 'application/json', {}],
    ['APPLICATION/Json', 'application/json', {}],
    ['application/json; charset=utf-8', 'application/json', { charset: 'utf-8' }],
    ['application/json;charset="utf-8" ; A=b', 'application/json', { charset: 'utf-8', a: 'b' }],
    ['\tapplication/json\t;\tcharset=utf-8', 'application/json', { charset: 'utf-8' }],
    ['application/json;', 'application/json', {}],
    ['text/plain; a=application/json', undefined, {}],
    ['text/plain; a="application/json"', 'text/plain', { a: 'application/json' }],
    ['text/plain; a="x;charset=\\"q\\""', 'text/plain', { a: 'x;charset="q"' }],
    ['application/a2a+json', 'application/a2a+json', {}],
  ])('%j is %s', (value, essence, parameters) => {
    const parsed = parseMediaType(value)
    expect(parsed?.essence).toBe(essence)
    if (parsed !== undefined) expect(Object.fromEntries(parsed.parameters)).toEqual(parameters)
  })

  test.each([
    '',
    'json',
    '/json',
    'application/',
    'application/json, text/plain',
    'application /json',
    'application/json; charset',
    'application/json; charset=a; charset=b',
    'application/json; a="unclosed',
    'application/json; a="b" c=d',
    'a/b/c',
    `text/plain; a=${'x'.repeat(2_000)}`,
  ])('%j is none', (value) => {
    expect(parseMediaType(value)).toBeUndefined()
  })
})
