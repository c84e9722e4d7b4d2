// The judge of recorded histories: what was acknowledged, what is there afterwards, and which promise is broken.
// Pure, so that a history file can be judged again. I1 acknowledged means readable; I2 sequences are gap-free and
// unique per task; I3 at most one terminal event, and nothing after it; I4 the snapshot is the fold of the events.

import { isDeepStrictEqual } from 'node:util'
import type { TaskEvent } from '../../src/model/event.ts'
import { applyEvents } from '../../src/model/fold.ts'
import { isTerminal } from '../../src/model/state-machine.ts'
import type { Task } from '../../src/model/task.ts'

/** Sequence 0 acknowledges the creation; its text is the task, else the event. */
export interface Acknowledgement {
  taskId: string
  seq: number
  text: string
}

export interface ObservedTask {
  initial: Task
  snapshot: Task
  seq: number
  events: readonly { seq: number; event: TaskEvent }[]
}

export interface History {
  acknowledged: readonly Acknowledgement[]
  observed: readonly ObservedTask[]
}

/** One sentence per broken promise; empty when all were kept. */
export function violations({ acknowledged, observed }: History): string[] {
  const byId = new Map(observed.map((task) => [task.snapshot.id, task]))
  const broken = observed.flatMap(violationsOf)
  for (const { taskId, seq, text } of acknowledged) {
    const task = byId.get(taskId)
    const kept = seq === 0 ? task?.initial : task?.events.find((event) => event.seq === seq)?.event
    if (kept === undefined) broken.push(`I1 ${taskId}: acknowledged ${seq} is lost`)
    else if (!isDeepStrictEqual(kept, JSON.parse(text))) broken.push(`I1 ${taskId}: ${seq} has other content`)
  }
  return broken
}

function violationsOf({ initial, snapshot, seq, events }: ObservedTask): string[] {
  const broken: string[] = []
  events.forEach((event, index) => {
    if (event.seq !== index + 1) broken.push(`I2 ${snapshot.id}: event ${index + 1} has sequence ${event.seq}`)
  })
  if (seq !== events.length) broken.push(`I2 ${snapshot.id}: at sequence ${seq} with ${events.length} events`)
  const end = events.findIndex(({ event }) => 'statusUpdate' in event && isTerminal(event.statusUpdate.status.state))
  if (end !== -1 && end !== events.length - 1) broken.push(`I3 ${snapshot.id}: events follow the terminal one`)
  const fold = applyEvents(
    initial,
    events.map(({ event }) => event),
  )
  if (!isDeepStrictEqual(snapshot, fold)) broken.push(`I4 ${snapshot.id}: the snapshot is not the fold of its events`)
  return broken
}
