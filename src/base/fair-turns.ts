// Fair turns of the event loop. Work that never waits for anything outside the process, an agent that emits to a store
// in memory, goes on in microtasks for as long as it likes, and nobody else is served. So such work is counted, for the
// whole process, and when a turn of the event loop has had enough of it the rest waits for the next one, first come,
// first served. Work that does wait for something never gets that far, and pays a few additions.

/** One turn ends after so many units: events written, kilobytes of them, batches read … */
export const MAX_UNITS = 2_048
/** … or after this time. */
export const MAX_MS = 10
/** So few are not worth the question in which turn they were. */
const FREE_UNITS = 16
/** Most that go on in one turn: each of them will do something more before it can be held up again. */
const MAX_RESUMED = 64
/** Places in the queue that have been served are given back in lots of this size. */
const SERVED = 1_024

interface Waiting {
  readonly goOn: () => void
  /** What it did last, as the best guess at what it will do next. */
  readonly units: number
}

export class FairTurns {
  readonly #now: () => number
  #used = 0
  #isCounting = false
  #since = 0
  #waiting: Waiting[] = []
  #next = 0

  constructor(now = () => performance.now()) {
    this.#now = now
  }

  /** After so many units of work: undefined to go on at once, else a promise of a later turn. */
  take(units: number): Promise<void> | undefined {
    this.#used += units
    if (this.#used < FREE_UNITS) return undefined
    if (!this.#isCounting) this.#count()
    if (this.#used < MAX_UNITS && this.#now() - this.#since < MAX_MS) return undefined
    return new Promise((goOn) => void this.#waiting.push({ goOn, units }))
  }

  #count(): void {
    this.#isCounting = true
    this.#since = this.#now()
    setImmediate(() => this.#turn())
  }

  /** A new turn has begun: everything the last one had to do for others is done. */
  #turn(): void {
    this.#used = 0
    this.#isCounting = false
    let units = 0
    for (let resumed = 0; resumed < MAX_RESUMED && units < MAX_UNITS; resumed++) {
      const waiting = this.#waiting[this.#next]
      if (waiting === undefined) break
      this.#next++
      units += waiting.units
      waiting.goOn()
    }
    if (this.#next === this.#waiting.length || this.#next >= SERVED) {
      this.#waiting = this.#waiting.slice(this.#next)
      this.#next = 0
    }
    if (this.#waiting.length > 0) this.#count()
  }
}

/** One event loop, one count. */
export const fairTurns = new FairTurns()
