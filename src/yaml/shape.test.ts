import { describe, expect, test } from 'vitest'
import {
  boolean,
  choice,
  durationMs,
  either,
  integer,
  keyed,
  list,
  nothing,
  optional,
  record,
  type Shape,
  text,
} from './shape.ts'
import { describeProblem, YamlSource } from './source.ts'

function read<T>(shape: Shape<T>, yaml: string): { value: T | undefined; problems: string[] } {
  const source = new YamlSource('f.yaml', yaml)
  const value = shape.read(source.root, source, '')
  return { value, problems: source.problems.map(describeProblem) }
}

const pet = record({ name: text, legs: optional(integer(0, 8)), isTame: optional(boolean) })

describe('a record', () => {
  test('reads what it names', () => {
    expect(read(pet, 'name: Rex\nlegs: 4')).toEqual({ value: { name: 'Rex', legs: 4 }, problems: [] })
  })

  test('says where an unknown key stands and what was meant', () => {
    expect(read(pet, 'name: Rex\nlges: 4').problems).toEqual([
      "f.yaml:2:1: unknown key 'lges' in the file; did you mean 'legs'?",
    ])
  })

  test('reports every problem, not only the first', () => {
    expect(read(pet, 'legs: nine\nisTame: 3').problems).toEqual([
      'f.yaml:1:7: legs must be a number, not text',
      'f.yaml:2:9: isTame must be true or false, not a number',
      "f.yaml:1:1: the file needs the key 'name'",
    ])
  })

  test('refuses duplicate keys and __proto__', () => {
    expect(read(pet, 'name: a\nname: b').problems[0]).toMatch(/^f.yaml:2:1: map keys must be unique/)
    expect(read(pet, 'name: a\n__proto__: {}').problems).toEqual(["f.yaml:2:1: the key '__proto__' is not allowed"])
  })
})

test('a keyed map is known by exactly one of its keys', () => {
  const step = keyed('step', { delay: record({ delay: durationMs }), done: record({ done: either(text, nothing) }) })
  expect(read(list(step), '- { delay: 1.5s }\n- done:').value).toEqual([
    { is: 'delay', value: { delay: 1500 } },
    { is: 'done', value: { done: null } },
  ])
  expect(read(list(step), '- { delya: 1s }').problems).toEqual([
    "f.yaml:1:5: [0]: unknown step 'delya'; did you mean 'delay'?",
  ])
  expect(read(list(step), '- { delay: 1s, done: x }').problems[0]).toContain("has both 'delay' and 'done'")
})

test('a duration needs its unit and a choice one of its words', () => {
  expect(read(durationMs, '150').problems[0]).toBe('f.yaml:1:1: the file must be text, not a number')
  expect(read(choice(['working', 'failed']), 'workin').problems[0]).toContain("did you mean 'working'?")
})

test('an alias that contains itself ends in a problem, not in a crash', () => {
  const source = new YamlSource('f.yaml', 'a: &a [*a]')
  source.toJson(source.root)
  expect(source.problems.length).toBeGreaterThan(0)
})
