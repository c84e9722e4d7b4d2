import { describe, expect, test } from 'vitest'
import type { Part } from '../../model/task.ts'
import {
  type Condition,
  contextCondition,
  dataCondition,
  headerCondition,
  type RequestFacts,
  skillCondition,
  textCondition,
} from './condition.ts'

function facts(
  more: Partial<RequestFacts> & { parts?: Part[]; metadata?: { [name: string]: string } } = {},
): RequestFacts {
  const { parts = [{ text: 'report sales' }], metadata, ...rest } = more
  return {
    message: { messageId: 'm', role: 'ROLE_USER', parts, ...(metadata === undefined ? {} : { metadata }) },
    headers: {},
    requestMetadata: undefined,
    contextId: 'c',
    ...rest,
  }
}

/** 'held', or why not. */
function judge(built: Condition | { problem: string }, given: RequestFacts = facts()): string {
  if ('problem' in built) throw new Error(built.problem)
  const verdict = built.check(given)
  return verdict.ok ? 'held' : verdict.why()
}

describe('text', () => {
  test.each([
    [{ contains: 'sales' }, 'held'],
    [{ equals: 'report sales' }, 'held'],
    [{ regex: '^report' }, 'held'],
    [{ contains: 'report', regex: 'sales$' }, 'held'],
    [{ equals: 'report' }, 'the text is "report sales", not "report"'],
    [{ contains: 'costs' }, 'the text "report sales" does not contain "costs"'],
    [{ regex: '^sales' }, 'the text "report sales" does not match /^sales/'],
    [{ contains: 'report', equals: 'other' }, 'the text is "report sales", not "other"'],
  ])('%j', (match, verdict) => {
    expect(judge(textCondition(match))).toBe(verdict)
  })

  test('is that of all text parts together', () => {
    expect(judge(textCondition({ equals: 'ab' }), facts({ parts: [{ text: 'a' }, { data: 1 }, { text: 'b' }] }))).toBe(
      'held',
    )
  })

  test('captures named groups, and only those that took part', () => {
    const built = textCondition({ regex: 'report (?<name>\\w+)(?: in (?<format>\\w+))?' })
    if ('problem' in built) throw new Error(built.problem)
    expect(built.captures).toEqual(['name', 'format'])
    expect(built.check(facts())).toEqual({ ok: true, captures: { name: 'sales' } })
  })

  test('shows long texts shortened', () => {
    const long = facts({ parts: [{ text: 'x'.repeat(500) }] })
    expect(judge(textCondition({ contains: 'y' }), long).length).toBeLessThan(130)
  })

  test('a bad regular expression is a problem, not a condition', () => {
    expect(textCondition({ regex: '(' })).toHaveProperty('problem')
  })
})

test('headers are found whatever their case, and missed when absent', () => {
  const built = headerCondition('X-Team', { equals: 'blue' })
  expect(judge(built, facts({ headers: { 'x-team': 'blue' } }))).toBe('held')
  expect(judge(built)).toBe('the header X-Team is absent')
})

test('the context id is matched like a text', () => {
  expect(judge(contextCondition({ equals: 'c' }))).toBe('held')
  expect(judge(contextCondition({ equals: 'd' }))).toBe('the context id is "c", not "d"')
})

describe('a skill', () => {
  test.each<[string, Parameters<typeof facts>[0], string]>([
    ['in the message as skillId', { metadata: { skillId: 'sum' } }, 'held'],
    ['in the message as skill', { metadata: { skill: 'sum' } }, 'held'],
    ['in the request', { requestMetadata: { skillId: 'sum' } }, 'held'],
    ['another one', { metadata: { skillId: 'other' } }, `the skill is "other", not 'sum'`],
    ['none', {}, "the metadata names no skill, wanted 'sum'"],
  ])('%s', (_, given, verdict) => {
    expect(judge(skillCondition('sum'), facts(given))).toBe(verdict)
  })
})

describe('data', () => {
  const given = facts({
    parts: [{ text: 'x' }, { data: { kind: 'a', n: 1 } }, { data: { kind: 'b', deep: { c: [1, 2] } } }],
  })
  test.each<[string, Parameters<typeof dataCondition>[1], string]>([
    ['$.kind', { value: 'b' }, 'held'],
    ['$.n', { value: 1 }, 'held'],
    ['$.n', { value: '1' }, '$.n is 1, not "1"'],
    ['$.deep', { value: { c: [1, 2] } }, 'held'],
    ['$.deep', { value: { c: [2, 1] } }, '$.deep is {"c":[1,2]}, not {"c":[2,1]}'],
    ['$.deep', { value: { c: [1, 2], d: 1 } }, '$.deep is {"c":[1,2]}, not {"c":[1,2],"d":1}'],
    ['$.absent', { value: 1 }, 'no data part has $.absent'],
    ['$.n', { exists: true }, 'held'],
    ['$.absent', { exists: false }, 'held'],
    ['$.absent', { exists: true }, 'no data part has $.absent'],
    ['$.n', { exists: false }, 'a data part has $.n'],
    ['$.kind', { regex: '^a$' }, 'held'],
    ['$.deep', { contains: '"c"' }, 'held'],
    ['$.absent', { contains: 'x' }, '$.absent is absent'],
  ])('%s %j', (path, expected, verdict) => {
    expect(judge(dataCondition(path, expected), given)).toBe(verdict)
  })

  test('a bad path is a problem, not a condition', () => {
    expect(dataCondition('kind', { value: 1 })).toHaveProperty('problem')
  })
})
