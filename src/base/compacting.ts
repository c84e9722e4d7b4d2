// A Map and a Set for what comes and goes with every request. The built-in ones would do, but for one thing: a table
// they have outgrown points to its successor, for iterators under way. Once one of them has become old in the collector's
// eyes, that pointer keeps the next one alive, that one the one after it, and so on, each with what was in it: all requests
// of seconds survive until the next full collection. Beginning a new table in time cuts the thread.

/** Removals before a new table, beyond as many as there are entries: rare enough to cost nothing. */
const SPARE = 16

export class CompactingMap<K, V> {
  #map = new Map<K, V>()
  #removals = 0

  get size(): number {
    return this.#map.size
  }

  get(key: K): V | undefined {
    return this.#map.get(key)
  }

  has(key: K): boolean {
    return this.#map.has(key)
  }

  set(key: K, value: V): void {
    this.#map.set(key, value)
  }

  delete(key: K): boolean {
    if (!this.#map.delete(key)) return false
    if (++this.#removals > this.#map.size + SPARE) {
      this.#map = new Map(this.#map)
      this.#removals = 0
    }
    return true
  }

  clear(): void {
    this.#map = new Map()
    this.#removals = 0
  }

  values(): Iterable<V> {
    return this.#map.values()
  }
}

export class CompactingSet<T> {
  readonly #members = new CompactingMap<T, T>()

  get size(): number {
    return this.#members.size
  }

  add(member: T): void {
    this.#members.set(member, member)
  }

  delete(member: T): boolean {
    return this.#members.delete(member)
  }

  [Symbol.iterator](): Iterator<T> {
    return this.#members.values()[Symbol.iterator]()
  }
}
