// Fair turns of the event loop. Work that never waits for anything outside the process, an agent that emits to a store
// in memory, goes on in microtasks for as long as it likes, and no other request is served. So such work is counted, for the
// whole process, and when a turn of the event loop has had enough of it the rest waits for the next one: those who have
// done little first, each of the others for a stretch, first come, first served. Work that does wait for something never
// gets that far, and pays a few additions.

/** One turn ends after so many units: events written, kilobytes of them, batches read … */
export const MAX_UNITS = 4_096
/** … or after this time. */
export const MAX_MS = 10
/** So few are not worth the question in which turn they were. */
const FREE_UNITS = 16
/** The clock is asked again after so many: asking costs a tenth of what an event costs. */
const UNITS_PER_LOOK = 64
/** Whoever goes on may do so much before it is the turn of the next: a short stream is then told in one piece. */
const STRETCH = 512
/** Whoever has done no more than this is a newcomer, and does not wait behind those who may go on for ever. */
const LITTLE = 64
/** Most that go on in one turn: some of them do their next work later, when it is not counted for this one. */
const MAX_RESUMED = 64

export class FairTurns {
  readonly #now: () => number
  #used = 0
  /** Where the one whose stretch it is has to stop. */
  #bound = MAX_UNITS
  #nextLook = 0
  #isLate = false
  #isCounting = false
  #since = 0
  #resumed = 0
  readonly #newcomers = new Queue()
  readonly #others = new Queue()

  constructor(now = () => performance.now()) {
    this.#now = now
  }

  /** After so many units of work, of `inAll` by this worker: undefined to go on at once, else a promise of a later turn. */
  take(units: number, inAll: number): Promise<void> | undefined {
    this.#used += units
    if (this.#used < FREE_UNITS) return undefined
    if (!this.#isCounting) this.#count()
    if (this.#used < this.#bound && !this.#hasTimePassed()) return undefined
    const queue = inAll <= LITTLE ? this.#newcomers : this.#others
    return new Promise((goOn) => queue.add(goOn))
  }

  #hasTimePassed(): boolean {
    if (this.#used < this.#nextLook) return this.#isLate
    this.#nextLook = this.#used + UNITS_PER_LOOK
    this.#isLate = this.#now() - this.#since >= MAX_MS
    return this.#isLate
  }

  #count(): void {
    this.#isCounting = true
    this.#since = this.#now()
    this.#nextLook = this.#used + UNITS_PER_LOOK
    setImmediate(() => this.#turn())
  }

  /** A new turn has begun: everything the last one had to do for others is done. */
  #turn(): void {
    this.#used = 0
    this.#resumed = 0
    this.#isLate = false
    this.#isCounting = false
    if (this.#newcomers.isEmpty && this.#others.isEmpty) return
    this.#count()
    this.#resumeNext()
  }

  readonly #resumeNext = (): void => {
    this.#bound = MAX_UNITS
    if (this.#used >= MAX_UNITS || this.#hasTimePassed() || this.#resumed++ >= MAX_RESUMED) return
    const goOn = this.#newcomers.take() ?? this.#others.take()
    if (goOn === undefined) return
    this.#bound = Math.min(MAX_UNITS, this.#used + STRETCH)
    goOn()
    queueMicrotask(this.#whenDone)
  }

  /** A tick comes when no microtask is left: what was resumed has ended, waits for something, or is held up again. */
  readonly #whenDone = (): void => process.nextTick(this.#resumeNext)
}

/** First come, first served. */
class Queue {
  #waiting: (() => void)[] = []
  #next = 0

  get isEmpty(): boolean {
    return this.#next === this.#waiting.length
  }

  add(goOn: () => void): void {
    this.#waiting.push(goOn)
  }

  take(): (() => void) | undefined {
    const goOn = this.#waiting[this.#next]
    if (goOn === undefined) return undefined
    this.#next++
    // Places that were served are given back in lots.
    if (this.isEmpty || this.#next >= 1_024) {
      this.#waiting = this.#waiting.slice(this.#next)
      this.#next = 0
    }
    return goOn
  }
}

/** One event loop, one count. */
export const fairTurns = new FairTurns()
