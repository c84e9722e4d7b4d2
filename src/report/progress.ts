// What is seen while a run goes on: one live line in a terminal, plain lines elsewhere. Progress goes to stderr. An
// agent that is silent is announced while it is waited for, with what was asked and how long it may still take.

import { RUN_ENDED } from '../judge/runner/end-of-run.ts'
import type { ConformanceResult, RunListener } from '../judge/runner/result.ts'
import { safeLine } from './safe-text.ts'
import type { Style } from './style.ts'

export interface ProgressOptions {
  write(text: string): void
  isLive: boolean
  columns: number
  style: Style
  /** For tests; the real time when absent. */
  clock?: ProgressClock
}

export interface ProgressClock {
  now(): number
  /** Returns what cancels it. */
  after(ms: number, callback: () => void): () => void
}

const ERASE_LINE = '\r\u001b[2K'
/** Without a terminal: a line now and then, and one for every failure. */
const PLAIN_EVERY = 50
const TICK_MS = 1_000
/** Without a terminal, silence is told once it has lasted a second, and then not more often than this. */
const PLAIN_PAUSE_MS = 10_000

/** Whoever asked for no more needs no advice how to get by with less. */
const QUICK = 12
/** Shorter runs need no forecast. */
const WORTH_TELLING_MS = 10_000

interface Waiting {
  label: string
  startedMs: number
  timeoutMs: number
}

export class Progress implements RunListener {
  readonly #options: ProgressOptions
  readonly #clock: ProgressClock
  readonly #waiting = new Set<Waiting>()
  #total = 0
  #done = 0
  #failed = 0
  #lastKey = ''
  #lastAnswerMs = Number.NEGATIVE_INFINITY
  #lastToldMs = Number.NEGATIVE_INFINITY
  #stopTicking: (() => void) | undefined

  constructor(options: ProgressOptions) {
    this.#options = options
    this.#clock = options.clock ?? REAL_TIME
  }

  onTriage: NonNullable<RunListener['onTriage']> = ({ attempts, interfaces, notes }) => {
    for (const { url, outcome } of attempts) this.#line(`card      ${safeLine(url)}  ${safeLine(outcome)}`)
    for (const { version, binding, url } of interfaces)
      this.#line(`testing   A2A ${version} over ${binding} at ${safeLine(url)}`)
    for (const note of notes) this.#line(`note      ${safeLine(note)}`)
  }

  onPlan: NonNullable<RunListener['onPlan']> = ({ total, writes, turns }) => {
    this.#total = total
    if (!writes) return
    const about = turns === 0 ? '' : ` and takes about ${turns} ${turns === 1 ? 'turn' : 'turns'} of it`
    this.#line(`This run creates tasks on the agent${about}.`)
    if (turns > QUICK)
      this.#line('--max-turns N bounds that, --quick takes at most 12, --side-effects none takes none.')
  }

  onPace: NonNullable<RunListener['onPace']> = ({ turns, perTurnMs, isSerial, totalMs }) => {
    if (totalMs < WORTH_TELLING_MS) return
    const each = `about ${turns} turns, ${(perTurnMs / 1000).toFixed(1)} s each`
    this.#line(`${each}, ${isSerial ? 'one at a time' : 'several at a time'}: about ${durationText(totalMs)}`)
  }

  onResult: NonNullable<RunListener['onResult']> = (result) => {
    // After the end of a run there is no progress.
    if (result.notRun === RUN_ENDED) return
    this.#done++
    this.#lastKey = result.key
    if (result.status === 'fail') {
      this.#failed++
      this.#line(`${this.#options.style.red('✗')} ${result.key}  ${briefly(result)}`)
    }
    if (this.#options.isLive) this.#draw()
    else if (this.#done % PLAIN_EVERY === 0) this.#options.write(`${this.#counts()}\n`)
  }

  onCall: NonNullable<RunListener['onCall']> = ({ label, timeoutMs }) => {
    const waiting = { label, timeoutMs, startedMs: this.#clock.now() }
    this.#waiting.add(waiting)
    this.#stopTicking ??= this.#clock.after(TICK_MS, this.#tick)
    return () => {
      this.#waiting.delete(waiting)
      this.#lastAnswerMs = this.#clock.now()
    }
  }

  end(): void {
    this.#stopTicking?.()
    this.#stopTicking = undefined
    if (this.#options.isLive) this.#options.write(ERASE_LINE)
  }

  readonly #tick = () => {
    this.#stopTicking = this.#waiting.size === 0 ? undefined : this.#clock.after(TICK_MS, this.#tick)
    if (this.#options.isLive) {
      this.#draw()
      return
    }
    const now = this.#clock.now()
    const [oldest] = this.#waiting
    if (oldest === undefined || now - this.#lastToldMs < PLAIN_PAUSE_MS) return
    // An agent that answers one question while another waits is not silent.
    if (now - Math.max(oldest.startedMs, this.#lastAnswerMs) < TICK_MS) return
    this.#lastToldMs = now
    this.#options.write(`${this.#waitingText()}\n`)
  }

  #draw(): void {
    const waiting = this.#waitingText()
    const counts = this.#total === 0 ? '' : `${this.#counts()}  `
    const room = Math.max(20, this.#options.columns - 1)
    const whole = `${counts}${waiting === '' ? this.#lastKey : waiting}`
    // Where not both fit, what is waited for matters more.
    const text = whole.length > room && waiting !== '' ? waiting : whole
    this.#options.write(`${ERASE_LINE}${text.slice(0, room)}`)
  }

  /** What has been waited for longest, once it is worth a word. */
  #waitingText(): string {
    const [oldest] = this.#waiting
    if (oldest === undefined) return ''
    const seconds = Math.floor((this.#clock.now() - oldest.startedMs) / 1000)
    if (seconds < 1) return ''
    const limit = Math.round(oldest.timeoutMs / 1000)
    return `waiting for an answer to ${safeLine(oldest.label)}, ${seconds} s of ${limit} s`
  }

  #counts(): string {
    return `${this.#done}/${this.#total} checks, ${this.#failed} failed`
  }

  #line(text: string): void {
    this.#options.write(`${this.#options.isLive ? ERASE_LINE : ''}${text}\n`)
  }
}

function durationText(ms: number): string {
  return ms < 90_000 ? `${Math.round(ms / 1000)} seconds` : `${(ms / 60_000).toFixed(1)} minutes`
}

function briefly(result: ConformanceResult): string {
  return safeLine(result.message ?? '').slice(0, 140)
}

const REAL_TIME: ProgressClock = {
  now: () => performance.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms)
    timer.unref()
    return () => clearTimeout(timer)
  },
}
