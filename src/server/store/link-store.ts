// The contract of every store of a proxy's links: which task and context of ours is which of the agent's. Links survive
// the process; nothing here is ever part of an answer. A task that is deleted takes its link along.

import type { Scope } from '../../model/scope.ts'
import type { Soon } from './task-store.ts'

/** One task under both its names. */
export interface LinkedIds {
  readonly scope: Scope
  readonly taskId: string
  readonly contextId: string
  readonly downstreamTaskId: string
  readonly downstreamContextId: string | undefined
}

export interface LinkStore {
  saveTask(ids: LinkedIds): Soon<void>
  task(scope: Scope, taskId: string): Soon<LinkedIds | undefined>
  /** The last task of ours that was saved: an agent may use the name of an ended task again. */
  taskOfAgent(scope: Scope, theirs: string): Soon<LinkedIds | undefined>
  saveContext(scope: Scope, ours: string, theirs: string): Soon<void>
  /** Our first name for a context of the agent. */
  contextOfAgent(scope: Scope, theirs: string): Soon<string | undefined>
  agentContext(scope: Scope, ours: string): Soon<string | undefined>
  close(): Promise<void>
}
