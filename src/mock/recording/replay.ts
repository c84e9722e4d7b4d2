// A recorded conversation while it is played again, once or many times side by side. Each pass has its own ids and its own
// place in the recording; a request belongs to the pass whose ids it names, and opens a new one when it begins anew.

import type { StreamEvent } from '../../model/event.ts'
import { applyEvent } from '../../model/fold.ts'
import type { JsonValue } from '../../model/json.ts'
import type { Operation, OperationRequest } from '../../model/operation.ts'
import type { Task, TaskState } from '../../model/task.ts'
import { type Fit, fitCall } from './fit-call.ts'
import type { RecordedCall } from './read-exchange.ts'
import { idsIn, issuedIds } from './recorded-ids.ts'

type Fitting = Extract<Fit, { ok: true }>

export type ReplayChoice =
  | { readonly ok: true; readonly call: RecordedCall; readonly pass: Pass }
  | {
      readonly ok: false
      readonly message: string
      readonly nearest: { rule: string; why: readonly string[] } | undefined
    }

/** Operations that change something: they are played once per pass, and what followed them waits for them. */
const WRITES: ReadonlySet<Operation> = new Set<Operation>(['sendMessage', 'streamMessage', 'cancelTask'])

/** Passes beyond this are forgotten, oldest first. */
const MAX_PASSES = 1_000

/** Recorded times are whole milliseconds of two clocks; closer than this, nothing can be said about the order. */
const CLOCK_MARGIN_MS = 2

export class Pass {
  readonly number: number
  /** Recorded ids that are others in this pass. */
  readonly ids = new Map<string, string>()
  readonly #issued: ReadonlySet<string>
  readonly #begun = new Set<RecordedCall>()
  readonly #tasks = new Map<string, Task>()
  readonly #waiting = new Map<RecordedCall, (() => void)[]>()

  constructor(number: number, issued: ReadonlySet<string>) {
    this.number = number
    this.#issued = issued
    if (number > 1) for (const id of issued) this.ids.set(id, `${id}-${number}`)
  }

