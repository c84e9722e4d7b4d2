// Whose turn it is to read the agent's stream of a task. One proxy alone always may; several on one store claim it, so
// that no event is told twice, and ask again before they write whenever another process may have taken it.

import type { FollowClaims } from '../server/store/link-store.ts'
import type { Seq } from '../server/store/task-store.ts'
import type { TaskLink } from './task-id-links.ts'

/** Asked before what a stream said is written; true while the stream is still ours to tell. */
export interface FollowGuard {
  holds(seq: Seq): boolean | Promise<boolean>
  /** What the task is at after our own write. */
  wrote(seq: Seq): void
}

/** Another proxy reads the stream now; what this one still hears of it is told there. */
export class TakenOver extends Error {}

export class FollowTurns {
  readonly #claims: FollowClaims | undefined

  constructor(claims: FollowClaims | undefined) {
    this.#claims = claims
  }

  get isShared(): boolean {
    return this.#claims !== undefined
  }

  /** Whether this proxy may follow it now. `isForced`: a caller spoke here, so it goes on here. */
  async take(link: TaskLink, isForced = false): Promise<boolean> {
    if (this.#claims === undefined) return true
    const isOurs = await this.#claims.claim(link.scope, link.taskId, isForced)
    link.isElsewhere = !isOurs
    return isOurs
  }

  /** Whether another proxy follows it. */
  async isElsewhere(link: TaskLink): Promise<boolean> {
    if (this.#claims === undefined) return false
    link.isElsewhere = await this.#claims.isTaken(link.scope, link.taskId)
    return link.isElsewhere
  }

  /** After a turn at the stream; false where another proxy has taken it meanwhile. */
  async isStillOurs(link: TaskLink): Promise<boolean> {
    if (this.#claims === undefined) return true
    const isOurs = await this.#claims.isOurs(link.scope, link.taskId)
    if (!isOurs) link.isElsewhere = true
    return isOurs
  }

  async leave(link: TaskLink): Promise<void> {
    await this.#claims?.release(link.scope, link.taskId)
  }

  /**
   * Undefined where no other process writes. A process that takes a stream over writes to the task before anything else, or waits until
   * this process counts as dead: so asking is needed only when the task is not where we left it, or our lease ran out.
   */
  guard(link: TaskLink): FollowGuard | undefined {
    const claims = this.#claims
    if (claims === undefined) return undefined
    let last: Seq | undefined
    let lapses = claims.lapses
    return {
      holds: async (seq) => {
        if (seq === last && lapses === claims.lapses) return true
        const before = claims.lapses
        const isOurs = await this.isStillOurs(link)
        lapses = before
        last = seq
        return isOurs
      },
      wrote: (seq) => {
        last = seq
      },
    }
  }
}
