// The indexes ListTasks reads: a task index knows its tasks by recency, all of them and per state; that of a scope
// also has one per context, so that every combination of filters is answered from one exact index. A new task is put into
// them when it has ended or is read: most begin and end before, and find their places once instead of three times.

import { TextIndex } from '../../../base/text-index.ts'
import type { Scope } from '../../../model/scope.ts'
import type { TaskState } from '../../../model/task.ts'
import type { Position } from '../../store/page-token.ts'
import { RecencyIndex } from './recency-index.ts'

export interface IndexedTask extends Position {
  readonly id: string
  state: TaskState
  statusMs: number
  readonly contextId: string | undefined
  isIndexed: boolean
}

/** With so many new entries, those that are not in the indexes yet are put there. */
const MOST_NEW = 256

class TaskIndex<E extends IndexedTask> {
  readonly #all = new RecencyIndex<E>()
  readonly #byState = new Map<TaskState, RecencyIndex<E>>()

  get size(): number {
    return this.#all.size
  }

  /** `isPlaced` when the entry has kept its place among all, because only its state changes. */
  add(entry: E, isPlaced = false): void {
    if (!isPlaced) this.#all.insert(entry)
    let index = this.#byState.get(entry.state)
    if (index === undefined) {
      index = new RecencyIndex()
      this.#byState.set(entry.state, index)
    }
    index.insert(entry)
  }

  remove(entry: E, isPlaced = false): void {
    if (!isPlaced) this.#all.remove(entry)
    this.#byState.get(entry.state)?.remove(entry)
  }

  index(state: TaskState | undefined): RecencyIndex<E> | undefined {
    return state === undefined ? this.#all : this.#byState.get(state)
  }
}

class ContextIndex<E extends IndexedTask> extends TaskIndex<E> {
  readonly contextId: string

  constructor(contextId: string) {
    super()
    this.contextId = contextId
  }
}

export class ScopeIndex<E extends IndexedTask> extends TaskIndex<E> {
  readonly scope: Scope
  readonly byId = new TextIndex<E>(({ id }) => id)
  /** How many tasks this scope ever tried to create; the next task's order. */
  created = 0
  #new: E[] = []
  /** Most contexts hold one task; only the second one is worth a index. */
  readonly #contexts = new TextIndex<E | ContextIndex<E>>(({ contextId = '' }) => contextId)

  constructor(scope: Scope) {
    super()
    this.scope = scope
  }

  override add(entry: E): void {
    this.#new.push(entry)
    if (this.#new.length >= MOST_NEW) this.#insertNew()
  }

  /** Gives an entry its places: it is not expected to change them soon. */
  insert(entry: E): void {
    if (entry.isIndexed) return
    entry.isIndexed = true
    super.add(entry)
    if (entry.contextId === undefined) return
    const known = this.#contexts.add(entry)
    if (known === undefined) return
    if (known instanceof ContextIndex) known.add(entry)
    else {
      const index = new ContextIndex<E>(entry.contextId)
      index.add(known)
      index.add(entry)
      this.#contexts.replace(index)
    }
  }

  override remove(entry: E): void {
    this.insert(entry)
    super.remove(entry)
    if (entry.contextId === undefined) return
    const known = this.#contexts.get(entry.contextId)
    if (known instanceof ContextIndex) known.remove(entry)
    if (known === entry || (known instanceof ContextIndex && known.size === 0)) this.#contexts.delete(entry.contextId)
  }

  /** Gives an entry another state or time, and its places with it; its context stays. */
  move(entry: E, state: TaskState, statusMs: number): void {
    const isPlaced = statusMs === entry.statusMs
    const context = entry.isIndexed ? this.#contextIndex(entry) : undefined
    if (entry.isIndexed) super.remove(entry, isPlaced)
    context?.remove(entry, isPlaced)
    entry.state = state
    entry.statusMs = statusMs
    if (entry.isIndexed) super.add(entry, isPlaced)
    context?.add(entry, isPlaced)
  }

  override index(state: TaskState | undefined): RecencyIndex<E> | undefined {
    this.#insertNew()
    return super.index(state)
  }

  /** The index that holds exactly the tasks of this context and state; undefined when there are none. */
  narrowest(contextId: string | undefined, state: TaskState | undefined): RecencyIndex<E> | undefined {
    if (contextId === undefined) return this.index(state)
    this.#insertNew()
    const known = this.#contexts.get(contextId)
    if (known === undefined) return undefined
    if (known instanceof ContextIndex) return known.index(state)
    if (state !== undefined && known.state !== state) return undefined
    const single = new RecencyIndex<E>()
    single.insert(known)
    return single
  }

  #insertNew(): void {
    for (const entry of this.#new) this.insert(entry)
    this.#new = []
  }

  #contextIndex({ contextId }: E): ContextIndex<E> | undefined {
    const known = contextId === undefined ? undefined : this.#contexts.get(contextId)
    return known instanceof ContextIndex ? known : undefined
  }
}
