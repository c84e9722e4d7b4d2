// Delivers events to webhooks. It is woken when a task it knows gets events, and looks by itself for configurations that
// are behind: after a restart, after a replica died, when a retry is due. A configuration is delivered to by one
// process at a time, one event after the other; whatever happens here never touches the task.

import { dialectById } from '../../dialects/index.ts'
import { type ArtifactUpdateEvent, isStreamed, type StatusUpdateEvent } from '../../model/event.ts'
import { scopeKey } from '../../model/scope.ts'
import { isTerminal } from '../../model/state-machine.ts'
import type { GuardOptions } from '../../net/guard/guarded-url.ts'
import { type TraceContext, traceIdOf } from '../../telemetry/trace-context.ts'
import type { WakeBus } from '../bus/wake-bus.ts'
import type { Clock } from '../engine/clock.ts'
import type { Lease, PushRow, PushStore, ReadyRow, TaskKey } from '../store/push-store.ts'
import type { StoredEvent, TaskStore } from '../store/task-store.ts'
import { FoldedTasks } from './folded-tasks.ts'
import { Lanes } from './lanes.ts'
import type { DeliveryOutcome } from './post-delivery.ts'
import { pauseAfter, RETRY_PAUSES_MS } from './retry-schedule.ts'
import { tracedDelivery } from './traced-delivery.ts'

/** What calls to webhooks are made with. */
export interface SenderDeps {
  /** Where the events are read. */
  readonly tasks: TaskStore
  /** Where the configurations live. */
  readonly rows: PushStore
  /** Tells when a task has new events. */
  readonly bus: WakeBus
  /** Tells the time and sets timers. */
  readonly clock: Clock
  /** Which addresses webhooks may have. */
  readonly guard: GuardOptions
  /**
   * Spreads retries; 0 to 1.
   * @default Math.random
   */
  readonly random?: () => number
  /**
   * How long, in milliseconds, a process may hold a configuration without a sign of life.
   * @default 30_000
   */
  readonly leaseMs?: number
  /**
   * Deliveries at the same time.
   * @default 200
   */
  readonly maxConcurrent?: number
  /**
   * Deliveries to one webhook host at the same time.
   * @default 4
   */
  readonly maxPerEndpoint?: number
  /** `statusAt`: when the status that was delivered was set; undefined for artifacts. */
  onDelivered(statusAt: number | undefined): void
  /** An attempt failed; `isGivenUp` when it was the last. */
  onFailure(row: PushRow, outcome: { error: string; isGivenUp: boolean; traceId: string | undefined }): void
  /** The store could not be asked; the next look will. */
  onTrouble(error: unknown): void
}

/** Longer than any attempt may take, so that only the dead lose it. */
const LEASE_MS = 30_000
const LOOK_EVERY_MS = 5_000
/** When one look did not see everything. */
const LOOK_AGAIN_MS = 100
const LOOK_LIMIT = 500
/** Beyond it the store remembers well enough who waits. */
const MAX_WAITING = 10_000
const BATCH = 32
const MAX_CONCURRENT = 200
const MAX_PER_ENDPOINT = 4

interface Watch {
  readonly unsubscribe: () => void
  isLooking: boolean
  /** Woken while looking: what the look saw may be old. */
  isWoken: boolean
  delivering: number
  /** Of the request that the task answers; forgotten with the process. */
  trace: TraceContext | undefined
}

export class PushSender {
  readonly #deps: SenderDeps
  readonly #leaseMs: number
  readonly #lanes: Lanes
  readonly #folded: FoldedTasks
  readonly #watched = new Map<string, Watch>()
  readonly #stop = new AbortController()
  #isLooking = false
  #isLookWanted = false
  #nextLookAt = Number.POSITIVE_INFINITY
  /** The moments at which something becomes due. */
  readonly #wishes = new Set<number>()
  #cancelLook = () => {}

  constructor(deps: SenderDeps) {
    this.#deps = deps
    this.#leaseMs = deps.leaseMs ?? LEASE_MS
    const { maxConcurrent: total = MAX_CONCURRENT, maxPerEndpoint: perLane = MAX_PER_ENDPOINT } = deps
    this.#lanes = new Lanes({ total, perLane })
    this.#folded = new FoldedTasks(deps.tasks)
  }

  start(): void {
    this.#lookWithin(0)
  }

  /** Configurations that wait for a free place, or are being delivered to, in this process. */
  get pending(): number {
    return this.#lanes.pending
  }

