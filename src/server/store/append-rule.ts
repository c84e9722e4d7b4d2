// The compare-and-set rule of append, the same for every store: who may write, and in which order refusals count.

import type { TaskEvent } from '../../model/event.ts'
import { isTerminal } from '../../model/state-machine.ts'
import type { TaskState } from '../../model/task.ts'
import type { FoldingRecord } from './folding-record.ts'
import type { AppendResult, Seq } from './task-store.ts'

/** Why the events may not be appended to a task in this condition; undefined when they may. */
export function refusal(
  head: { readonly seq: Seq; readonly state: TaskState } | undefined,
  expected: Seq,
  events: readonly TaskEvent[],
): Extract<AppendResult, { ok: false }> | undefined {
  if (head === undefined) return { ok: false, reason: 'gone' }
  if (isTerminal(head.state)) return { ok: false, reason: 'terminal' }
  if (head.seq !== expected) return { ok: false, reason: 'conflict' }
  const end = events.findIndex((event) => 'statusUpdate' in event && isTerminal(event.statusUpdate.status.state))
  return end === -1 || end === events.length - 1 ? undefined : { ok: false, reason: 'terminal' }
}

/** What the rule asks of a record. */
export function headOf(record: FoldingRecord | undefined) {
  return record && { seq: record.seq, state: record.status.state }
}
