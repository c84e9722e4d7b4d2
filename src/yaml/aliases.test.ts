// YAML-BOMB: aliases stand for what they stand for, and small files stay small.

import { describe, expect, test } from 'vitest'
import { parseProxyConfig } from '../proxy/proxy-config.ts'
import { YamlSource } from './source.ts'

function bomb(levels: number): string {
  const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]']
  for (let n = 1; n <= levels; n++)
    lines.push(`a${n}: &a${n} [${Array.from({ length: 10 }, () => `*a${n - 1}`).join(', ')}]`)
  return `${lines.join('\n')}\n`
}

function problemsIn(text: string): string[] {
  return new YamlSource('a.yaml', text).problems.map(({ line, message }) => `${line}: ${message}`)
}

describe('aliases', () => {
  test('stand for the last anchor of their name before them', () => {
    const source = new YamlSource('a.yaml', 'one: &n 1\ntwo: *n\nthree: &n 3\nfour: [*n, &m { k: *n }, *m]\n')
    expect(source.problems).toEqual([])
    expect(source.toJson(source.root)).toEqual({ one: 1, two: 1, three: 3, four: [3, { k: 3 }, { k: 3 }] })
  })

  test('that add up to more than anybody writes are refused where they do', () => {
    expect(problemsIn(bomb(3))).toEqual([])
    const [problem, ...others] = problemsIn(bomb(30))
    expect(problem).toMatch(/^\d+: aliases expand to more than 100000 values; use fewer, or write them out$/)
    expect(others).toEqual([])
  })

  test('many of them in a large file are found in one walk', () => {
    const items = Array.from({ length: 20_000 }, (_, n) => (n % 2 === 0 ? '  - x' : '  - *n')).join('\n')
    const source = new YamlSource('a.yaml', `n: &n 1\nlist:\n${items}\n`)
    expect(source.problems).toEqual([])
    expect(source.toJson(source.root)).toMatchObject({ n: 1 })
  })

  test.each(['a: &a [*a]', 'a: &a { b: { c: *a } }', '&a [*a, *a]'])('%s contains itself', (text) => {
    expect(problemsIn(text)).toEqual(['1: the alias *a contains itself'])
  })

  test('an unknown one is a mistake', () => {
    expect(problemsIn('a: *nobody')[0]).toContain('nobody')
  })
})

test.each([
  ['lists', `a: ${'['.repeat(50_000)}`],
  ['maps', `${'{a: '.repeat(50_000)}`],
  ['closed lists', `a: ${'['.repeat(2_000)}${']'.repeat(2_000)}`],
])('%s nested without end are told as a mistake', (_, text) => {
  expect(problemsIn(text).length).toBeGreaterThan(0)
})

test('every reader of YAML has the bound', () => {
  expect(() => parseProxyConfig(`agents: [{ url: localhost }]\n${bomb(30)}`)).toThrow('aliases expand to more than')
})
