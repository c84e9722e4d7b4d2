// Links in this process, as many as there are tasks: a task that is forgotten takes its link along.

import { setBounded } from '../../../base/bounded.ts'
import { type Scope, scopeKey } from '../../../model/scope.ts'
import type { LinkedIds, LinkStore } from '../../store/link-store.ts'
import type { TaskStore } from '../../store/task-store.ts'

export function openMemoryLinks(tasks: TaskStore): LinkStore {
  const links = new MemoryLinks()
  tasks.onForgotten?.((scope, id) => links.forget(scope, id))
  return links
}

/** Contexts have no end of their own: beyond this the oldest are forgotten. */
const MAX_CONTEXTS = 100_000

class MemoryLinks implements LinkStore {
  readonly #tasks = new Map<string, LinkedIds>()
  readonly #tasksOfAgent = new Map<string, LinkedIds>()
  readonly #contexts = new Map<string, string>()
  readonly #contextsOfAgent = new Map<string, string>()

  saveTask(ids: LinkedIds): void {
    this.#tasks.set(keyOf(ids.scope, ids.taskId), ids)
    this.#tasksOfAgent.set(keyOf(ids.scope, ids.downstreamTaskId), ids)
  }

  task(scope: Scope, taskId: string): LinkedIds | undefined {
    return this.#tasks.get(keyOf(scope, taskId))
  }

  taskOfAgent(scope: Scope, theirs: string): LinkedIds | undefined {
    return this.#tasksOfAgent.get(keyOf(scope, theirs))
  }

  saveContext(scope: Scope, ours: string, theirs: string): void {
    setBounded(this.#contexts, keyOf(scope, ours), theirs, MAX_CONTEXTS)
    const key = keyOf(scope, theirs)
    if (!this.#contextsOfAgent.has(key)) setBounded(this.#contextsOfAgent, key, ours, MAX_CONTEXTS)
  }

  contextOfAgent(scope: Scope, theirs: string): string | undefined {
    return this.#contextsOfAgent.get(keyOf(scope, theirs))
  }

  agentContext(scope: Scope, ours: string): string | undefined {
    return this.#contexts.get(keyOf(scope, ours))
  }

  forget(scope: Scope, taskId: string): void {
    const ids = this.#tasks.get(keyOf(scope, taskId))
    if (ids === undefined) return
    this.#tasks.delete(keyOf(scope, taskId))
    const theirs = keyOf(scope, ids.downstreamTaskId)
    if (this.#tasksOfAgent.get(theirs) === ids) this.#tasksOfAgent.delete(theirs)
  }

  async close(): Promise<void> {
    for (const map of [this.#tasks, this.#tasksOfAgent, this.#contexts, this.#contextsOfAgent]) map.clear()
  }
}

function keyOf(scope: Scope, id: string): string {
  return `${scopeKey(scope)}\u0000${id}`
}
