import { describe, expect, test } from 'vitest'
import type { JsonValue } from '../../model/json.ts'
import { describeProblem, YamlSource } from '../../yaml/source.ts'
import { assertion } from './assertion.ts'
import { type Mismatch, mismatch } from './evaluate.ts'

function judge(yaml: string, value: JsonValue | undefined): Mismatch | undefined {
  const source = new YamlSource('f.yaml', yaml)
  const wanted = assertion.read(source.root, source, 'expect')
  if (wanted === undefined) throw new Error(source.problems.map(describeProblem).join('\n'))
  return mismatch(wanted, value, '', { resolve: (text) => (text === '{{id}}' ? 'filled' : text) })
}

function problems(yaml: string): string[] {
  const source = new YamlSource('f.yaml', yaml)
  assertion.read(source.root, source, 'expect')
  return source.problems.map(describeProblem)
}

describe('operators', () => {
  test.each<[string, JsonValue | undefined, JsonValue | undefined]>([
    ['{ type: string }', 'a', 1],
    ['{ type: number }', 1.5, '1'],
    ['{ type: boolean }', false, 'false'],
    ['{ type: array }', [], {}],
    ['{ type: object }', {}, []],
    ['{ type: "null" }', null, undefined],
    ['{ exists: true }', null, undefined],
    ['{ absent: true }', undefined, null],
    ['{ contains: b }', 'abc', 'ac'],
    ['{ matches: "^a.c$" }', 'abc', 'abcd'],
    ['{ starts_with: ab }', 'abc', 'cab'],
    ['{ ends_with: bc }', 'abc', 'bca'],
    ['{ gte: 2 }', 2, 1],
    ['{ lte: 2 }', 2, 3],
    ['{ gt: 2 }', 3, 2],
    ['{ lt: 2 }', 1, '1'],
    ['{ count: 1 }', ['a'], []],
    ['{ count_gte: 1 }', ['a', 'b'], 'ab'],
    ['{ count_lte: 1 }', [], ['a', 'b']],
    ['{ one_of: [a, 2, null] }', 2, 'b'],
    ['{ all_of: [{ type: string }, { contains: a }] }', 'a', 'b'],
    ['{ any_of: [{ absent: true }, { count: 0 }] }', [], ['a']],
    ['{ not: { contains: a } }', 'b', 'a'],
    ['{ items: { id: { type: string } } }', [{ id: 'a' }], [{ id: 'a' }, { id: 1 }]],
    ['{ items: [{ id: a }] }', [{ id: 'a' }, { id: 'b' }], [{ id: 'b' }, { id: 'a' }]],
    ['{ type: array, count_gte: 2 }', [1, 2], [1]],
  ])('%s holds for one value and not for the other', (yaml, good, bad) => {
    expect(judge(yaml, good)).toBeUndefined()
    expect(judge(yaml, bad)).toBeDefined()
  })
})

describe('values', () => {
  test('mirror members and elements, and leave the others alone', () => {
    const answer = { task: { id: 't', artifacts: [{ parts: [{ text: 'x' }] }], extra: 1 } }
    expect(judge('task: { artifacts: [{ parts: [{ text: { type: string } }] }] }', answer)).toBeUndefined()
    expect(judge('task: { artifacts: [{ parts: [{ text: y }] }] }', answer)).toEqual({
      path: 'task.artifacts[0].parts[0].text',
      expected: '"y"',
      actual: '"x"',
    })
  })

  test('are filled in from variables', () => {
    expect(judge('id: "{{id}}"', { id: 'filled' })).toBeUndefined()
  })

  test('a missing object is a mismatch, even if only absent members are asked of it', () => {
    expect(judge('message: { taskId: { absent: true } }', {})).toMatchObject({ path: 'message' })
  })

  test('members may have the names of operators', () => {
    expect(judge('{ type: { type: string }, title: { type: string } }', { type: 'a', title: 'b' })).toBeUndefined()
    expect(judge('{ type: test-result, metrics: { exists: true } }', { type: 'test-result', metrics: 1 })).toBe(
      undefined,
    )
  })
})

describe('what is wrong with an assertion', () => {
  test.each([
    ['{ type: string, count_gt: 1 }', "did you mean 'count_gte'?"],
    ['{ type: strng }', "did you mean 'string'?"],
    ['{ count_gte: many }', 'must be a whole number'],
    ['{ exists: false }', "use 'absent: true' instead"],
    ['{ matches: "(" }', 'not a regular expression'],
    ['{ one_of: [] }', 'at least 1 entry'],
  ])('%s', (yaml, message) => {
    expect(problems(yaml)).toEqual([expect.stringContaining(message)])
  })
})