  currentId(recorded: string): string | undefined {
    return this.ids.get(recorded) ?? (this.#issued.has(recorded) ? recorded : undefined)
  }

  hasBegun(call: RecordedCall): boolean {
    return this.#begun.has(call)
  }

  begin(call: RecordedCall, made: ReadonlyMap<string, string>): void {
    this.#begun.add(call)
    for (const [recorded, now] of made) this.ids.set(recorded, now)
    for (const resume of this.#waiting.get(call) ?? []) resume()
    this.#waiting.delete(call)
  }

  /** Remembers what the client was told about a task, for questions the recorded client did not ask. */
  note(event: StreamEvent): void {
    if ('message' in event) return
    if ('task' in event) {
      this.#tasks.set(event.task.id, event.task)
      return
    }
    const { taskId, contextId } = 'statusUpdate' in event ? event.statusUpdate : event.artifactUpdate
    const known = this.#tasks.get(taskId) ?? { id: taskId, contextId, status: { state: 'TASK_STATE_SUBMITTED' } }
    this.#tasks.set(taskId, applyEvent(known, event))
  }

  task(id: string): Task | undefined {
    return this.#tasks.get(id)
  }

  /** Resolves once the client has made this call too. */
  async reached(call: RecordedCall): Promise<void> {
    if (this.#begun.has(call)) return
    await new Promise<void>((resume) => this.#waiting.set(call, [...(this.#waiting.get(call) ?? []), resume]))
  }
}

export class Replay {
  readonly #calls: readonly RecordedCall[]
  readonly #issued: ReadonlySet<string>
  readonly #passes: Pass[] = []
  /** The tasks and contexts each call is about. */
  readonly #about = new Map<RecordedCall, ReadonlySet<string>>()
  #count = 0

  constructor(calls: readonly RecordedCall[]) {
    this.#calls = calls
    this.#issued = issuedIds(calls)
    this.#open()
  }

  choose(op: Operation, request: OperationRequest<Operation>): ReplayChoice {
    const found = this.#next(op, request) ?? this.#again(op, request)
    if (found === undefined) return this.#refusal(op, request)
    const { call, pass, fit } = found
    pass.begin(call, fit.made)
    return { ok: true, call, pass }
  }

  /** The calls that must have been made before this part of an answer may be told. */
  causesOf(call: RecordedCall, atMs: number, state: TaskState | undefined): RecordedCall[] {
    const about = this.#aboutOf(call)
    return this.#calls.filter((other) => {
      if (!WRITES.has(other.op) || other.startedMs < call.startedMs || other === call) return false
      const { id } = other.request as { id?: string }
      const isAboutSame = id === undefined ? sharesTask(other, about) : about.has(id)
      if (!isAboutSame) return false
      const isCancel = other.op === 'cancelTask' && state === 'TASK_STATE_CANCELED'
      return isCancel || other.startedMs + CLOCK_MARGIN_MS < call.startedMs + atMs
    })
  }

  /** The task as the client knows it. */
  task(id: string): Task | undefined {
    for (const pass of this.#passes) {
      const task = pass.task(id)
      if (task !== undefined) return task
    }
    return undefined
  }

  /** Messages and cancels of the recording that were never asked for. */
  unmet(): string[] {
    return this.#calls
      .filter((call) => WRITES.has(call.op) && !this.#passes.some((pass) => pass.hasBegun(call)))
      .map(({ op, number }) => `the ${op} of exchange ${number} of the recording was never asked for`)
  }

  #aboutOf(call: RecordedCall): ReadonlySet<string> {
    let about = this.#about.get(call)
    if (about === undefined) {
      about = idsIn([call.request, call.answer] as object as JsonValue)
      this.#about.set(call, about)
    }
    return about
  }

  #open(): Pass {
    const pass = new Pass(++this.#count, this.#issued)
    this.#passes.push(pass)
    if (this.#passes.length > MAX_PASSES) this.#passes.shift()
    return pass
  }

  /** What was not played yet: the closest, then the earliest. */
  #next(op: Operation, request: OperationRequest<Operation>) {
    let best: { call: RecordedCall; pass: Pass; fit: Fitting } | undefined
    for (const pass of this.#passes)
      for (const call of this.#calls) {
        if (pass.hasBegun(call)) continue
        const fit = fitCall(call, op, request, (id) => pass.currentId(id))
        if (fit.ok && fit.closeness > (best?.fit.closeness ?? -1)) best = { call, pass, fit }
      }
    return best
  }

  /** Questions are answered again as they were last; a message that continues nothing begins a new pass. */
  #again(op: Operation, request: OperationRequest<Operation>) {
    const pass = WRITES.has(op) ? this.#fresh(op, request) : undefined
    const passes = WRITES.has(op) ? (pass === undefined ? [] : [pass]) : this.#passes.toReversed()
    for (const candidate of passes) {
      const calls = pass === undefined ? this.#calls.toReversed() : this.#calls
      for (const call of calls) {
        const fit = fitCall(call, op, request, (id) => candidate.currentId(id))
        if (fit.ok) return { call, pass: candidate, fit }
      }
    }
    return undefined
  }

  #fresh(op: Operation, request: OperationRequest<Operation>): Pass | undefined {
    const trial = new Pass(this.#count + 1, this.#issued)
    const fits = this.#calls.some((call) => fitCall(call, op, request, (id) => trial.currentId(id)).ok)
    return fits ? this.#open() : undefined
  }

  #refusal(op: Operation, request: OperationRequest<Operation>): ReplayChoice {
    const [pass] = this.#passes
    let nearest: { rule: string; why: readonly string[] } | undefined
    for (const call of this.#calls) {
      const fit = fitCall(call, op, request, (id) => pass?.currentId(id))
      if (fit.ok) nearest = { rule: ruleOf(call), why: ['it was already used'] }
      else if (fit.isSameKind) nearest ??= { rule: ruleOf(call), why: [fit.why] }
    }
    const hint =
      nearest === undefined ? `it has no ${op}` : `the nearest is ${nearest.rule}, but ${nearest.why.join(', ')}`
    return { ok: false, message: `The recording has no answer to this request: ${hint}.`, nearest }
  }
}

/** How the journal names the call that answered. */
export function ruleOf({ number }: RecordedCall): string {
  return `exchange-${number}`
}

function sharesTask(call: RecordedCall, about: ReadonlySet<string>): boolean {
  const { message } = call.request as { message?: { taskId?: string } }
  return message?.taskId !== undefined && about.has(message.taskId)
}
