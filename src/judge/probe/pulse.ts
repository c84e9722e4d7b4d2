// Does the agent still live? A call that fails without an answer is followed by the harmless question triage asked at
// the beginning. When that is not answered any more either, the agent is gone: the run ends, and the request after
// which it happened is named, instead of a failure for every check that comes later.

import type { Call, CallWatcher } from './calls.ts'
import { NotMeasured } from './check-failure.ts'

/** How the harmless question ended: 'lost' is a connection that broke, or a gateway with no agent behind it. */
export type Sign = 'alive' | 'refused' | 'lost' | 'silent'

export interface Death {
  origin: string
  /**
   * 'gone': connections are refused; 'back': the same, but only for a moment; 'silent': no answer comes; 'stuck': one
   * operation is not answered any more.
   */
  how: 'gone' | 'back' | 'silent' | 'stuck'
  /** The request after which it happened, as far as can be told. */
  call: Call
  /** Other requests that were under way and could be the reason as well. */
  others: readonly Call[]
  /** The last ones it answered, the latest first: what they began may have ended it later. */
  answered: readonly Call[]
}

export interface PulseOptions {
  /** Asks the agent at this origin something that worked before; undefined for an origin that is not the agent's. */
  ask(origin: string, patienceMs: number): Promise<Sign> | undefined
  onDeath(death: Death): void
  /** Per call, in the whole run. */
  timeoutMs: number
  now?(): number
  pause?(ms: number): Promise<void>
}

/** Requests kept to find the one after which it happened. */
const REMEMBERED = 200
const REMEMBERED_ANSWERS = 3
/** Requests that were sent about when the last answer came are suspects. */
const ABOUT_MS = 100
/** A process that is being replaced comes back within this time; then, too, what it knew is gone. */
const SECOND_LOOK_MS = 250
/** After so much silence a question is in order; this is how long its answer may take. */
const PATIENCE_MS = 15_000
/** So often in a row without an answer, one after the other: no accident. */
const STUCK_AFTER = 3

interface Silence {
  calls: number
  /** One call after the other had run out of time. */
  rounds: number
  endedMs: number
}

export class Pulse implements CallWatcher {
  readonly #options: PulseOptions
  readonly #recent: Call[] = []
  readonly #lastAnswered = new Map<string, Call>()
  readonly #asking = new Map<string, Promise<Death['how'] | undefined>>()
  /** Of an operation at an origin, since it was last answered. */
  readonly #unanswered = new Map<string, Silence>()
  /** Operations that were answered when they were asked as a client would. */
  readonly #hasAnswered = new Set<string>()
  #death: Death | undefined

  constructor(options: PulseOptions) {
    this.#options = options
  }

  get death(): Death | undefined {
    return this.#death
  }

  admit(call: Call): void {
    const kind = `${originOf(call)} ${call.op}`
    const unanswered = this.#unanswered.get(kind)?.calls ?? 0
    if (isPlain(call) && unanswered >= STUCK_AFTER && !this.#hasAnswered.has(kind)) {
      throw new NotMeasured(
        `${call.label} was not answered ${unanswered} times in a row`,
        `an agent that answers ${call.label}`,
      )
    }
  }

