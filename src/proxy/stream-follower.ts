// Reads an agent's stream of one task into the mirror until it ends, and sees to it that it has an end: a cut, silence
// or an early goodbye leaves a failed task with a reason, not one that works for ever.

import { asUpstreamError, happened } from '../client/upstream-error.ts'
import { A2AError, ParleyError } from '../model/errors.ts'
import { isInterrupted, isSettled, isTerminal } from '../model/state-machine.ts'
import type { Task } from '../model/task.ts'
import type { WakeBus } from '../server/bus/wake-bus.ts'
import { statusIn, type TaskStore } from '../server/store/task-store.ts'
import type { OpenStream } from './downstream.ts'
import { type FollowGuard, type FollowTurns, TakenOver } from './follow-turns.ts'
import type { MirrorWriter, Turn } from './mirror-writer.ts'
import type { Following, TaskLink } from './task-id-links.ts'

export interface FollowerDeps {
  readonly mirror: MirrorWriter
  readonly store: TaskStore
  readonly bus: WakeBus
  readonly turns: FollowTurns
  /** Ask the agent once what became of a task whose stream broke, before giving it up. */
  readonly asksAfterCut: boolean
  getTask(link: TaskLink): Promise<Task>
  cancelTask(link: TaskLink): Promise<unknown>
  /** For the operator: what broke a stream off. */
  onTrouble(error: unknown): void
  /** The store was away when the stream ended: the task has to be read again. */
  onUnsettled(link: TaskLink): void
}

/** What is left of it, once its first event is known. */
type Stream = Pick<OpenStream, 'more' | 'rest'>

export class StreamFollower {
  readonly #deps: FollowerDeps
  readonly #following = new Set<Following>()
  #isClosed = false

  constructor(deps: FollowerDeps) {
    this.#deps = deps
  }

  /** Returns at once; whoever followed the task before stops. */
  follow(link: TaskLink, turn: Turn, stream: Stream): void {
    const own = new OpenFollowing(stream)
    link.follower?.stop()
    link.follower = own
    this.#following.add(own)
    void this.#read(link, turn, stream, own).then((isSettled) => this.#left(link, own, isSettled))
  }

  /** What is being followed is left as it is: with the lease of this process, others may take it up. */
  close(): void {
    this.#isClosed = true
    for (const following of this.#following) following.stop()
  }

  async #left(link: TaskLink, own: Following, isSettled: boolean): Promise<void> {
    const { bus, turns, onUnsettled } = this.#deps
    this.#following.delete(own)
    const isLast = link.follower === own
    if (isLast) link.follower = undefined
    if (isLast && turns.isShared && !this.#isClosed) {
      const isLeft = isSettled && (await turns.leave(link).then(isTrue, isFalse))
      if (!isLeft) onUnsettled(link)
    }
    bus.wake(link.taskId)
  }

  /** True when nothing is left to do about the task. */
  async #read(link: TaskLink, turn: Turn, { more, rest }: Stream, own: Following): Promise<boolean> {
    const guard = this.#deps.turns.guard(link)
    let failure: unknown
    let isWriting = true
    try {
      await this.#deps.mirror.events(turn, more, link, guard)
      isWriting = false
      for await (const items of rest) {
        if (own.isStopped) return true
        isWriting = true
        await this.#deps.mirror.events(turn, items, link, guard)
        isWriting = false
      }
    } catch (error) {
      const isTaken = error instanceof TakenOver
      // A shared store that is away comes back: the agent is asked again then, and its task has not failed.
      const isStoreAway = isWriting && guard !== undefined && error instanceof A2AError && error.kind === 'Unavailable'
      if (isTaken || isStoreAway) {
        void rest.return().catch(() => {})
        return isTaken
      }
      // An early goodbye is no failure yet: the agent may be asked.
      if (!(error instanceof ParleyError && error.code === 'stream-ended-early')) failure = error
    }
    if (own.isStopped) return true
    if (failure !== undefined) this.#deps.onTrouble(failure)
    return this.#settle(link, turn, failure, guard).then(isTrue, isFalse)
  }

  async #settle(link: TaskLink, turn: Turn, failure: unknown, guard: FollowGuard | undefined): Promise<void> {
    const { mirror, store, turns } = this.#deps
    if (guard !== undefined && !(await turns.isStillOurs(link))) return
    const record = await store.get(link.scope, link.taskId)
    const state = record && statusIn(record).state
    if (state === undefined || isTerminal(state)) return
    if (isInterrupted(state)) {
      await mirror.settle(link)
      return
    }
    if (this.#deps.asksAfterCut && (await this.#hasEnded(link, turn))) return
    await mirror.fail(link, reasonOf(failure), asUpstreamError(failure, 'The agent'))
    // What it still does will not be read.
    await this.#deps.cancelTask(link)
  }

  async #hasEnded(link: TaskLink, turn: Turn): Promise<boolean> {
    try {
      const { record } = await this.#deps.mirror.task(turn, await this.#deps.getTask(link), link)
      const { state } = record.task.status
      return isSettled(state)
    } catch {
      return false
    }
  }
}

class OpenFollowing implements Following {
  isStopped = false
  readonly #stream: Stream

  constructor(stream: Stream) {
    this.#stream = stream
  }

  stop(): void {
    if (this.isStopped) return
    this.isStopped = true
    void this.#stream.rest.return().catch(() => {})
  }
}

const isTrue = (): boolean => true
const isFalse = (): boolean => false

function reasonOf(failure: unknown): string {
  if (failure === undefined) return 'The agent ended its stream before the task had ended.'
  const cut = happened(failure)
  if (cut !== undefined) return `The agent's stream broke off: ${cut}.`
  const error = asUpstreamError(failure, 'The agent')
  return error instanceof A2AError
    ? `The agent's stream ended with an error: ${error.message}`
    : "The agent's stream broke off."
}
