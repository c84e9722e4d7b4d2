// Which task of ours is which task of the agent behind us, per caller. Ids of ours are made here and mean nothing
// downstream; ids of theirs never leave; and a caller finds only links of their own scope.

import { randomUUID } from 'node:crypto'
import { type Scope, scopeKey } from '../model/scope.ts'
import type { FileOutlet } from './file-outlet.ts'

export interface TaskLink {
  readonly scope: Scope
  readonly taskId: string
  readonly contextId: string
  readonly downstreamTaskId: string
  readonly downstreamContextId: string | undefined
  /** Where the bytes of this task go. */
  readonly files: FileOutlet
  /** Who reads the agent's stream of this task into our store, while somebody does: there is never more than one. */
  follower: AbortController | undefined
  /** Callers that read along. */
  readers: number
}

interface ContextPair {
  readonly ours: string
  readonly theirs: string
}

/** Beyond this the oldest links are forgotten: their tasks can still be read, but no longer continued. */
const MAX_LINKS = 100_000

export class TaskLinks {
  readonly #byTask = new Map<string, TaskLink>()
  readonly #byDownstream = new Map<string, TaskLink>()
  readonly #contextsOurs = new Map<string, ContextPair>()
  readonly #contextsTheirs = new Map<string, ContextPair>()

  add(link: TaskLink): void {
    remember(this.#byTask, keyOf(link.scope, link.taskId), link)
    remember(this.#byDownstream, keyOf(link.scope, link.downstreamTaskId), link)
    if (link.downstreamContextId !== undefined) this.pairContexts(link.scope, link.contextId, link.downstreamContextId)
  }

  of(scope: Scope, taskId: string): TaskLink | undefined {
    return this.#byTask.get(keyOf(scope, taskId))
  }

  ofDownstream(scope: Scope, downstreamTaskId: string): TaskLink | undefined {
    return this.#byDownstream.get(keyOf(scope, downstreamTaskId))
  }

  /** The agent's name for a context of this caller; undefined when it has not met it. */
  contextDownstream(scope: Scope, contextId: string): string | undefined {
    return this.#contextsOurs.get(keyOf(scope, contextId))?.theirs
  }

  /** Our name for a context of the agent: the known one, else the given one, else a new one. */
  contextOurs(scope: Scope, theirs: string | undefined, wanted: string | undefined): string {
    const known = theirs === undefined ? undefined : this.#contextsTheirs.get(keyOf(scope, theirs))?.ours
    const ours = wanted ?? known ?? randomUUID()
    if (theirs !== undefined) this.pairContexts(scope, ours, theirs)
    return ours
  }

  pairContexts(scope: Scope, ours: string, theirs: string): void {
    const pair = { ours, theirs }
    remember(this.#contextsOurs, keyOf(scope, ours), pair)
    if (!this.#contextsTheirs.has(keyOf(scope, theirs))) remember(this.#contextsTheirs, keyOf(scope, theirs), pair)
  }
}

function keyOf(scope: Scope, id: string): string {
  return `${scopeKey(scope)}\u0000${id}`
}

function remember<V>(map: Map<string, V>, key: string, value: V): void {
  map.set(key, value)
  if (map.size <= MAX_LINKS) return
  const [oldest] = map.keys()
  if (oldest !== undefined) map.delete(oldest)
}
