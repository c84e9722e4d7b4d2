// What the run has learned about every task, whichever check asked. A task that was seen before is held against what
// is known of it: its context never changes, a finished task is frozen, and one view of it does not contradict
// another. Answers that were on their way at the same time are no contradiction: only a request that began after
// something was known can.

import { isJsonObject, type JsonValue, sameJson } from '../../model/json.ts'
import { isTerminal } from '../../model/state-machine.ts'
import type { TaskState } from '../../model/task.ts'
import type { Exchange } from '../../trace/exchange.ts'
import { quote } from './assertions.ts'
import type { Comparison, Contradiction, ContradictionKind } from './comparison.ts'
import type { Observation } from './observation.ts'
import { meaningOf } from './proto-json.ts'
import type { Sequence } from './sequence.ts'
import { type TaskView, viewsIn } from './task-view.ts'

interface Known {
  view: TaskView
  exchange: Exchange
  /** When it was asked for and when it was seen, in the sequence of the run. */
  begun: number
  seen: number
  atMs: number
}

interface TaskEntry {
  contextId?: Known
  /** The first view in a terminal state. */
  ended?: Known
  /** The first answer of GetTask in a terminal state, with all its members. */
  read?: Known
  /** Where each artifact was first seen. */
  artifacts?: Map<string, Known>
  /** The newest status, and since when it is known to hold. */
  status?: Known & { heldUntilMs: number }
}

/** Views of a moment that a request asked for; what is pushed comes when it comes. */
const ASKED: ReadonlySet<TaskView['how']> = new Set(['send', 'get', 'cancel', 'list'])

/** The coarsest clocks tick in seconds; those with a fraction are finer. */
const TICK_MS = 1_100
const FINE_TICK_MS = 20

export class Ledger {
  readonly #tasks = new Map<string, TaskEntry>()
  readonly #sequence: Sequence

  constructor(sequence: Sequence) {
    this.#sequence = sequence
  }

  /** Notes what the observation says, and compares it with what was known. */
  look(observation: Observation, nowMs = Date.now()): Comparison {
    const compared = new Set<ContradictionKind>()
    const contradictions: Contradiction[] = []
    const seen = this.#sequence.next()
    const { exchange, begun = 0 } = observation
    for (const view of viewsIn(observation)) {
      const entry = this.#entry(view.id)
      const now: Known = { view, exchange, begun, seen, atMs: nowMs }
      for (const compare of [context, ending, frozen, time, order, artifacts]) {
        for (const found of compare(entry, now, compared)) contradictions.push(found)
      }
      note(entry, now)
    }
    return { compared, contradictions }
  }

  /** Tasks whose end was seen, with the first view of it. */
  ended(): { id: string; view: TaskView; exchange: Exchange }[] {
    return [...this.#tasks].flatMap(([id, { ended, read }]) => {
      const known = read ?? ended
      return known === undefined ? [] : [{ id, view: known.view, exchange: known.exchange }]
    })
  }

  /** Whether the end of the task was seen. */
  hasEnded(id: string): boolean {
    return this.#tasks.get(id)?.ended !== undefined
  }

  #entry(id: string): TaskEntry {
    const known = this.#tasks.get(id)
    if (known !== undefined) return known
    const made: TaskEntry = {}
    this.#tasks.set(id, made)
    return made
  }
}

function note(entry: TaskEntry, now: Known): void {
  const { view } = now
  if (view.contextId !== undefined) entry.contextId ??= now
  if (view.artifactIds.length > 0) entry.artifacts ??= new Map()
  for (const id of view.artifactIds) if (entry.artifacts?.has(id) === false) entry.artifacts.set(id, now)
  if (view.state !== undefined && isTerminal(view.state)) {
    entry.ended ??= now
    if (view.how === 'get') entry.read ??= now
  }
  if (view.timestamp === undefined || !ASKED.has(view.how)) return
  const { status } = entry
  const isSame = status?.view.state === view.state && status?.view.timestamp === view.timestamp
  if (status !== undefined && isSame) status.heldUntilMs = Math.max(status.heldUntilMs, startOf(now.exchange))
  else if (status === undefined || isLater(now, status)) entry.status = { ...now, heldUntilMs: startOf(now.exchange) }
}

type Compare = (entry: TaskEntry, now: Known, compared: Set<ContradictionKind>) => Contradiction[]

const context: Compare = ({ contextId: known }, { view }, compared) => {
  if (known === undefined || view.contextId === undefined) return []
  compared.add('context')
  if (known.view.contextId === view.contextId) return []
  const message = `the context of task ${view.id} is ${quote(view.contextId)}, before it was ${quote(known.view.contextId)}`
  return [
    {
      kind: 'context',
      pointer: `${view.pointer}/contextId`,
      message: anonymous(message, view),
      earlier: known.exchange,
    },
  ]
}

