// Takes hosts from the queue, asks one agent of each, and gives them back. As many at a time as it has slots; one that
// hangs costs one slot until its deadline. A lease that was lost ends what was done under it, before another worker begins.

import { setTimeout as sleep } from 'node:timers/promises'
import { allChecks } from '../judge/checks/all.ts'
import { HostHolds } from './host-holds.ts'
import type { HostLease } from './host-queue.ts'
import { type Judged, judgeAgent, unasked } from './judge-agent.ts'
import type { Refusal } from './manners.ts'
import { nextTime, pauseAfterRefusal } from './next-time.ts'
import type { FleetStore } from './open-fleet.ts'
import { type AgentResult, type Attempt, WorkBook } from './work-book.ts'

export interface WorkerOptions {
  readonly name: string
  /** Agents at a time. */
  readonly slots: number
  readonly signal: AbortSignal
  /** Whether there is nothing left to do; asked when nothing is under way. It goes on for ever without it. */
  readonly isDone?: () => Promise<boolean>
  readonly onResult?: (attempt: Attempt, result: AgentResult) => void
  /** The store went away, or came back. */
  readonly onOutage?: (isAway: boolean) => void
}

const SHORTEST_WAIT_MS = 20
const LONGEST_WAIT_MS = 1_000
const SWEEP_MS = 30_000
/** Refusals of a host in a row after which its agents are left for another run. */
const MOST_REFUSALS = 5
/** How long a run waits for a host where its card leads, before it is put off. */
const LONGEST_HOLD_WAIT_MS = 5_000

/** How long a host is to be left alone: by all that is known, and for its rate. */
interface Rest {
  readonly ms: number
  readonly rateMs: number
}

const NO_REST: Rest = { ms: 0, rateMs: 0 }

interface Held {
  readonly lease: HostLease
  readonly lost: AbortController
  /** When it was last known to be ours. */
  goodAt: number
}

export class Worker {
  readonly #store: FleetStore
  readonly #book: WorkBook
  readonly #holds: HostHolds
  readonly #options: WorkerOptions
  readonly #held = new Map<string, Held>()
  readonly #under = new Set<Promise<void>>()
  #wake = Promise.withResolvers<true>()
  #isAway = false
  /** What must not happen; it ends the worker. */
  #failure: { error: unknown } | undefined
  #sweptAt = Number.NEGATIVE_INFINITY

  constructor(store: FleetStore, options: WorkerOptions) {
    this.#store = store
    this.#options = options
    this.#book = new WorkBook(store.db, options.name)
    this.#holds = new HostHolds(store.db, store.queue.leaseMs)
  }

