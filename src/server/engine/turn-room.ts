// What the turns under way take, over all agents of a server: the message each began with, the task it continues, and
// how many of them are one caller's. Turns may last long and be many; a new one that does not fit is told to come back.
// Anonymous callers are one crowd, so only what holds for all bounds them.

import { CompactingMap } from '../../base/compacting.ts'
import { A2AError } from '../../model/errors.ts'
import { ANONYMOUS, type Scope } from '../../model/scope.ts'

const RETRY_AFTER_SECONDS = 1

export interface TurnLimits {
  readonly turnBytes: number
  /** Turns of one authenticated caller. */
  readonly turnsPerCaller: number
}

export class TurnRoom {
  readonly #limits: TurnLimits
  readonly #byCaller = new CompactingMap<string, number>()
  #bytes = 0

  constructor(limits: TurnLimits) {
    this.#limits = limits
  }

  /** Throws when there is no room. */
  take(scope: Scope, bytes: number): void {
    this.check(scope, bytes)
    this.#bytes += bytes
    if (scope.subject !== ANONYMOUS) this.#byCaller.set(callerOf(scope), this.#turnsOf(scope) + 1)
  }

  /** The same, for those who have something to do before they take it. */
  check(scope: Scope, bytes: number): void {
    const { turnBytes, turnsPerCaller } = this.#limits
    // One turn alone is bounded by what a task may be.
    if (this.#bytes > 0 && this.#bytes + bytes > turnBytes)
      throw full(
        `Running tasks hold ${count(this.#bytes)} of ${count(turnBytes)} bytes, which leaves no room for ${count(bytes)} more; try again shortly.`,
      )
    if (scope.subject !== ANONYMOUS && this.#turnsOf(scope) >= turnsPerCaller)
      throw full(`You have ${count(turnsPerCaller)} running tasks, which is the limit; wait for one to end.`)
  }

  giveBack(scope: Scope, bytes: number): void {
    this.#bytes -= bytes
    if (scope.subject === ANONYMOUS) return
    const left = this.#turnsOf(scope) - 1
    if (left > 0) this.#byCaller.set(callerOf(scope), left)
    else this.#byCaller.delete(callerOf(scope))
  }

  #turnsOf(scope: Scope): number {
    return this.#byCaller.get(callerOf(scope)) ?? 0
  }
}

/** Whatever agent it talks to. */
function callerOf({ tenant, subject }: Scope): string {
  return `${tenant}\u0000${subject}`
}

function full(message: string): A2AError {
  return new A2AError('ResourceExhausted', message, { retryAfterSeconds: RETRY_AFTER_SECONDS })
}

function count(value: number): string {
  return value.toLocaleString('en-US')
}
