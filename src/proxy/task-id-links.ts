// Which task of ours is which task of the agent behind us, per caller. Ids of ours are made here and mean nothing
// downstream; ids of theirs never leave; and a caller finds only links of their own scope.

import { randomUUID } from 'node:crypto'
import { setBounded } from '../base/bounded.ts'
import { type Scope, scopeKey } from '../model/scope.ts'
import type { SqliteLinks } from '../server/backend/sqlite/links.ts'
import type { LinkedIds } from '../server/store/link-store.ts'
import type { ArtifactExtractor } from './artifact-extractor.ts'

export interface TaskLink extends LinkedIds {
  /** Where the bytes of this task go. */
  readonly files: ArtifactExtractor
  /** Who reads the agent's stream of this task into our store, while somebody does: there is never more than one. */
  follower: AbortController | undefined
  /** Callers that read along. */
  readers: number
  /** About what the agent has told of it so far, in this process. */
  bytes: number
}

interface ContextPair {
  readonly ours: string
  readonly theirs: string
}

export interface LinkDeps {
  /** Where links survive us; without it the oldest are forgotten for good. */
  readonly kept: SqliteLinks | undefined
  outletFor(scope: Scope, contextId: string, taskId: string): ArtifactExtractor
}

/** Beyond this the oldest links are forgotten: unless they are kept, their tasks can be read but no longer continued. */
const MAX_LINKS = 100_000

export class TaskIdLinks {
  readonly #deps: LinkDeps
  readonly #byTask = new Map<string, TaskLink>()
  readonly #byDownstream = new Map<string, TaskLink>()
  readonly #contextsOurs = new Map<string, ContextPair>()
  readonly #contextsTheirs = new Map<string, ContextPair>()

  constructor(deps: LinkDeps) {
    this.#deps = deps
  }

  /** A link that holds nothing yet; `add` makes it known. */
  fresh(ids: LinkedIds): TaskLink {
    return idle(ids, this.#deps.outletFor(ids.scope, ids.contextId, ids.taskId))
  }

  add(link: TaskLink): void {
    this.#deps.kept?.saveTask(link)
    this.#remember(link)
    if (link.downstreamContextId !== undefined) this.#pair(link.scope, link.contextId, link.downstreamContextId)
  }

  of(scope: Scope, taskId: string): TaskLink | undefined {
    return this.#byTask.get(keyOf(scope, taskId)) ?? this.#recalled(this.#deps.kept?.task(scope, taskId))
  }

  ofDownstream(scope: Scope, downstreamTaskId: string): TaskLink | undefined {
    const known = this.#byDownstream.get(keyOf(scope, downstreamTaskId))
    return known ?? this.#recalled(this.#deps.kept?.taskOfAgent(scope, downstreamTaskId))
  }

  /** The agent's name for a context of this caller; undefined when it has not met it. */
  contextDownstream(scope: Scope, contextId: string): string | undefined {
    const known = this.#contextsOurs.get(keyOf(scope, contextId))?.theirs
    return known ?? this.#deps.kept?.agentContext(scope, contextId)
  }

  /** Our name for a context of the agent: the given one, else the known one, else a new one. */
  contextOurs(scope: Scope, theirs: string | undefined, wanted: string | undefined): string {
    const ours = wanted ?? (theirs && this.#knownContext(scope, theirs)) ?? randomUUID()
    if (theirs !== undefined) this.#pair(scope, ours, theirs)
    return ours
  }

  #knownContext(scope: Scope, theirs: string): string | undefined {
    const known = this.#contextsTheirs.get(keyOf(scope, theirs))?.ours
    return known ?? this.#deps.kept?.contextOfAgent(scope, theirs)
  }

  #pair(scope: Scope, ours: string, theirs: string): void {
    const pair = { ours, theirs }
    if (this.#contextsOurs.get(keyOf(scope, ours))?.theirs === theirs) return
    this.#deps.kept?.saveContext(scope, ours, theirs)
    setBounded(this.#contextsOurs, keyOf(scope, ours), pair, MAX_LINKS)
    if (!this.#contextsTheirs.has(keyOf(scope, theirs)))
      setBounded(this.#contextsTheirs, keyOf(scope, theirs), pair, MAX_LINKS)
  }

  /** One object per task, however often it is looked up: it says who follows the task. */
  #recalled(ids: LinkedIds | undefined): TaskLink | undefined {
    if (ids === undefined) return undefined
    const { scope, taskId, contextId } = ids
    const known = this.#byTask.get(keyOf(scope, taskId))
    if (known !== undefined) return known
    const link = idle(ids, this.#deps.outletFor(scope, contextId, taskId))
    this.#remember(link)
    return link
  }

  #remember(link: TaskLink): void {
    setBounded(this.#byTask, keyOf(link.scope, link.taskId), link, MAX_LINKS)
    setBounded(this.#byDownstream, keyOf(link.scope, link.downstreamTaskId), link, MAX_LINKS)
  }
}

function idle(ids: LinkedIds, files: ArtifactExtractor): TaskLink {
  return { ...ids, files, follower: undefined, readers: 0, bytes: 0 }
}

function keyOf(scope: Scope, id: string): string {
  return `${scopeKey(scope)}\u0000${id}`
}
