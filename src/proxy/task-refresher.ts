// What the agent is asked without a message of a caller: how a task is, and to tell what happens to it. Asked only while
// its stream is not read, here or in another proxy on the same store; a process that reads it knows.

import type { Call } from '../bindings/service.ts'
import { A2AError } from '../model/errors.ts'
import { isSettled, isTerminal } from '../model/state-machine.ts'
import type { TaskRecord } from '../server/store/task-store.ts'
import type { ForwardOptions } from './downstream.ts'
import type { FollowTurns } from './follow-turns.ts'
import type { MirrorWriter, Turn } from './mirror-writer.ts'
import type { ProxyDeps } from './proxy-deps.ts'
import { withRewrittenErrorIds } from './rewritten-error-ids.ts'
import type { StreamFollower } from './stream-follower.ts'
import type { TaskIdLinks, TaskLink } from './task-id-links.ts'

type Deps = Pick<ProxyDeps, 'name' | 'downstream' | 'store' | 'forwardOptions' | 'card' | 'onTrouble'>

/** Tasks taken up again at a start; more would ask too much of an agent at once. */
const MAX_RESUMED = 1_000

interface Parts {
  readonly links: TaskIdLinks
  readonly mirror: MirrorWriter
  readonly follower: StreamFollower
  readonly turns: FollowTurns
}

export class TaskRefresher {
  readonly #deps: Deps
  readonly #links: TaskIdLinks
  readonly #mirror: MirrorWriter
  readonly #follower: StreamFollower
  readonly #turns: FollowTurns

  constructor(deps: Deps, parts: Parts) {
    this.#deps = deps
    this.#links = parts.links
    this.#mirror = parts.mirror
    this.#follower = parts.follower
    this.#turns = parts.turns
  }

  /** Reads the agent's stream of a task, unless a process already does. */
  async follow(link: TaskLink, forwardOptions: ForwardOptions): Promise<void> {
    if (link.follower !== undefined || !(await this.#turns.take(link))) return
    try {
      await this.subscribe(link, forwardOptions)
    } finally {
      if (link.follower === undefined) await this.#turns.leave(link)
    }
  }

  /** Of whoever has the turn. */
  async subscribe(link: TaskLink, forwardOptions: ForwardOptions): Promise<void> {
    const request = { id: link.downstreamTaskId }
    const turn = quietTurn(link)
    try {
      const { first, ...stream } = await withRewrittenErrorIds(link, () =>
        this.#deps.downstream.open('subscribeTask', request, forwardOptions),
      )
      if (first === undefined) return
      await this.#mirror.event(turn, first.event, link)
      this.#follower.follow(link, turn, stream)
    } catch (error) {
      // It ended while it was not followed (1.0 §3.1.6).
      if (!(error instanceof A2AError) || error.kind !== 'UnsupportedOperation') throw error
      const known = await this.#deps.store.get(link.scope, link.taskId)
      const now = known && (await this.refreshed(link, known, forwardOptions))
      if (now === undefined || !isTerminal(now.task.status.state)) throw error
    }
  }

  /** The task as the agent has it now, when we cannot know it from its stream. */
  async refreshed(link: TaskLink | undefined, record: TaskRecord, forwardOptions: ForwardOptions): Promise<TaskRecord> {
    if (link === undefined || isTerminal(record.task.status.state) || (await this.#isFollowed(link))) return record
    try {
      const request = { id: link.downstreamTaskId }
      const told = await withRewrittenErrorIds(link, () =>
        this.#deps.downstream.call('getTask', request, forwardOptions),
      )
      // Whoever began to follow it meanwhile knows more than this answer.
      if (await this.#isFollowed(link)) return (await this.#deps.store.get(link.scope, link.taskId)) ?? record
      return (await this.#mirror.task(quietTurn(link), told, link)).record
    } catch (error) {
      if (!(error instanceof A2AError) || error.kind !== 'TaskNotFound') throw error
      return this.#mirror.fail(link, 'The agent no longer knows this task.', error)
    }
  }

  async #isFollowed(link: TaskLink): Promise<boolean> {
    return link.follower !== undefined || (await this.#turns.isElsewhere(link))
  }

  /** For a reader of a task that another proxy follows, when nothing more came: does it still? */
  async lookElsewhere(link: TaskLink): Promise<void> {
    if (link.follower !== undefined || !link.isElsewhere || (await this.#turns.isElsewhere(link))) return
    const record = await this.#deps.store.get(link.scope, link.taskId)
    if (record === undefined || !isAtWork(record)) return
    await this.follow(link, this.#deps.forwardOptions).catch(this.#deps.onTrouble)
  }

  /** Takes up what the agent was at work on when the proxy stopped: webhooks are told what we see, so we have to look. */
  async resume(): Promise<void> {
    const { store, name, card, forwardOptions, onTrouble } = this.#deps
    for (const { scope, record } of await store.unfinished(MAX_RESUMED)) {
      const link = scope.agent === name ? await this.#links.of(scope, record.task.id) : undefined
      if (link === undefined) continue
      const isFollowed = card().capabilities.streaming === true
      const asked = isFollowed ? this.follow(link, forwardOptions) : this.refreshed(link, record, forwardOptions)
      await asked.catch(onTrouble)
    }
  }

  /** The last reader left while the agent is still at work. */
  async cancelAbandoned(link: TaskLink): Promise<void> {
    const { store, downstream, forwardOptions } = this.#deps
    const record = await store.get(link.scope, link.taskId)
    if (record === undefined || isTerminal(record.task.status.state)) return
    const told = await downstream.call('cancelTask', { id: link.downstreamTaskId }, forwardOptions)
    await this.#mirror.task(quietTurn(link), told, link)
  }
}

/** Whether the agent may do something to the task without being asked. */
export function isAtWork({ task }: TaskRecord): boolean {
  const { state } = task.status
  return !isSettled(state)
}

export function forwardOptionsOf(call: Call): ForwardOptions {
  return { dialect: call.dialect.id, extensions: call.extensions, trace: call.trace }
}

/** Something happened to the task, but there is no new message. */
export function quietTurn(link: TaskLink): Turn {
  return { scope: link.scope, contextId: link.contextId }
}
