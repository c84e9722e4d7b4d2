import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type JsonProblem, parseJson } from './json.ts'
import { checkLimits, DEFAULT_LIMITS } from './limits.ts'

const limits = checkLimits()

function problemOf(input: string | Buffer, custom = limits): JsonProblem | undefined {
  const result = parseJson(input, custom)
  return result.ok ? undefined : result.problem
}

describe('parseJson', () => {
  test('agrees with JSON.parse on every document without forbidden or repeated names', () => {
    fc.assert(
      fc.property(fc.json({ depthSize: 'medium' }), (text) => {
        const result = parseJson(Buffer.from(text), limits)
        if (text.includes('__proto__')) return
        expect(result).toEqual({ ok: true, value: JSON.parse(text) })
      }),
      { numRuns: 2_000 },
    )
  })

  test('agrees with JSON.parse on what is no JSON', () => {
    const alphabet = fc.constantFrom('{', '}', '[', ']', ',', ':', '"', '\\', 'a', '1', '-', ' ', 'true', '"k":', '\n')
    fc.assert(
      fc.property(fc.array(alphabet, { maxLength: 12 }), (tokens) => {
        const text = tokens.join('')
        let isValid = true
        try {
          JSON.parse(text)
        } catch {
          isValid = false
        }
        const problem = problemOf(text)
        expect(problem === undefined).toBe(isValid && problem !== 'duplicate-key')
      }),
      { numRuns: 5_000 },
    )
  })

  test.each<[string, JsonProblem]>([
    ['', 'syntax'],
    ['{"a":1', 'syntax'],
    ['{"a":1} x', 'syntax'],
    ['[1,]', 'syntax'],
    ['NaN', 'syntax'],
    ['"\\', 'syntax'],
    ['{"\\', 'syntax'],
    ['{"a":1,"a":2}', 'duplicate-key'],
    ['{"x":[{"a":1,"\\u0061":2}]}', 'duplicate-key'],
    ['{"a":{},"b":[{}],"a":0}', 'duplicate-key'],
    ['{"__proto__":{}}', 'forbidden-key'],
    ['{"a":[{"b":{"\\u005f_proto__":1}}]}', 'forbidden-key'],
    ['{"constructor":{"prototype":{}}}', 'forbidden-key'],
    ['{"constructor" : { "x":1, "proto\\u0074ype":{}}}', 'forbidden-key'],
  ])('refuses %s as %s', (text, problem) => {
    expect(problemOf(text)).toBe(problem)
    expect(problemOf(Buffer.from(text))).toBe(problem)
  })

  test.each([
    '{"constructor":1,"prototype":2}',
    '{"constructor":{"x":{"prototype":1}}}',
    '{"constructor":[{"prototype":1}]}',
    '{"toString":1,"hasOwnProperty":2,"__defineGetter__":3,"":4}',
    '["__proto__","__proto__"]',
    '{"a":"\\"a\\":1","b":"\\\\"}',
    '{"a":{"a":{"a":1}}}',
    '{"\\ud800":"\\udfff"}',
  ])('keeps %s as data', (text) => {
    expect(parseJson(text, limits)).toEqual({ ok: true, value: JSON.parse(text) })
  })

  test('finds a repeated name among many, and only there', () => {
    const members = Array.from({ length: 500 }, (_, index) => `"k${index}":${index}`)
    expect(problemOf(`{${members.join(',')}}`)).toBeUndefined()
    for (const repeated of [0, 14, 15, 16, 499]) {
      expect(problemOf(`{${members.join(',')},"k${repeated}":0}`)).toBe('duplicate-key')
    }
  })

  test('tells apart names whose hashes collide', () => {
    expect(problemOf('{"Aa":1,"BB":2}')).toBeUndefined()
  })

  test('holds each limit exactly', () => {
    const small = checkLimits({
      jsonDepth: 3,
      jsonMembers: 5,
      jsonStringLength: 4,
      jsonNameLength: 2,
      jsonNumberLength: 3,
    })
    expect(problemOf('[[[]]]', small)).toBeUndefined()
    expect(problemOf('[[[[]]]]', small)).toBe('too-deep')
    expect(problemOf('[1,2,3,4,5]', small)).toBeUndefined()
    expect(problemOf('[1,2,3,4,5,6]', small)).toBe('too-many-members')
    expect(problemOf('[[],[],[],[]]', small)).toBe('too-many-members')
    expect(problemOf('"1234"', small)).toBeUndefined()
    expect(problemOf('"12345"', small)).toBe('string-too-long')
    expect(problemOf('{"12":0}', small)).toBeUndefined()
    expect(problemOf('{"123":0}', small)).toBe('string-too-long')
    expect(problemOf('[-12]', small)).toBeUndefined()
    expect(problemOf('[1e10]', small)).toBe('number-too-long')
  })

  test.each(['1e309', '-1e309', '1e400', '1E+400', '17976931348623159e292', '-0.1e310'])(
    'refuses a number that would become infinite: %s',
    (number) => {
      const result = parseJson(`{"a":[1,${number}]}`, DEFAULT_LIMITS)
      expect(result).toMatchObject({ ok: false, problem: 'number-too-large', message: expect.stringContaining(number) })
    },
  )

  test('refuses one that needs no exponent for it, where numbers may be so long', () => {
    const limits = { ...DEFAULT_LIMITS, jsonNumberLength: 1_000 }
    expect(problemOf(`[${'9'.repeat(309)}]`, limits)).toBe('number-too-large')
    expect(problemOf(`[${'9'.repeat(308)}]`, limits)).toBeUndefined()
  })

  test.each(['1.7976931348623157e308', '-1e308', '1e-400', '0e999', '9007199254740993'])(
    'takes a number that rounds to one: %s',
    (number) => {
      expect(parseJson(`[${number}]`, DEFAULT_LIMITS)).toEqual({ ok: true, value: [Number(number)] })
    },
  )

  test.each(['[1e]', '[1e400e]', '[--1e9]', '[1e400x]'])('leaves what is no number to the grammar: %s', (text) => {
    expect(['syntax', 'number-too-large']).toContain(problemOf(text))
  })

  test('survives nesting that would overflow a recursive walk', () => {
    expect(problemOf('['.repeat(200_000))).toBe('too-deep')
  })

  test('is linear in hostile strings of escapes', () => {
    expect(problemOf(`["${'\\"'.repeat(1_000_000)}"]`)).toBeUndefined()
    expect(problemOf(`["${'\\\\'.repeat(1_000_000)}"]`)).toBeUndefined()
  })

  test.each<[string, Buffer]>([
    ['invalid UTF-8', Buffer.from([0x22, 0xff, 0x22])],
    ['an overlong sequence', Buffer.from([0x22, 0xc0, 0xaf, 0x22])],
    ['a surrogate', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
    ['a byte order mark', Buffer.from('\ufeff{}')],
    ['UTF-16 with a mark', Buffer.from('\ufeff{}', 'utf16le')],
    ['UTF-16 without one', Buffer.from('{}', 'utf16le')],
    ['big-endian UTF-16', Buffer.from('{}', 'utf16le').swap16()],
  ])('refuses %s', (_, bytes) => {
    expect(problemOf(bytes)).toBe('encoding')
  })

  test('leaves Object.prototype alone', () => {
    const names = fc.constantFrom('__proto__', 'constructor', 'prototype', 'isAdmin', '\\u005f_proto__')
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(fc.constant('1'), tie('object')),
      object: fc
        .array(fc.tuple(names, tie('tree')), { maxLength: 3 })
        .map((members) => `{${members.map(([name, value]) => `"${name}":${String(value)}`).join(',')}}`),
    }))
    const before = Object.getOwnPropertyNames(Object.prototype)
    fc.assert(
      fc.property(tree, (text) => {
        const result = parseJson(String(text), limits)
        if (result.ok) expect(Object.getPrototypeOf(Object.assign({}, result.value))).toBe(Object.prototype)
      }),
      { numRuns: 10_000 },
    )
    expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before)
    expect(Object.getPrototypeOf({})).toBe(Object.prototype)
  })

  test('never quotes the document, which may hold secrets', () => {
    for (const text of ['{"token":"hunter2"', '{"token":hunter2}', '{"hunter2":1,"hunter2":2}']) {
      const result = parseJson(text, limits)
      expect(result.ok ? '' : result.message).not.toContain('hunter2')
    }
  })
})