  /** Until it is stopped or done; what is under way then is given back. */
  async run(): Promise<void> {
    const { signal } = this.#options
    await this.#book.checkFleets()
    // Reading the register takes a second, in which no lease could be prolonged and no answer heard.
    allChecks()
    const beats = setInterval(() => void this.#beat(), this.#store.queue.leaseMs / 4)
    try {
      for (let waitMs = SHORTEST_WAIT_MS; !signal.aborted; ) {
        const taken = await this.#takeSome()
        if (this.#failure !== undefined) throw this.#failure.error
        waitMs = taken > 0 ? SHORTEST_WAIT_MS : Math.min(waitMs * 2, LONGEST_WAIT_MS)
        if (taken === 0 && this.#under.size === 0 && (await this.#isDone())) return
        const isIdle = taken === 0 || this.#under.size >= this.#options.slots
        // A host that was just given back may be due within moments.
        if (isIdle && (await this.#pause(waitMs))) waitMs = SHORTEST_WAIT_MS
      }
    } finally {
      await Promise.allSettled(this.#under)
      clearInterval(beats)
    }
  }

  async #takeSome(): Promise<number> {
    try {
      await this.#sweep()
      const leases = await this.#store.queue.take(this.#options.slots - this.#under.size)
      this.#back()
      for (const lease of leases) this.#start(lease)
      return leases.length
    } catch (error) {
      this.#away(error)
      return 0
    }
  }

  /** Hosts that wait and are not in line, because a worker died at the wrong moment, come back. */
  async #sweep(): Promise<void> {
    if (performance.now() - this.#sweptAt < SWEEP_MS) return
    for await (const hosts of this.#book.waitingHosts()) await this.#store.queue.offer(hosts)
    this.#sweptAt = performance.now()
  }

  async #isDone(): Promise<boolean> {
    try {
      return (await this.#options.isDone?.()) ?? false
    } catch (error) {
      this.#away(error)
      return false
    }
  }

  #start(lease: HostLease): void {
    const held: Held = { lease, lost: new AbortController(), goodAt: performance.now() }
    this.#held.set(lease.token, held)
    const work = this.#serve(held).finally(() => {
      this.#held.delete(lease.token)
      this.#under.delete(work)
      this.#wake.resolve(true)
    })
    this.#under.add(work)
  }

  /** One agent of the host, and the host back in line. */
  async #serve({ lease, lost }: Held): Promise<void> {
    const signal = AbortSignal.any([this.#options.signal, lost.signal])
    try {
      const rest = await this.#persist(lost.signal, () => this.#serveOne(lease, signal))
      await this.#persist(lost.signal, () => this.#holds.release(lease.token, rest?.rateMs ?? 0))
      await this.#persist(lost.signal, () => this.#giveBack(lease, rest?.ms ?? 0))
    } catch (error) {
      this.#failure ??= { error }
    }
  }

  async #giveBack(lease: HostLease, restMs: number): Promise<void> {
    const due = await this.#book.nextDue(lease.host)
    await this.#store.queue.release(lease, due === undefined ? undefined : Math.max(due, restMs))
    if (due !== undefined) return
    // A list may have added an agent of this host between the two.
    const late = await this.#book.nextDue(lease.host)
    if (late !== undefined) await this.#store.queue.offer([{ host: lease.host, afterMs: Math.max(late, restMs) }])
  }

  async #serveOne({ host, token }: HostLease, signal: AbortSignal): Promise<Rest> {
    const origin = host.replace(/#\d+$/, '')
    const pause = await this.#book.pauseOf(origin)
    if (pause.ms > 0 && pause.refusals < MOST_REFUSALS) return { ms: pause.ms, rateMs: 0 }
    const occupiedMs = await this.#holds.take(host, token)
    if (occupiedMs !== undefined) return { ms: occupiedMs, rateMs: 0 }
    const attempt = await this.#book.begin(host)
    if (attempt === undefined) return NO_REST
    const { settings } = attempt
    if (pause.ms > 0) {
      await this.#finish(attempt, unasked('throttled', pause.reason))
      return NO_REST
    }
    if (attempt.attempt > settings.maxAttempts) {
      await this.#finish(attempt, unasked('given-up', `${settings.maxAttempts} attempts were interrupted`))
      return NO_REST
    }
    const judged = await judgeAgent(attempt, this.#enterOf(attempt, token), signal)
    return (await this.#persist(signal, () => this.#settle(attempt, judged))) ?? NO_REST
  }

  /** Lets a run speak to a host where its card leads, when no other run does and the host did not ask to be left alone. */
  #enterOf({ settings }: Attempt, token: string) {
    const lanes = (origin: string): string[] =>
      settings.hostConcurrency <= 1
        ? [origin]
        : Array.from({ length: settings.hostConcurrency }, (_, lane) => `${origin}#${lane}`)
    return async (origin: string, signal: AbortSignal): Promise<Refusal | undefined> => {
      const { ms, refusals, reason } = await this.#book.pauseOf(origin)
      const isHopeless = refusals >= MOST_REFUSALS || ms > settings.patienceMs
      if (ms > 0) return { kind: isHopeless ? 'paused' : 'occupied', origin, waitMs: ms, words: reason }
      for (const until = performance.now() + LONGEST_HOLD_WAIT_MS; ; ) {
        let waitMs = LONGEST_HOLD_WAIT_MS
        for (const lane of lanes(origin)) {
          const occupiedMs = await this.#holds.take(lane, token)
          if (occupiedMs === undefined) return undefined
          waitMs = Math.min(waitMs, occupiedMs)
        }
        // After a random time, so that two runs that wait for each other's hosts do not do so again.
        if (signal.aborted || performance.now() + waitMs > until)
          return {
            kind: 'occupied',
            origin,
            waitMs: SHORTEST_WAIT_MS + Math.random() * LONGEST_HOLD_WAIT_MS,
            words: '',
          }
        await sleep(waitMs)
      }
    }
  }

  async #settle(attempt: Attempt, judged: Judged): Promise<Rest> {
    if (judged.is === 'interrupted') return NO_REST
    const rateMs = judged.restMs
    const rest: Rest = { ms: rateMs, rateMs }
    if (judged.is === 'result') {
      await this.#finish(attempt, judged.result)
      if (judged.result.stage > 0) await this.#book.answered(attempt.origin)
      return rest
    }
    const { refusal, turns } = judged
    if (refusal.kind === 'occupied') {
      await this.#book.postpone(attempt, { afterMs: refusal.waitMs ?? 0, turns, counts: false })
      return rest
    }
    const throttled = (reason: string): AgentResult => ({ ...unasked('throttled', reason), stage: 1, turns })
    if (refusal.kind === 'paused') {
      await this.#finish(attempt, throttled(refusal.words))
      return rest
    }
    const { origin } = refusal
    const before = (await this.#book.pauseOf(origin)).refusals
    const waitMs = refusal.waitMs ?? pauseAfterRefusal(before + 1)
    const reason = `${origin} answers ${refusal.words}`
    const isHopeless = before + 1 >= MOST_REFUSALS || waitMs > attempt.settings.patienceMs
    const refusals = isHopeless ? Math.max(before + 1, MOST_REFUSALS) : before + 1
    await this.#book.refused(origin, { waitMs, reason, refusals })
    if (isHopeless) await this.#finish(attempt, throttled(reason))
    else await this.#book.postpone(attempt, { afterMs: waitMs, turns, counts: true })
    return isHopeless || origin !== attempt.origin ? rest : { ms: waitMs, rateMs }
  }

  async #finish(attempt: Attempt, result: AgentResult): Promise<void> {
    const { silent, entry, settings } = attempt
    const everyMs = entry.everyMs ?? settings.everyMs
    const next = nextTime({ isDead: result.outcome === 'dead', silent, everyMs })
    if (await this.#book.finish(attempt, result, next)) this.#options.onResult?.(attempt, result)
  }

  /** What is worth a result is worth waiting for a database that is away. */
  async #persist<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T | undefined> {
    for (let waitMs = SHORTEST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
      try {
        const done = await work()
        this.#back()
        return done
      } catch (error) {
        this.#away(error)
        if (signal.aborted) return undefined
        await sleep(waitMs)
      }
    }
  }

  async #beat(): Promise<void> {
    const held = [...this.#held.values()]
    if (held.length === 0) return
    try {
      const asked = performance.now()
      const good = await this.#store.queue.beat(held.map(({ lease }) => lease))
      await this.#holds.beat([...good])
      for (const one of held) {
        if (good.has(one.lease.token)) one.goodAt = asked
        else one.lost.abort()
      }
    } catch (error) {
      // By now another worker may have it: what cannot be prolonged is over when its time is.
      for (const { goodAt, lost } of held) if (performance.now() - goodAt > this.#store.queue.leaseMs) lost.abort()
      if (!this.#store.db.isAway(error)) this.#failure ??= { error }
    }
  }

  #away(error: unknown): void {
    if (!this.#store.db.isAway(error)) throw error
    if (!this.#isAway) this.#options.onOutage?.(true)
    this.#isAway = true
  }

  #back(): void {
    if (this.#isAway) this.#options.onOutage?.(false)
    this.#isAway = false
  }

  /** True when something ended in the meantime. */
  async #pause(ms: number): Promise<boolean> {
    this.#wake = Promise.withResolvers<true>()
    const rest = new AbortController()
    const { signal } = this.#options
    const timer = sleep(ms, false as const, { signal: AbortSignal.any([signal, rest.signal]) }).catch(
      () => false as const,
    )
    const isWoken = await Promise.race([this.#wake.promise, timer])
    rest.abort()
    return isWoken
  }
}
