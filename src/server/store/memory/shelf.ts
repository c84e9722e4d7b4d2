// The indexes ListTasks reads: a shelf knows its tasks by recency, all of them and per state; a scope is a shelf
// that also has one per context, so that every combination of filters is answered from one exact index. A new task is
// shelved when it has ended or somebody looks: most begin and end before, and find their places once instead of three times.

import { TextIndex } from '../../../base/text-index.ts'
import type { Scope } from '../../../model/scope.ts'
import type { TaskState } from '../../../model/task.ts'
import type { Position } from '../page-token.ts'
import { RecencyIndex } from './recency-index.ts'

export interface Shelved extends Position {
  readonly id: string
  state: TaskState
  statusMs: number
  readonly contextId: string | undefined
  isShelved: boolean
}

/** With so many new entries, those that are not shelved yet are. */
const MOST_NEW = 256

export class Shelf<E extends Shelved> {
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

class ContextShelf<E extends Shelved> extends Shelf<E> {
  readonly contextId: string

  constructor(contextId: string) {
    super()
    this.contextId = contextId
  }
}

export class ScopeShelf<E extends Shelved> extends Shelf<E> {
  readonly scope: Scope
  readonly byId = new TextIndex<E>(({ id }) => id)
  /** How many tasks this scope ever tried to create; the next task's order. */
  created = 0
  #new: E[] = []
  /** Most contexts hold one task; only the second one is worth a shelf. */
  readonly #contexts = new TextIndex<E | ContextShelf<E>>(({ contextId = '' }) => contextId)

  constructor(scope: Scope) {
    super()
    this.scope = scope
  }

  override add(entry: E): void {
    this.#new.push(entry)
    if (this.#new.length >= MOST_NEW) this.#shelveNew()
  }

  /** Gives an entry its places: it is not expected to change them soon. */
  shelve(entry: E): void {
    if (entry.isShelved) return
    entry.isShelved = true
    super.add(entry)
    if (entry.contextId === undefined) return
    const known = this.#contexts.add(entry)
    if (known === undefined) return
    if (known instanceof ContextShelf) known.add(entry)
    else {
      const shelf = new ContextShelf<E>(entry.contextId)
      shelf.add(known)
      shelf.add(entry)
      this.#contexts.replace(shelf)
    }
  }

  override remove(entry: E): void {
    this.shelve(entry)
    super.remove(entry)
    if (entry.contextId === undefined) return
    const known = this.#contexts.get(entry.contextId)
    if (known instanceof ContextShelf) known.remove(entry)
    if (known === entry || (known instanceof ContextShelf && known.size === 0)) this.#contexts.delete(entry.contextId)
  }

  /** Gives an entry another state or time, and its places with it; its context stays. */
  move(entry: E, state: TaskState, statusMs: number): void {
    const isPlaced = statusMs === entry.statusMs
    const context = entry.isShelved ? this.#contextShelf(entry) : undefined
    if (entry.isShelved) super.remove(entry, isPlaced)
    context?.remove(entry, isPlaced)
    entry.state = state
    entry.statusMs = statusMs
    if (entry.isShelved) super.add(entry, isPlaced)
    context?.add(entry, isPlaced)
  }

  override index(state: TaskState | undefined): RecencyIndex<E> | undefined {
    this.#shelveNew()
    return super.index(state)
  }

  /** The index that holds exactly the tasks of this context and state; undefined when there are none. */
  narrowest(contextId: string | undefined, state: TaskState | undefined): RecencyIndex<E> | undefined {
    if (contextId === undefined) return this.index(state)
    this.#shelveNew()
    const known = this.#contexts.get(contextId)
    if (known === undefined) return undefined
    if (known instanceof ContextShelf) return known.index(state)
    if (state !== undefined && known.state !== state) return undefined
    const single = new RecencyIndex<E>()
    single.insert(known)
    return single
  }

  #shelveNew(): void {
    for (const entry of this.#new) this.shelve(entry)
    this.#new = []
  }

  #contextShelf({ contextId }: E): ContextShelf<E> | undefined {
    const known = contextId === undefined ? undefined : this.#contexts.get(contextId)
    return known instanceof ContextShelf ? known : undefined
  }
}
