// What the agent is asked without a message of a caller: how a task is, and to tell what happens to it. Asked only while
// nobody reads its stream; whoever reads it knows.

import type { Call } from '../bindings/service.ts'
import { A2AError } from '../model/errors.ts'
import { isInterrupted, isTerminal } from '../model/state-machine.ts'
import type { TaskRecord } from '../server/store/task-store.ts'
import type { Manner } from './downstream.ts'
import { inOurIds } from './in-our-ids.ts'
import type { ProxyParts } from './proxy-parts.ts'
import type { TaskFollower } from './task-follower.ts'
import type { TaskLink, TaskLinks } from './task-links.ts'
import type { TaskMirror, Turn } from './task-mirror.ts'

type Parts = Pick<ProxyParts, 'name' | 'downstream' | 'store' | 'manner' | 'card' | 'onTrouble'>

/** Tasks taken up again at a start; more would ask too much of an agent at once. */
const MAX_RESUMED = 1_000

export class TaskWatch {
  readonly #parts: Parts
  readonly #links: TaskLinks
  readonly #mirror: TaskMirror
  readonly #follower: TaskFollower

  constructor(parts: Parts, links: TaskLinks, mirror: TaskMirror, follower: TaskFollower) {
    this.#parts = parts
    this.#links = links
    this.#mirror = mirror
    this.#follower = follower
  }

  /** Reads the agent's stream of a task, unless somebody already does. */
  async follow(link: TaskLink, manner: Manner): Promise<void> {
    if (link.follower !== undefined) return
    const request = { id: link.downstreamTaskId }
    const turn = quietTurn(link)
    try {
      const { first, rest } = await inOurIds(link, () => this.#parts.downstream.open('subscribeTask', request, manner))
      if (first === undefined) return
      await this.#mirror.event(turn, first.event, link)
      this.#follower.follow(link, turn, rest)
    } catch (error) {
      // It ended while nobody watched (1.0 §3.1.6).
      if (!(error instanceof A2AError) || error.kind !== 'UnsupportedOperation') throw error
      const known = await this.#parts.store.get(link.scope, link.taskId)
      const now = known && (await this.refreshed(link, known, manner))
      if (now === undefined || !isTerminal(now.task.status.state)) throw error
    }
  }

  /** The task as the agent has it now, when we cannot know it from its stream. */
  async refreshed(link: TaskLink | undefined, record: TaskRecord, manner: Manner): Promise<TaskRecord> {
    if (link === undefined || link.follower !== undefined || isTerminal(record.task.status.state)) return record
    try {
      const request = { id: link.downstreamTaskId }
      const told = await inOurIds(link, () => this.#parts.downstream.call('getTask', request, manner))
      return (await this.#mirror.task(quietTurn(link), told, link)).record
    } catch (error) {
      if (!(error instanceof A2AError) || error.kind !== 'TaskNotFound') throw error
      return this.#mirror.fail(link, 'The agent no longer knows this task.', error)
    }
  }

  /** Takes up what the agent was at work on when the proxy stopped: webhooks are told what we see, so we have to look. */
  async resume(): Promise<void> {
    const { store, name, card, manner, onTrouble } = this.#parts
    for (const { scope, record } of await store.unfinished(MAX_RESUMED)) {
      const link = scope.agent === name ? this.#links.of(scope, record.task.id) : undefined
      if (link === undefined) continue
      const isFollowed = card().capabilities.streaming === true
      const asked = isFollowed ? this.follow(link, manner) : this.refreshed(link, record, manner)
      await asked.catch(onTrouble)
    }
  }

  /** The last reader left while the agent is still at work. */
  async cancelAbandoned(link: TaskLink): Promise<void> {
    const { store, downstream, manner } = this.#parts
    const record = await store.get(link.scope, link.taskId)
    if (record === undefined || isTerminal(record.task.status.state)) return
    const told = await downstream.call('cancelTask', { id: link.downstreamTaskId }, manner)
    await this.#mirror.task(quietTurn(link), told, link)
  }
}

/** Whether the agent may do something to the task without being asked. */
export function isAtWork({ task }: TaskRecord): boolean {
  const { state } = task.status
  return !isTerminal(state) && !isInterrupted(state)
}

export function mannerOf(call: Call): Manner {
  return { dialect: call.dialect.id, extensions: call.extensions }
}

/** Something happened to the task, but nobody said anything. */
export function quietTurn(link: TaskLink): Turn {
  return { scope: link.scope, contextId: link.contextId }
}
