import { expect, test } from 'vitest'
import { checkResumePoint, eventNumber } from './resume-point.ts'

const RECORD = { seq: 5, task: { id: 't', status: { state: 'TASK_STATE_WORKING' as const } } }

test.each(['0', '3', '5', ' 5 '])('%j is a place to go on from', (text) => {
  expect(checkResumePoint(eventNumber(text), RECORD)).toBe(Number(text))
})

test.each(['6', '-1', '1e1', '0x1', '1.5', '', 'abc', '99999999999999999999', 'NaN'])('%j is refused', (text) => {
  expect(() => checkResumePoint(eventNumber(text), RECORD)).toThrow('is not an event of task t')
})
