import { expect, test } from 'vitest'
import type { Verdict } from '../../src/judge/index.ts'
import type { Ruling } from './corpus.ts'
import { isSettled, type SeenResult, settle } from './settle.ts'

function result(key: string, verdict: Verdict): SeenResult {
  return { key, test: key.split('@')[0] ?? key, verdict, message: `${key} says so` }
}

function ruling(id: string, ...on: string[]): Ruling {
  return { test: id, on, deviates: 'sdk', clause: '1.0 §3', why: 'because', bytes: 'POST' }
}

test('an agent without failures and without rulings is settled', () => {
  const run = [result('get@1.0/rest', 'pass'), result('list@1.0/rest', 'not-measured')]
  expect(isSettled(settle([run, run], []))).toBe(true)
})

test('a failure is settled by a ruling about its key', () => {
  const run = [result('get@1.0/rest', 'fail')]
  const settlement = settle([run, run], [ruling('get', '1.0/rest')])
  expect(isSettled(settlement)).toBe(true)
  expect(settlement.ruled).toBe(1)
})

test('a ruling about one binding does not cover the other', () => {
  const run = [result('get@1.0/rest', 'fail'), result('get@1.0/jsonrpc', 'fail')]
  const settlement = settle([run, run], [ruling('get', '1.0/rest')])
  expect(settlement.unruled.map(({ key }) => key)).toEqual(['get@1.0/jsonrpc'])
  expect(isSettled(settlement)).toBe(false)
})

test('a verdict that differs between the runs is a flip, whichever comes first', () => {
  const pass = [result('get@1.0/rest', 'pass')]
  const warn = [result('get@1.0/rest', 'warn')]
  expect(settle([pass, warn], []).flips).toEqual(['get@1.0/rest: pass, warn'])
  expect(settle([warn, pass], []).flips).toEqual(['get@1.0/rest: warn, pass'])
})

test('a result that only one run has is a flip', () => {
  const both = [result('get@1.0/rest', 'pass'), result('list@1.0/rest', 'pass')]
  const { flips } = settle([both, [result('get@1.0/rest', 'pass')]], [])
  expect(flips).toEqual(['list@1.0/rest: pass, absent'])
})

test('a failure that only one run has still needs a ruling', () => {
  const settlement = settle([[result('get@1.0/rest', 'pass')], [result('get@1.0/rest', 'fail')]], [])
  expect(settlement.unruled).toHaveLength(1)
})

test('a ruling about what passes now is stale', () => {
  const run = [result('get@1.0/rest', 'pass')]
  expect(settle([run, run], [ruling('get', '1.0/rest')]).stale).toEqual(['get@1.0/rest: pass'])
})

test('a ruling about what is not measured any more is stale', () => {
  const run = [result('get@1.0/rest', 'not-measured')]
  const settlement = settle([run, run], [ruling('get', '1.0/rest')])
  expect(settlement.stale).toEqual(['get@1.0/rest: not-measured'])
  expect(isSettled(settlement)).toBe(false)
})

test('a ruling about a result that is not there is stale', () => {
  expect(settle([[], []], [ruling('gone', '1.0/rest')]).stale).toEqual(['gone@1.0/rest: there is no such result'])
})

test('a bug of ours is never settled', () => {
  const run = [result('get@1.0/rest', 'harness-error')]
  const settlement = settle([run, run], [])
  expect(settlement.broken).toHaveLength(1)
  expect(isSettled(settlement)).toBe(false)
})

test('warnings need no ruling and are kept for the list', () => {
  const run = [result('get@1.0/rest', 'warn')]
  const settlement = settle([run, run], [])
  expect(settlement.warnings.map(({ key }) => key)).toEqual(['get@1.0/rest'])
  expect(isSettled(settlement)).toBe(true)
})
