// The repair that turns most results green comes first.

import { describe, expect, test } from 'vitest'
import { resultWith } from '../../../test/report/sample-report.ts'
import { groupFindings, noteBlocked } from './findings.ts'

const failed = (key: string, recommendation: string) =>
  resultWith({ key, verdict: 'fail', status: 'fail', message: `${key} is broken`, recommendation })
const blocked = (key: string, blockedBy: string) =>
  resultWith({ key, verdict: 'not-measured', status: 'skip', blockedBy })

describe('findings', () => {
  const results = [
    failed('a', 'Repair a.'),
    failed('b', 'Repair b and c.'),
    failed('c', 'Repair b and c.'),
    resultWith({ key: 'w', verdict: 'warn', level: 'SHOULD', recommendation: 'Better do w.' }),
    failed('d', 'Repair d.'),
    blocked('e', 'd'),
    blocked('f', 'd'),
    blocked('g', 'a'),
  ]
  noteBlocked(results)
  const found = groupFindings([], results)

  test('are one per repair, with what is not measured because of them', () => {
    expect(found).toContainEqual(expect.objectContaining({ tests: ['b', 'c'], blocks: [] }))
    expect(found).toContainEqual(expect.objectContaining({ tests: ['d'], blocks: ['e', 'f'], cause: 'd is broken' }))
  })

  test('are ranked by the results their repair turns green; warnings come last', () => {
    expect(found.map(({ recommendation }) => recommendation)).toEqual([
      'Repair d.',
      'Repair b and c.',
      'Repair a.',
      'Better do w.',
    ])
  })

  test('a failed result names what stands on it', () => {
    expect(results.find(({ key }) => key === 'd')?.blocks).toEqual(['e', 'f'])
  })

  test('what a broader check tells over one binding is the same over the other', () => {
    const told = [
      failed('range@1.0/jsonrpc', 'Use the codes of the range.'),
      { ...blocked('error@1.0/jsonrpc', 'range@1.0/jsonrpc'), notes: ['consequence: the code is 1'] },
      failed('error@1.0/rest', 'Use the status of the table.'),
      failed('error@0.3/rest', 'Use the status of the table.'),
    ]
    const tests = groupFindings([], told).map((finding) => finding.tests)
    expect(tests).toEqual([['range@1.0/jsonrpc', 'error@1.0/rest'], ['error@0.3/rest']])
  })
})