const ending: Compare = ({ ended }, now, compared) => {
  const { view } = now
  if (ended === undefined || view.state === undefined || !isLater(now, ended)) return []
  compared.add('state')
  if (ended.view.state === undefined || view.state === ended.view.state) return []
  const message = `a task that was ${short(ended.view.state)} is ${short(view.state)}`
  return [{ kind: 'state', pointer: `${view.pointer}/status/state`, message, earlier: ended.exchange }]
}

const NAMES: Readonly<Record<TaskView['how'], string>> = {
  send: 'the answer of the send',
  get: 'GetTask',
  cancel: 'the answer of the cancel',
  list: 'the list',
  event: 'the stream',
  push: 'the notification',
}

/** Two answers of GetTask agree in everything; of other views only what they have to show. */
const frozen: Compare = ({ read, ended }, now, compared) => {
  const { view } = now
  const known = read ?? ended
  if (known === undefined || view.state !== known.view.state || !isLater(now, known)) return []
  const kind = view.how === 'get' && known.view.how === 'get' ? 'frozen' : 'members'
  return view.shows
    .filter((member) => known.view.shows.includes(member))
    .flatMap((member) => {
      compared.add(kind)
      const [before, after] = [memberOf(known.view, member), memberOf(view, member)]
      // Another context is a contradiction of its own.
      const isContext = member === 'contextId' && before !== undefined && after !== undefined
      if (isContext || sameJson(before, after)) return []
      const how = after === undefined ? 'is missing' : before === undefined ? 'was not there' : 'is another'
      const message = `${member} of a finished task ${how} in ${NAMES[view.how]}, compared with ${NAMES[known.view.how]} before`
      return [{ kind, pointer: `${view.pointer}/${member.replace('.', '/')}`, message, earlier: known.exchange }]
    })
}

/** Timestamps do not go back, and do not stand still while the state changes. */
const time: Compare = ({ status }, now, compared) => {
  const { view } = now
  const at = Date.parse(view.timestamp ?? '')
  if (status === undefined || Number.isNaN(at) || !ASKED.has(view.how) || !isLater(now, status)) return []
  compared.add('time')
  const before = Date.parse(status.view.timestamp ?? '')
  const pointer = `${view.pointer}/status/timestamp`
  if (at < before)
    return [
      { kind: 'time', pointer, message: 'is before the timestamp of an earlier status', earlier: status.exchange },
    ]
  const tickMs = /\.\d*[1-9]/.test(view.timestamp ?? '') ? FINE_TICK_MS : TICK_MS
  const heldMs = status.heldUntilMs - status.atMs
  if (at > before || view.state === status.view.state || heldMs < tickMs) return []
  const message = `did not change when the task became ${short(view.state ?? 'TASK_STATE_UNSPECIFIED')}`
  return [{ kind: 'time', pointer, message, earlier: status.exchange }]
}

/** A task that is worked on is not waiting for its turn any more. */
const order: Compare = ({ status }, now, compared) => {
  const { view } = now
  if (status === undefined || view.state === undefined || !isLater(now, status)) return []
  if (status.view.state !== 'TASK_STATE_WORKING') return []
  compared.add('order')
  if (view.state !== 'TASK_STATE_SUBMITTED') return []
  const message = 'a task that was working is submitted'
  return [{ kind: 'order', pointer: `${view.pointer}/status/state`, message, earlier: status.exchange }]
}

/** Artifacts that were there stay; what a finished task shows is compared as a whole. */
const artifacts: Compare = ({ artifacts: known, read, ended }, now, compared) => {
  const { view } = now
  const isFrozen = (read ?? ended)?.view.shows.includes('artifacts') === true
  if (known === undefined || isFrozen || !ASKED.has(view.how) || !view.shows.includes('artifacts')) return []
  const earlier = [...known].filter(([, one]) => isLater(now, one))
  if (earlier.length > 0) compared.add('artifacts')
  const [lost] = earlier.filter(([id]) => !view.artifactIds.includes(id))
  if (lost === undefined) return []
  const message = `an artifact that was in ${NAMES[lost[1].view.how]} is missing in ${NAMES[view.how]}`
  return [{ kind: 'artifacts', pointer: `${view.pointer}/artifacts`, message, earlier: lost[1].exchange }]
}

/** Was this asked for after that was known? A notification may have waited for its turn, and was not asked for. */
function isLater(now: Known, known: Known): boolean {
  return now.begun > known.seen
}

function startOf({ startedAt }: Exchange): number {
  return Date.parse(startedAt)
}

/** What the member means, whichever way it is written. */
function memberOf({ json }: TaskView, member: string): JsonValue | undefined {
  const [first = '', second] = member.split('.')
  const found = json[first]
  const name = second ?? first
  return meaningOf(second === undefined ? found : isJsonObject(found) ? found[second] : undefined, name)
}

function short(state: TaskState): string {
  return state.replace('TASK_STATE_', '').toLowerCase()
}

/** One kind of contradiction is told once, however many tasks show it. */
function anonymous(message: string, { id }: TaskView): string {
  return message.replace(` of task ${id}`, ' of a task')
}
