// Work in lanes: so many at once in one lane, so many altogether, the rest in order of arrival. A webhook that
// hangs fills its own lane and no other.

export interface LaneLimits {
  readonly total: number
  readonly perLane: number
}

interface Lane {
  busy: number
  /** By key, in order; a key that waits already is not added again. */
  readonly waiting: Map<string, () => Promise<void>>
}

export class Lanes {
  readonly #limits: LaneLimits
  readonly #lanes = new Map<string, Lane>()
  #busy = 0
  #waiting = 0
  #whenIdle: (() => void)[] = []

  constructor(limits: LaneLimits) {
    this.#limits = limits
  }

  get waiting(): number {
    return this.#waiting
  }

  get pending(): number {
    return this.#waiting + this.#busy
  }

  /** `work` must not reject. */
  add(name: string, key: string, work: () => Promise<void>): void {
    let lane = this.#lanes.get(name)
    if (lane === undefined) {
      lane = { busy: 0, waiting: new Map() }
      this.#lanes.set(name, lane)
    }
    if (!lane.waiting.has(key)) this.#waiting++
    lane.waiting.set(key, work)
    this.#fill(name, lane)
  }

  /** Resolves when nothing runs and nothing waits. */
  idle(): Promise<void> {
    return this.#busy + this.#waiting === 0
      ? Promise.resolve()
      : new Promise((resolve) => void this.#whenIdle.push(resolve))
  }

  #fill(name: string, lane: Lane): void {
    for (const [key, work] of lane.waiting) {
      if (lane.busy >= this.#limits.perLane || this.#busy >= this.#limits.total) return
      lane.waiting.delete(key)
      this.#waiting--
      this.#busy++
      lane.busy++
      void work().finally(() => {
        this.#busy--
        lane.busy--
        this.#advance(name, lane)
      })
    }
  }

  #advance(name: string, lane: Lane): void {
    this.#fill(name, lane)
    if (lane.busy === 0 && lane.waiting.size === 0) this.#lanes.delete(name)
    // What was refused for want of room altogether may be in any lane.
    for (const [other, waiting] of this.#lanes) {
      if (this.#waiting === 0 || this.#busy >= this.#limits.total) break
      if (waiting.waiting.size > 0) this.#fill(other, waiting)
    }
    if (this.#busy + this.#waiting > 0) return
    const resolvers = this.#whenIdle
    this.#whenIdle = []
    for (const resolve of resolvers) resolve()
  }
}