  /** Follows a task that has got a configuration. */
  watch(task: TaskKey): void {
    if (this.#stop.signal.aborted) return
    this.#watchOf(task)
    void this.#lookAt(task)
  }

  trace(task: TaskKey, trace: TraceContext): void {
    const watch = this.#watched.get(nameOf(task))
    if (watch !== undefined) watch.trace = trace
  }

  /** The task is gone, and everything about it. */
  forget(task: TaskKey): void {
    this.#unwatch(task)
  }

  /** Tries what is due now, waits at most `graceMs` for it, and gives back what it holds. */
  async close(graceMs: number): Promise<void> {
    this.#cancelLook()
    for (const { unsubscribe } of this.#watched.values()) unsubscribe()
    this.#watched.clear()
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, graceMs)
    await Promise.race([this.#drain(), promise])
    clearTimeout(timer)
    this.#stop.abort()
    await this.#lanes.idle()
  }

  async #drain(): Promise<void> {
    try {
      for (const row of await this.#deps.rows.ready({ limit: LOOK_LIMIT })) this.#queue(row)
    } catch (error) {
      this.#deps.onTrouble(error)
    }
    await this.#lanes.idle()
  }

  /** One timer for all that is due later; an earlier wish moves it forward, and a later one is remembered. */
  #lookWithin(ms: number): void {
    const at = this.#deps.clock.now() + ms
    this.#wishes.add(at)
    if (at >= this.#nextLookAt || this.#stop.signal.aborted) return
    this.#cancelLook()
    this.#nextLookAt = at
    this.#cancelLook = this.#deps.clock.after(ms, () => void this.#lookAtAll())
  }

  /** How long until the next look: what was scheduled, or at most the time between two of them. */
  #untilNextLook(): number {
    const now = this.#deps.clock.now()
    let least = Math.min(LOOK_EVERY_MS, this.#leaseMs)
    for (const at of this.#wishes) {
      if (at <= now) this.#wishes.delete(at)
      else least = Math.min(least, at - now)
    }
    return least
  }

  async #lookAtAll(): Promise<void> {
    this.#nextLookAt = Number.POSITIVE_INFINITY
    this.#lookWithin(this.#untilNextLook())
    this.#isLookWanted = true
    if (this.#isLooking) return
    this.#isLooking = true
    // What became due while a look was under way may have escaped it.
    while (this.#isLookWanted) {
      this.#isLookWanted = false
      await this.#lookOnce()
    }
    this.#isLooking = false
  }

  async #lookOnce(): Promise<void> {
    if (this.#lanes.waiting >= MAX_WAITING) return
    try {
      // Those that wait already are found again, so that many of them must not hide the others.
      const limit = this.#lanes.waiting + LOOK_LIMIT
      const rows = await this.#deps.rows.ready({ limit })
      for (const row of rows) this.#queue(row)
      if (rows.length === limit) this.#lookWithin(LOOK_AGAIN_MS)
    } catch (error) {
      this.#deps.onTrouble(error)
    }
  }

  #watchOf(task: TaskKey): Watch {
    const name = nameOf(task)
    let watch = this.#watched.get(name)
    if (watch === undefined) {
      const unsubscribe = this.#deps.bus.onWake(task.taskId, () => void this.#lookAt(task))
      watch = { unsubscribe, isLooking: false, isWoken: false, delivering: 0, trace: undefined }
      this.#watched.set(name, watch)
    }
    return watch
  }

  async #lookAt(task: TaskKey): Promise<void> {
    const watch = this.#watched.get(nameOf(task))
    if (watch === undefined) return
    watch.isWoken = true
    if (watch.isLooking) return
    watch.isLooking = true
    try {
      while (watch.isWoken) {
        watch.isWoken = false
        const rows = await this.#deps.rows.ready({ task, limit: LOOK_LIMIT })
        for (const row of rows) this.#queue(row)
        const isQuiet = rows.length === 0 && watch.delivering === 0
        // Removed here or elsewhere, or at its end.
        if (isQuiet && !(await this.#deps.rows.isLive(task))) this.#unwatch(task)
      }
    } catch (error) {
      this.#deps.onTrouble(error)
    } finally {
      watch.isLooking = false
    }
  }

  #unwatch(task: TaskKey): void {
    this.#watched.get(nameOf(task))?.unsubscribe()
    this.#watched.delete(nameOf(task))
  }

  #queue(row: ReadyRow): void {
    this.#lanes.add(URL.parse(row.url)?.host ?? '', `${nameOf(row)}\u0000${row.id}`, () => this.#deliverTo(row))
  }

  async #deliverTo(row: ReadyRow): Promise<void> {
    if (this.#stop.signal.aborted) return
    const watch = this.#watchOf(row)
    watch.delivering++
    try {
      const lease = await this.#deps.rows.claim(row, this.#leaseMs)
      if (lease !== undefined) await this.#deliverAll(lease)
    } catch (error) {
      this.#deps.onTrouble(error)
    } finally {
      watch.delivering--
      // An event that came while the last one was on its way woke us when the configuration was still held.
      void this.#lookAt(row)
    }
  }

  async #deliverAll({ row, token }: Lease): Promise<void> {
    const { rows, tasks } = this.#deps
    let { deliveredSeq, attempts, error }: Pick<PushRow, 'deliveredSeq' | 'attempts' | 'error'> = row
    for (;;) {
      const events = await tasks.readEvents(row.scope, row.taskId, deliveredSeq, BATCH)
      if (events === undefined) return void (await rows.settle({ row, token }, 'remove'))
      const isLastBatch = events.length < BATCH
      for (const [n, stored] of events.entries()) {
        const current: PushRow = { ...row, deliveredSeq, attempts, error }
        const outcome = await this.#attempt(current, stored)
        if (outcome === undefined) return this.#giveBack({ row: current, token })
        if (outcome.kind !== 'delivered') return this.#fail({ row: current, token }, outcome)
        deliveredSeq = stored.seq
        attempts = 0
        error = undefined
        const isLast = isLastBatch && n === events.length - 1
        const isKept = await rows.settle(
          { row, token },
          {
            ...{ deliveredSeq, attempts, error, retryInMs: 0 },
            state: isEnd(stored) ? 'done' : 'active',
            leaseMs: isLast ? 0 : this.#leaseMs,
          },
        )
        // Removed, replaced, or taken over after a long pause: whoever has it now goes on.
        if (!isKept) return
      }
      if (events.length === 0) return this.#giveBack({ row: { ...row, deliveredSeq, attempts, error }, token })
      if (isLastBatch) return
    }
  }

