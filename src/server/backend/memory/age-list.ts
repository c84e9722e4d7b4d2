// Entries in the order in which they last changed, the one that changed longest ago at hand: what is forgotten first. A
// linked list through the entries themselves, because a Set that loses its first member again and again walks over the
// places of all it has lost.

export interface Aging<E> {
  older: E | undefined
  newer: E | undefined
  /** The list it is in. */
  ageList: { remove(entry: E): void } | undefined
}

export class AgeList<E extends Aging<E>> {
  #oldest: E | undefined
  #newest: E | undefined
  #size = 0

  get size(): number {
    return this.#size
  }

  get oldest(): E | undefined {
    return this.#oldest
  }

  /** As the newest, taken out of the list it was in. */
  add(entry: E): void {
    entry.ageList?.remove(entry)
    entry.ageList = this
    entry.older = this.#newest
    if (this.#newest === undefined) this.#oldest = entry
    else this.#newest.newer = entry
    this.#newest = entry
    this.#size++
  }

  remove(entry: E): void {
    if (entry.ageList !== this) return
    if (entry.older === undefined) this.#oldest = entry.newer
    else entry.older.newer = entry.newer
    if (entry.newer === undefined) this.#newest = entry.older
    else entry.newer.older = entry.older
    entry.older = undefined
    entry.newer = undefined
    entry.ageList = undefined
    this.#size--
  }

  clear(): void {
    this.#oldest = undefined
    this.#newest = undefined
    this.#size = 0
  }
}
