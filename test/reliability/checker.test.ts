// The checker must be able to fail: each row breaks one promise.

import { expect, test } from 'vitest'
import { applyEvents } from '../../src/model/fold.ts'
import { chunkEvent, sampleTask, statusEvent } from '../../src/testing/samples.ts'
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
  const views = [
    { taskId: 't', seqs: [1, 2] },
    { taskId: 't', seqs: [2] },
    { taskId: 't', seqs: [] },
  ]
  const sightings = [
    { taskId: 't', by: 'bob', seq: 1, event: events[0] },
    { taskId: 't', by: 'bob', task: applyEvents(initial, events.slice(0, 1)) },
  ]
  expect(violations({ acknowledged, observed: [whole], views, outboxes: [outbox(1, 1, 2)], sightings })).toEqual([])
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
  ['I5 t: a subscriber saw 2 1', { acknowledged, observed: [whole], views: [{ taskId: 't', seqs: [2, 1] }] }],
  ['I5 t: a subscriber saw 1 1', { acknowledged, observed: [whole], views: [{ taskId: 't', seqs: [1, 1] }] }],
  ['I5 t: a subscriber saw 1 3', { acknowledged: [], observed: [longer()], views: [{ taskId: 't', seqs: [1, 3] }] }],
  ['I6 t: 9 is no event', { acknowledged, observed: [whole], outboxes: [outbox(1, 2, 9)] }],
  ['I6 t: 2 was never delivered', { acknowledged, observed: [whole], outboxes: [outbox(1, 1)] }],
  ['I8 t: bob saw 3, which is not stored', sightingsOf({ seq: 3, event: {} })],
  ['I8 t: bob saw another 1 than is stored', sightingsOf({ seq: 1, event: events[1] })],
  ['I8 t: bob saw it as it never was', sightingsOf({ task: applyEvents(initial, events.slice(1)) })],
  ['I7 t: was seen by bob', { acknowledged: [], observed: [{ ...whole, scope: 'alice' }], views: [ofBob()] }],
]

function longer(): ObservedTask {
  const all = [events[0], chunkEvent('t', 'y'), events[1]].filter((event) => event !== undefined)
  const numbered = all.map((event, index) => ({ seq: index + 1, event }))
  return { initial, snapshot: applyEvents(initial, all), seq: 3, events: numbered }
}

function outbox(...delivered: number[]) {
  return { taskId: 't', after: 0, delivered }
}

function sightingsOf(seen: { seq: number; event: unknown } | { task: unknown }): History {
  return { acknowledged, observed: [whole], sightings: [{ taskId: 't', by: 'bob', ...seen }] }
}

function ofBob() {
  return { taskId: 't', scope: 'bob', seqs: [1, 2] }
}

function withSeq7(): ObservedTask {
  return { ...whole, events: stored.map(({ seq, event }) => ({ seq: seq === 2 ? 7 : seq, event })) }
}

test.each(broken)('%s', (sentence, history) => {
  expect(violations(history)).toEqual([sentence])
})
