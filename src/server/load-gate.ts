// Notices that the event loop cannot keep up, so that new work is refused at once instead of everybody waiting for ever.
// The sign is a timer that fires late several times running: once may be a pause of the whole machine. The gate opens
// again when timers are on time.

const LOOK_EVERY_MS = 50
const LATE_LOOKS = 2
/** From here on a turn of the event loop is long enough to be felt by everybody else. */
const BUSY_AT_MS = 10
/** Relief must not be taken for the end of what made it necessary. */
const BUSY_FOR_MS = 1_000

export interface LoadGateOptions {
  /** Later than this and requests are refused. */
  closeAtMs: number
  /** On time to within this, and they are admitted again. */
  openAtMs: number
}

export class LoadGate {
  readonly #options: LoadGateOptions
  readonly #timer: NodeJS.Timeout
  #lastLook = performance.now()
  #lateLooks = 0
  #isClosed = false
  #busyUntil = 0

  constructor(options: LoadGateOptions) {
    this.#options = options
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS).unref()
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Far from closed, but lately there was no time to lose. */
  get isBusy(): boolean {
    return performance.now() < this.#busyUntil
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#isClosed = false
    this.#busyUntil = 0
  }

  #look(): void {
    const now = performance.now()
    const late = now - this.#lastLook - LOOK_EVERY_MS
    this.#lastLook = now
    if (late > BUSY_AT_MS) this.#busyUntil = now + BUSY_FOR_MS
    this.#lateLooks = late > this.#options.closeAtMs ? this.#lateLooks + 1 : 0
    if (this.#lateLooks >= LATE_LOOKS) this.#isClosed = true
    else if (late < this.#options.openAtMs) this.#isClosed = false
  }
}
