import { expect, test } from 'vitest'
import { applyEvents } from '../../model/fold.ts'
import type { Artifact } from '../../model/task.ts'
import { chunkEvent, sampleTask, statusEvent } from '../../testing/samples.ts'
import { FoldingRecord } from './folding-record.ts'

const TASK = sampleTask('t')
const chunks = (from: number, count: number) => Array.from({ length: count }, (_, n) => chunkEvent('t', `${from + n}`))

test('a record is the fold of its events, whoever looked at the ones before it', () => {
  const events = [statusEvent('t', 'TASK_STATE_WORKING', 1, 'begun'), ...chunks(0, 5)]
  let record = FoldingRecord.of(TASK, 0)
  for (const [n, event] of events.entries()) {
    record = record.later([event], n + 1)
    if (n % 2 === 0) void record.task
  }
  expect({ task: record.task, seq: record.seq }).toEqual({ task: applyEvents(TASK, events), seq: 6 })
})

test('the status is known without folding', () => {
  const events = [statusEvent('t', 'TASK_STATE_WORKING', 1), ...chunks(0, 2)]
  expect(FoldingRecord.of(TASK, 0).later(events, 3).status).toMatchObject({ state: 'TASK_STATE_WORKING' })
})

test('two records that follow the same one know nothing of each other', () => {
  const common = FoldingRecord.of(TASK, 0).later(chunks(0, 1), 1)
  const [one, other] = [common.later(chunks(10, 1), 2), common.later(chunks(20, 2), 3)]
  const texts = ({ task }: FoldingRecord) => task.artifacts?.[0]?.parts.map((part) => ('text' in part ? part.text : ''))
  expect([common, one, other].map(texts)).toEqual([['0'], ['0', '10'], ['0', '20', '21']])
})

test('a thousand records are made without looking at the task they begin with', () => {
  let looks = 0
  const artifacts = new Proxy<Artifact[]>([], {
    get(target, name, receiver) {
      looks++
      return Reflect.get(target, name, receiver) as unknown
    },
  })
  let record = FoldingRecord.of({ ...TASK, artifacts }, 0)
  for (let seq = 1; seq <= 1_000; seq++) record = record.later(chunks(seq, 1), seq)
  expect(looks).toBe(0)
  expect(record.task.artifacts?.[0]?.parts).toHaveLength(1_000)
})
