// The checker must be able to fail: each row breaks one promise.

import { expect, test } from 'vitest'
import { applyEvents } from '../../src/model/fold.ts'
import { chunkEvent, sampleTask, statusEvent } from '../contract/samples.ts'
import { type History, type ObservedTask, violations } from './checker.ts'

const initial = sampleTask('t')
const events = [chunkEvent('t', 'x', false), statusEvent('t', 'TASK_STATE_COMPLETED', 1)]
const stored = events.map((event, index) => ({ seq: index + 1, event }))
const whole: ObservedTask = { initial, snapshot: applyEvents(initial, events), seq: 2, events: stored }
const acknowledged = [
  { taskId: 't', seq: 0, text: JSON.stringify(initial) },
  { taskId: 't', seq: 2, text: JSON.stringify(events[1]) },
]

test('a kept history has no violations', () => {
  expect(violations({ acknowledged, observed: [whole] })).toEqual([])
})

const late = [...stored, { seq: 3, event: chunkEvent('t', 'late') }]
const afterEnd = { ...whole, events: late, seq: 3, snapshot: applyEvents(whole.snapshot, [chunkEvent('t', 'late')]) }
const broken: [string, History][] = [
  ['I1 t: acknowledged 0 is lost', { acknowledged: acknowledged.slice(0, 1), observed: [] }],
  ['I1 t: acknowledged 3 is lost', { acknowledged: [{ taskId: 't', seq: 3, text: '{}' }], observed: [whole] }],
  ['I1 t: 1 has other content', { acknowledged: [{ taskId: 't', seq: 1, text: '{}' }], observed: [whole] }],
  ['I2 t: at sequence 3 with 2 events', { acknowledged, observed: [{ ...whole, seq: 3 }] }],
  ['I2 t: event 2 has sequence 7', { acknowledged: [], observed: [withSeq7()] }],
  ['I3 t: events follow the terminal one', { acknowledged, observed: [afterEnd] }],
  ['I4 t: the snapshot is not the fold of its events', { acknowledged, observed: [{ ...whole, snapshot: initial }] }],
]

function withSeq7(): ObservedTask {
  return { ...whole, events: stored.map(({ seq, event }) => ({ seq: seq === 2 ? 7 : seq, event })) }
}

test.each(broken)('%s', (sentence, history) => {
  expect(violations(history)).toEqual([sentence])
})
