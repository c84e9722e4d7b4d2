// Which task of ours is which task of the agent behind us, per caller. Ids of ours are made here and mean nothing
// downstream; ids of theirs never leave; and a caller finds only links of their own scope.

import { setBounded } from '../base/bounded.ts'
import { type MaybePromise, mapMaybePromise } from '../base/maybe-promise.ts'
import { timedId } from '../base/random-id.ts'
import { type Scope, scopeKey } from '../model/scope.ts'
import type { LinkedIds, LinkStore } from '../server/store/link-store.ts'
import type { ArtifactExtractor } from './artifact-extractor.ts'

/** The reading of one stream. */
export interface Following {
  readonly isStopped: boolean
  stop(): void
}

export interface TaskLink extends LinkedIds {
  /** Where the bytes of this task go. */
  readonly files: ArtifactExtractor
  /** Who reads the agent's stream of this task into our store, while a process does: there is never more than one. */
  follower: Following | undefined
  /** Another proxy on the same store was the one who read it when we last asked. */
  isElsewhere: boolean
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
  readonly kept: LinkStore | undefined
  outletFor(scope: Scope, contextId: string, taskId: string): ArtifactExtractor
}

/** Beyond this the oldest links are forgotten: unless they are kept, their tasks can be read but no longer continued. */
const MAX_LINKS = 100_000

export class TaskIdLinks {
  readonly #deps: LinkDeps
  /** Other proxies write to the store, too: what an agent's name means is asked there, every time. */
  readonly #isShared: boolean
  readonly #byTask = new Map<string, TaskLink>()
  readonly #byDownstream = new Map<string, TaskLink>()
  readonly #contextsOurs = new Map<string, ContextPair>()
  readonly #contextsTheirs = new Map<string, ContextPair>()

  constructor(deps: LinkDeps) {
    this.#deps = deps
    this.#isShared = deps.kept?.follows !== undefined
  }

  /** A link that holds nothing yet; `add` makes it known. */
  fresh(ids: LinkedIds): TaskLink {
    return idle(ids, this.#deps.outletFor(ids.scope, ids.contextId, ids.taskId))
  }

  add(link: TaskLink): MaybePromise<void> {
    return mapMaybePromise(this.#deps.kept?.saveTask(link), () => {
      this.#remember(link)
      if (link.downstreamContextId !== undefined)
        return this.#pair(link.scope, link.contextId, link.downstreamContextId)
    })
  }

  of(scope: Scope, taskId: string): MaybePromise<TaskLink | undefined> {
    const known = this.#byTask.get(keyOf(scope, taskId))
    return known ?? mapMaybePromise(this.#deps.kept?.task(scope, taskId), (ids) => this.#recalled(ids))
  }

  ofDownstream(scope: Scope, downstreamTaskId: string): MaybePromise<TaskLink | undefined> {
    const known = this.#isShared ? undefined : this.#byDownstream.get(keyOf(scope, downstreamTaskId))
    if (known !== undefined) return known
    return mapMaybePromise(this.#deps.kept?.taskOfAgent(scope, downstreamTaskId), (ids) => this.#recalled(ids))
  }

  /** The agent's name for a context of this caller; undefined when it has not met it. */
  contextDownstream(scope: Scope, contextId: string): MaybePromise<string | undefined> {
    const known = this.#isShared ? undefined : this.#contextsOurs.get(keyOf(scope, contextId))?.theirs
    return known ?? this.#deps.kept?.agentContext(scope, contextId)
  }

  /** Our name for a context of the agent: the given one, else the known one, else a new one. */
  contextOurs(scope: Scope, theirs: string | undefined, wanted: string | undefined): MaybePromise<string> {
    if (!theirs) return wanted ?? timedId()
    const known = wanted ?? this.#knownContext(scope, theirs)
    return mapMaybePromise(known, (ours = timedId()) => mapMaybePromise(this.#pair(scope, ours, theirs), () => ours))
  }

  #knownContext(scope: Scope, theirs: string): MaybePromise<string | undefined> {
    const known = this.#contextsTheirs.get(keyOf(scope, theirs))?.ours
    return known ?? this.#deps.kept?.contextOfAgent(scope, theirs)
  }

  #pair(scope: Scope, ours: string, theirs: string): MaybePromise<void> {
    if (this.#contextsOurs.get(keyOf(scope, ours))?.theirs === theirs) return
    return mapMaybePromise(this.#deps.kept?.saveContext(scope, ours, theirs), () => {
      const pair = { ours, theirs }
      setBounded(this.#contextsOurs, keyOf(scope, ours), pair, MAX_LINKS)
      if (!this.#contextsTheirs.has(keyOf(scope, theirs)))
        setBounded(this.#contextsTheirs, keyOf(scope, theirs), pair, MAX_LINKS)
    })
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
  return { ...ids, files, follower: undefined, isElsewhere: false, readers: 0, bytes: 0 }
}

function keyOf(scope: Scope, id: string): string {
  return `${scopeKey(scope)}\u0000${id}`
}