  began(call: Call): void {
    this.#recent.push(call)
    if (this.#recent.length > REMEMBERED) this.#recent.shift()
  }

  async ended(call: Call): Promise<void> {
    if (this.#death !== undefined) return
    const origin = originOf(call)
    const kind = `${origin} ${call.op}`
    if (call.isAnswered) {
      this.#answered(origin, call)
      this.#unanswered.delete(kind)
      if (isPlain(call)) this.#hasAnswered.add(kind)
      return
    }
    const isLate = call.fault === 'timeout'
    const isLost = call.fault === 'unreachable' || call.fault === 'reset' || call.exchange?.response !== undefined
    if (!isLate && !isLost) return
    if (isLate && this.#isStuck(call, kind)) return this.#die(origin, 'stuck')
    const how = await this.#ask(origin, call.timeoutMs)
    if (how !== undefined) this.#die(origin, how)
  }

  #answered(origin: string, call: Call): void {
    const before = this.#lastAnswered.get(origin)
    // Bodies may be large, and only the last one may be wanted.
    if (before !== undefined) delete before.exchange
    this.#lastAnswered.set(origin, call)
  }

  /** Only calls as a client would make them count: what a check broke on purpose may be left unanswered. */
  #isStuck(call: Call, kind: string): boolean {
    if (call.op === undefined || !isPlain(call)) return false
    const silence = this.#unanswered.get(kind) ?? { calls: 0, rounds: 0, endedMs: Number.NEGATIVE_INFINITY }
    this.#unanswered.set(kind, silence)
    silence.calls++
    // An agent that takes one turn at a time lets several calls run out of time together; that is one round.
    if (call.startedMs >= silence.endedMs) {
      silence.rounds++
      silence.endedMs = call.endedMs ?? call.startedMs
    }
    return silence.rounds >= STUCK_AFTER && this.#hasAnswered.has(kind)
  }

  /** One question at a time and origin, whoever wants to know. */
  #ask(origin: string, waitedMs: number): Promise<Death['how'] | undefined> {
    const known = this.#asking.get(origin)
    if (known !== undefined) return known
    const { timeoutMs } = this.#options
    // An agent that works at one thing at a time may be silent for as long as the longest call may take.
    const patienceMs = Math.max(timeoutMs - waitedMs, 0) + Math.min(timeoutMs, PATIENCE_MS)
    const asked = this.#look(origin, patienceMs).finally(() => this.#asking.delete(origin))
    this.#asking.set(origin, asked)
    return asked
  }

  async #look(origin: string, patienceMs: number): Promise<Death['how'] | undefined> {
    const { ask, pause = pauseFor } = this.#options
    const first = await ask(origin, patienceMs)
    if (first === undefined || first === 'alive') return undefined
    // An agent that is busy answers something now and then.
    if (first === 'silent') return this.#isLongAgo(this.#lastAnswerMs(origin)) ? 'silent' : undefined
    await pause(SECOND_LOOK_MS)
    const second = await ask(origin, patienceMs)
    if (second !== 'alive') return 'gone'
    return first === 'refused' ? 'back' : undefined
  }

  /** Longer than any answer may take. */
  #isLongAgo(ms: number): boolean {
    const { timeoutMs, now = () => performance.now() } = this.#options
    return now() - ms >= timeoutMs
  }

  #lastAnswerMs(origin: string): number {
    return this.#lastAnswered.get(origin)?.endedMs ?? Number.NEGATIVE_INFINITY
  }

  #die(origin: string, how: Death['how']): void {
    if (this.#death !== undefined) return
    const suspects = this.#suspects(origin, how)
    const [call, ...others] = suspects
    if (call === undefined) return
    const answered = this.#recent
      .filter((one) => originOf(one) === origin && one.isAnswered && one !== call)
      .toSorted((a, b) => (b.endedMs ?? 0) - (a.endedMs ?? 0))
      .slice(0, REMEMBERED_ANSWERS)
    this.#death = { origin, how, call, others, answered }
    this.#options.onDeath(this.#death)
  }

  /** Most likely first: an agent that answers promptly had answered all that came before the request that ended it. */
  #suspects(origin: string, how: Death['how']): Call[] {
    const isGone = how === 'gone' || how === 'back'
    const open = this.#recent.filter((call) => {
      // Who came after it was gone was not let in at all.
      return originOf(call) === origin && !call.isAnswered && !(isGone && call.fault === 'unreachable')
    })
    const last = this.#lastAnswered.get(origin)
    if (open.length === 0) return last === undefined ? [] : [last]
    const since = open.filter((call) => call.startedMs >= this.#lastAnswerMs(origin) - ABOUT_MS)
    return [...since, ...open.filter((call) => !since.includes(call))]
  }
}

function isPlain(call: Call): boolean {
  return call.request.isPlain === true
}

function originOf(call: Call): string {
  return new URL(call.request.url).origin
}

const pauseFor = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
