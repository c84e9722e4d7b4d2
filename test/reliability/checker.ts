// The judge of recorded histories: what was acknowledged, what is there afterwards, and which promise is broken.
// Pure, so that a history file can be judged again. I1 acknowledged means readable; I2 sequences are gap-free and
// unique per task; I3 at most one terminal event, and nothing after it; I4 the snapshot is the fold of the events;
// I5 a subscriber sees a contiguous run; I6 what webhooks got are events, and all of them; I7 nothing crosses scopes;
// I8 whatever anybody was shown, an event or a whole task, is what is stored.

import { isDeepStrictEqual } from 'node:util'
import { isStreamed, type TaskEvent } from '../../src/model/event.ts'
import { applyEvents } from '../../src/model/fold.ts'
import { isTerminal } from '../../src/model/state-machine.ts'
import type { Task } from '../../src/model/task.ts'

/** Sequence 0 acknowledges the creation; its text is the task, else the event. */
export interface Acknowledgement {
  taskId: string
  seq: number
  text: string
  scope?: string
}

export interface ObservedTask {
  /** Whose it is, where the history has several callers. */
  scope?: string
  initial: Task
  snapshot: Task
  seq: number
  events: readonly { seq: number; event: TaskEvent }[]
}

/** The event numbers one connection of a subscriber received, in order. */
export interface View {
  taskId: string
  scope?: string
  seqs: readonly number[]
}

/** What somebody was shown: an event with its number, or the task as it was at some moment. */
export type Sighting = { taskId: string; by: string } & ({ seq: number; event: unknown } | { task: unknown })

/** The event numbers a webhook acknowledged; every one behind `after` is owed to it. */
export interface Outbox {
  taskId: string
  after: number
  delivered: readonly number[]
}

export interface History {
  acknowledged: readonly Acknowledgement[]
  observed: readonly ObservedTask[]
  views?: readonly View[]
  outboxes?: readonly Outbox[]
  sightings?: readonly Sighting[]
}

/** One sentence per broken promise; empty when all were kept. */
export function violations({ acknowledged, observed, views = [], outboxes = [], sightings = [] }: History): string[] {
  const byId = new Map(observed.map((task) => [task.snapshot.id, task]))
  const broken = observed.flatMap(violationsOf)
  for (const { taskId, scope } of [...acknowledged, ...views])
    if (scope !== byId.get(taskId)?.scope) broken.push(`I7 ${taskId}: was seen by ${scope ?? 'nobody in particular'}`)
  for (const { taskId, seqs } of views) {
    const told = streamed(byId.get(taskId)).filter((seq) => seq >= (seqs[0] ?? 0) && seq <= (seqs.at(-1) ?? 0))
    if (!isDeepStrictEqual(told, seqs)) broken.push(`I5 ${taskId}: a subscriber saw ${seqs.join(' ')}`)
  }
  for (const { taskId, after, delivered } of outboxes) {
    const owed = new Set(streamed(byId.get(taskId)).filter((seq) => seq > after))
    for (const seq of new Set(delivered)) if (!owed.delete(seq)) broken.push(`I6 ${taskId}: ${seq} is no event`)
    for (const seq of owed) broken.push(`I6 ${taskId}: ${seq} was never delivered`)
  }
  for (const { taskId, seq, text } of acknowledged) {
    const task = byId.get(taskId)
    const kept = seq === 0 ? task?.initial : task?.events.find((event) => event.seq === seq)?.event
    if (kept === undefined) broken.push(`I1 ${taskId}: acknowledged ${seq} is lost`)
    else if (!isDeepStrictEqual(kept, JSON.parse(text))) broken.push(`I1 ${taskId}: ${seq} has other content`)
  }
  const pasts = new Map<string, readonly Task[]>()
  for (const sighting of sightings) {
    const { taskId } = sighting
    const past = pasts.get(taskId) ?? pastOf(byId.get(taskId))
    pasts.set(taskId, past)
    const fault = faultOf(sighting, byId.get(taskId), past)
    if (fault !== undefined) broken.push(`I8 ${taskId}: ${sighting.by} saw ${fault}`)
  }
  return broken
}

function faultOf(sighting: Sighting, task: ObservedTask | undefined, past: readonly Task[]): string | undefined {
  if ('task' in sighting)
    return past.some((was) => isDeepStrictEqual(was, sighting.task)) ? undefined : 'it as it never was'
  const stored = task?.events.find(({ seq }) => seq === sighting.seq)
  if (stored === undefined) return `${sighting.seq}, which is not stored`
  return isDeepStrictEqual(stored.event, sighting.event) ? undefined : `another ${sighting.seq} than is stored`
}

/** The task as it was after each of its events. */
function pastOf(task: ObservedTask | undefined): readonly Task[] {
  if (task === undefined) return []
  const past = [task.initial]
  for (const { event } of task.events) past.push(applyEvents(past.at(-1) ?? task.initial, [event]))
  return past
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

/** Numbers of the events that subscribers are told; the others only change the snapshot. */
function streamed(task: ObservedTask | undefined): number[] {
  return (task?.events ?? []).filter(({ event }) => isStreamed(event)).map(({ seq }) => seq)
}