  async #giveBack(lease: Lease): Promise<void> {
    const { deliveredSeq, attempts, state, error } = lease.row
    await this.#deps.rows.settle(lease, { deliveredSeq, attempts, state, error, retryInMs: 0, leaseMs: 0 })
  }

  /** Undefined when the server stops before there was an answer. Events no webhook sees count as delivered. */
  async #attempt(row: PushRow, stored: StoredEvent): Promise<DeliveryOutcome | undefined> {
    const { push } = dialectById(row.registeredIn)
    const { event, seq } = stored
    if (!isStreamed(event) || !push.wants(row.config, event)) return { kind: 'delivered' }
    const task = push.sendsWholeTask ? (await this.#folded.at(row, seq))?.task : undefined
    const { signal } = this.#stop
    const { guard, clock } = this.#deps
    const trace = this.#watched.get(nameOf(row))?.trace
    const outcome = await tracedDelivery({ row, seq, event, task, trace }, { guard, now: clock.now(), signal })
    if (outcome.kind === 'delivered') this.#deps.onDelivered(timeOf(event))
    return outcome.kind !== 'delivered' && signal.aborted ? undefined : outcome
  }

  async #fail(lease: Lease, outcome: Exclude<DeliveryOutcome, { kind: 'delivered' }>): Promise<void> {
    const { row } = lease
    const { error } = outcome
    const { retryPausesMs } = dialectById(row.registeredIn).push
    const attempts = row.attempts + 1
    const pause = pauseAfter(attempts, retryPausesMs ?? RETRY_PAUSES_MS, this.#deps.random ?? Math.random)
    const isGivenUp = outcome.kind === 'gone' || pause === undefined
    this.#deps.onFailure(row, { error, isGivenUp, traceId: traceIdOf(this.#watched.get(nameOf(row))?.trace) })
    const failed = { deliveredSeq: row.deliveredSeq, attempts, error, leaseMs: 0 }
    if (!isGivenUp) {
      const retryInMs = outcome.retryAfterMs ?? pause
      await this.#deps.rows.settle(lease, { ...failed, state: 'active', retryInMs })
      this.#lookWithin(retryInMs)
    } else if (retryPausesMs === undefined) {
      await this.#deps.rows.settle(lease, { ...failed, state: 'dead', retryInMs: 0 })
    } else await this.#deps.rows.settle(lease, 'remove')
  }
}

function isEnd({ event }: StoredEvent): boolean {
  return 'statusUpdate' in event && isTerminal(event.statusUpdate.status.state)
}

function timeOf(event: StatusUpdateEvent | ArtifactUpdateEvent): number | undefined {
  const at = 'statusUpdate' in event ? Date.parse(event.statusUpdate.status.timestamp ?? '') : Number.NaN
  return Number.isNaN(at) ? undefined : at
}

function nameOf({ scope, taskId }: TaskKey): string {
  return `${scopeKey(scope)}\u0000${taskId}`
}
