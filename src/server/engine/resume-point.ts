// Where a broken stream goes on: after the event its reader saw last, which has to be one of the task's.

import { A2AError } from '../../model/errors.ts'
import type { Seq, TaskRecord } from '../store/task-store.ts'

/** The number in a Last-Event-ID header; NaN when it is none of ours. */
export function eventNumber(lastEventId: string): number {
  return /^\d{1,15}$/.test(lastEventId.trim()) ? Number(lastEventId) : Number.NaN
}

/** Whoever names an event that never was may have mixed up two tasks: a silent correction would hide what he missed. */
export function checkResumePoint(after: number, { task, seq }: TaskRecord): Seq {
  if (Number.isInteger(after) && after >= 0 && after <= seq) return after
  const named = Number.isNaN(after) ? 'The Last-Event-ID' : `Last-Event-ID ${after}`
  throw new A2AError('InvalidParams', `${named} is not an event of task ${task.id}.`)
}
