// The contract of every store of a proxy's links: which task and context of ours is which of the agent's. Links survive
// the process; nothing here is ever part of an answer. A task that is deleted takes its link along.

import type { MaybePromise } from '../../base/maybe-promise.ts'
import type { Scope } from '../../model/scope.ts'

/** One task under both its names. */
export interface LinkedIds {
  /** Whose task it is. */
  readonly scope: Scope
  /** Our id of the task. */
  readonly taskId: string
  /** Our id of its conversation. */
  readonly contextId: string
  /** The agent's id of the task. */
  readonly downstreamTaskId: string
  /** The agent's id of its conversation; undefined until the agent named it. */
  readonly downstreamContextId: string | undefined
}

/** Where a proxy keeps which task of its own is which of an agent. */
export interface LinkStore {
  /** Remembers that a task of ours is a task of the agent. */
  saveTask(ids: LinkedIds): MaybePromise<void>
  /** What our task is called there; undefined when unknown. */
  task(scope: Scope, taskId: string): MaybePromise<LinkedIds | undefined>
  /** The last task of ours that was saved: an agent may use the name of an ended task again. */
  taskOfAgent(scope: Scope, theirs: string): MaybePromise<LinkedIds | undefined>
  /** Remembers that a conversation of ours is one of the agent. */
  saveContext(scope: Scope, ours: string, theirs: string): MaybePromise<void>
  /** Our first name for a context of the agent. */
  contextOfAgent(scope: Scope, theirs: string): MaybePromise<string | undefined>
  /** What our conversation is called there; undefined when unknown. */
  agentContext(scope: Scope, ours: string): MaybePromise<string | undefined>
  /** Only in stores that several processes share. */
  readonly follows?: FollowClaims
  /** Lets go of what it opened. */
  close(): Promise<void>
}

/**
 * Which process reads the agent's stream of a task into the store: one at a time, because two would tell its events
 * twice. A process that dies leaves its claims to the others; so does one that closes the store.
 */
export interface FollowClaims {
  /** Whether this process has it now: it was free, or its holder is dead. `isForced` takes it from the living, too. */
  claim(scope: Scope, taskId: string, isForced?: boolean): Promise<boolean>
  /** Whether this process still has it; renews the lease first, so that it is not taken afterwards. */
  isOurs(scope: Scope, taskId: string): Promise<boolean>
  /** Whether another process has it, and lives. */
  isTaken(scope: Scope, taskId: string): Promise<boolean>
  /** Gives it up; releasing what another process has changes nothing. */
  release(scope: Scope, taskId: string): Promise<void>
  /** Claims of the dead on tasks of this agent. */
  abandoned(agent: string, limit: number): Promise<readonly { scope: Scope; taskId: string }[]>
  /** Counts how often others could take this process for dead: what it had claimed before may be theirs now. */
  readonly lapses: number
}
