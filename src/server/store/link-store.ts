// The contract of every store of a proxy's links: which task and context of ours is which of the agent's. Links survive
// the process; nothing here is ever part of an answer. A task that is deleted takes its link along.

import type { MaybePromise } from '../../base/maybe-promise.ts'
import type { Scope } from '../../model/scope.ts'

/** One task under both its names. */
export interface LinkedIds {
  readonly scope: Scope
  readonly taskId: string
  readonly contextId: string
  readonly downstreamTaskId: string
  readonly downstreamContextId: string | undefined
}

/** Where a proxy keeps which task of its own is which of an agent. */
export interface LinkStore {
  saveTask(ids: LinkedIds): MaybePromise<void>
  task(scope: Scope, taskId: string): MaybePromise<LinkedIds | undefined>
  /** The last task of ours that was saved: an agent may use the name of an ended task again. */
  taskOfAgent(scope: Scope, theirs: string): MaybePromise<LinkedIds | undefined>
  saveContext(scope: Scope, ours: string, theirs: string): MaybePromise<void>
  /** Our first name for a context of the agent. */
  contextOfAgent(scope: Scope, theirs: string): MaybePromise<string | undefined>
  agentContext(scope: Scope, ours: string): MaybePromise<string | undefined>
  close(): Promise<void>
}
