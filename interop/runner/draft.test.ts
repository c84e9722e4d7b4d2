import { expect, test } from 'vitest'
import { parse } from 'yaml'
import type { ConformanceResult } from '../../src/judge/index.ts'
import { draftRulings, steady } from './draft.ts'
import type { Judged } from './judged.ts'
import { settle } from './settle.ts'

function failure(test: string, binding: 'jsonrpc' | 'rest'): ConformanceResult {
  return {
    test,
    category: 'lifecycle',
    status: 'fail',
    title: test,
    level: 'MUST',
    verdict: 'fail',
    key: `${test}@1.0/${binding}`,
    version: '1.0',
    binding,
    sections: ['3.1'],
    requirements: [],
    message: 'it does',
    transcript: [
      {
        protocol: 'http',
        request: { method: 'GET', url: 'http://127.0.0.1:4711/tasks', headers: [['Date', 'today']], body: '' },
        response: { status: 200, headers: [], body: '{}' },
        startedAt: '2026-01-01T00:00:00Z',
      },
    ],
  }
}

function judged(peer: string, results: ConformanceResult[]): Judged {
  const settlement = settle([results, results], [])
  return { folder: 'f', role: 'agent', peer, runs: [], results, settlement, problems: [], calledOut: [] }
}

test('agents that fail alike share one draft, others get their own', () => {
  const both = [failure('a', 'rest'), failure('a', 'jsonrpc')]
  const drafts = draftRulings([judged('x', both), judged('y', both), judged('z', [failure('a', 'rest')])])
  const { rulings } = parse(drafts ?? '') as {
    rulings: { on: string[]; agents: string[]; clause: string; bytes: string }[]
  }
  expect(rulings.map(({ on, agents }) => ({ on, agents }))).toEqual([
    { on: ['1.0/jsonrpc', '1.0/rest'], agents: ['x', 'y'] },
    { on: ['1.0/rest'], agents: ['z'] },
  ])
  expect(rulings[0]?.clause).toBe('1.0 §3.1')
  expect(rulings[0]?.bytes).toBe('# it does\nGET http://127.0.0.1:<port>/tasks\n\nHTTP 200\n\n{}\n')
})

test('nothing is drafted when nothing is open', () => {
  expect(draftRulings([judged('x', [])])).toBeUndefined()
})

test('what differs from run to run becomes a placeholder', () => {
  const text = 'Date: today\n{"id":"0c0b6d4b-9f9c-43bd-80d9-7e5e59ace266","at":"2026-11-17T09:09:32.964688Z","n":1}'
  expect(steady(text)).toBe('{"id":"<id>","at":"<time>","n":1}')
})
