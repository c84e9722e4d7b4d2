// In a store that several proxies share: what a dead one was following is taken up, and what this one could not finish
// because the store was away.

import type { WakeBus } from '../server/bus/wake-bus.ts'
import type { PushService } from '../server/push/push-service.ts'
import type { LinkStore } from '../server/store/link-store.ts'
import type { TaskStore } from '../server/store/task-store.ts'
import type { FollowTurns } from './follow-turns.ts'
import type { TaskIdLinks, TaskLink } from './task-id-links.ts'
import { isAtWork } from './task-refresher.ts'

export interface AbandonedDeps {
  /** Whose tasks. */
  readonly name: string
  readonly store: TaskStore
  readonly bus: WakeBus
  readonly kept: LinkStore | undefined
  readonly links: TaskIdLinks
  readonly turns: FollowTurns
  readonly push: PushService | undefined
  /** Between two looks. */
  readonly lookMs: number
  /** Reads the agent's stream of a task whose turn this proxy has. */
  subscribe(link: TaskLink): Promise<void>
  onTrouble(error: unknown): void
}

/** Taken up in one look. */
const MOST = 500
/** Asked of the agent at the same time. */
const LANES = 8

export class AbandonedFollows {
  readonly #deps: AbandonedDeps
  readonly #unsettled = new Set<TaskLink>()
  #timer: NodeJS.Timeout | undefined
  #isStopped = false

  constructor(deps: AbandonedDeps) {
    this.#deps = deps
  }

  start(): void {
    if (this.#deps.turns.isShared) this.#lookLater()
  }

  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
  }

  /** Looked at again, as if its follower had died. */
  add(link: TaskLink): void {
    this.#unsettled.add(link)
  }

  #lookLater(): void {
    if (this.#isStopped) return
    this.#timer = setTimeout(() => void this.#look().finally(() => this.#lookLater()), this.#deps.lookMs)
    this.#timer.unref()
  }

  async #look(): Promise<void> {
    const { kept, name, links, onTrouble } = this.#deps
    try {
      const found = new Set(this.#unsettled)
      for (const { scope, taskId } of (await kept?.follows?.abandoned(name, MOST)) ?? []) {
        const link = await links.of(scope, taskId)
        if (link !== undefined) found.add(link)
      }
      const waiting = found.values()
      const lane = async () => {
        for (const link of waiting) if (!this.#isStopped) await this.#takeUp(link).catch(onTrouble)
      }
      await Promise.all(Array.from({ length: Math.min(LANES, found.size) }, lane))
    } catch (error) {
      onTrouble(error)
    }
  }

  async #takeUp(link: TaskLink): Promise<void> {
    const { store, bus, turns, push } = this.#deps
    this.#unsettled.delete(link)
    if (link.follower !== undefined) return
    try {
      if (!(await turns.take(link))) return
      const record = await store.get(link.scope, link.taskId)
      if (record !== undefined && isAtWork(record)) {
        push?.follow(link.scope, link.taskId)
        await this.#deps.subscribe(link)
      }
      if (link.follower === undefined) await turns.leave(link)
    } catch (error) {
      // The agent or the store is away. The turn is kept, and the next look tries again.
      this.#unsettled.add(link)
      throw error
    }
    // Its readers here may have waited for a proxy that is no more.
    bus.wake(link.taskId)
  }
}
