// The faults armed in one session and how often each has fired. Faults without a rule are decided when a request
// arrives, so that a refused request has no effect; those of a rule once the rule is known.

import { isDeepStrictEqual } from 'node:util'
import type { Operation } from '../../model/operation.ts'
import type { Fault } from './fault-shape.ts'
import { NEVER_FIRED, nextOccasion, type ScheduleState } from './schedule.ts'

export class FaultBox {
  #armed: { fault: Fault; state: ScheduleState }[]

  constructor(faults: readonly Fault[]) {
    this.#armed = faults.map((fault) => ({ fault, state: NEVER_FIRED }))
  }

  /** Other faults from here on; one that was armed before goes on counting. */
  adopt(faults: readonly Fault[]): void {
    const before = [...this.#armed]
    this.#armed = faults.map((fault) => {
      const at = before.findIndex((entry) => isDeepStrictEqual(entry.fault, fault))
      return { fault, state: at < 0 ? NEVER_FIRED : (before.splice(at, 1)[0]?.state ?? NEVER_FIRED) }
    })
  }

  get isEmpty(): boolean {
    return this.#armed.length === 0
  }

  /** Whether deciding on arrival needs to know what is asked for, and so the body. */
  get needsOperation(): boolean {
    return this.#armed.some(({ fault }) => fault.at.rule === undefined)
  }

  arm(fault: Fault): void {
    this.#armed.push({ fault, state: NEVER_FIRED })
  }

  disarm(): void {
    this.#armed = []
  }

  list(): { fault: Fault; fired: number }[] {
    return this.#armed.map(({ fault, state }) => ({ fault, fired: state.fired }))
  }

  onArrival(operation: Operation | undefined): Fault | undefined {
    return this.#first(({ at, action }) => {
      if (at.rule !== undefined) return false
      if (at.operation !== undefined) return at.operation === operation
      return (action.name === 'lying-card') === (operation === 'getCard')
    })
  }

  onRule(rule: string, turn: number): Fault | undefined {
    return this.#first(({ at }) => at.rule === rule && (at.turn === undefined || at.turn === turn))
  }

  /** Every fault in place has its occasion; the first that fires wins. */
  #first(isInPlace: (fault: Fault) => boolean): Fault | undefined {
    let first: Fault | undefined
    for (const entry of this.#armed) {
      if (first !== undefined || !isInPlace(entry.fault)) continue
      const { fires, state } = nextOccasion(entry.fault.schedule, entry.state)
      entry.state = state
      if (fires) first = entry.fault
    }
    return first
  }
}
