// Maps and sets that forget: the oldest entries beyond a number, or the least recently set beyond a weight.

interface Ordered<K> {
  readonly size: number
  keys(): Iterator<K>
  delete(key: K): boolean
}

/** A Map or Set iterates in the order in which keys came. */
export function dropOldest<K>(entries: Ordered<K>, most: number): void {
  while (entries.size > most) {
    const oldest = entries.keys().next()
    if (oldest.done === true) return
    entries.delete(oldest.value)
  }
}

/** A key that is there keeps its age. */
export function setBounded<K, V>(map: Map<K, V>, key: K, value: V, most: number): void {
  map.set(key, value)
  if (map.size > most) dropOldest(map, most)
}

/** Bounded by the weight of its values and, if given, their number; what was set last is always kept. */
export class WeightedMap<K, V> {
  readonly #budget: number
  readonly #most: number
  /** Least recently set first. */
  readonly #entries = new Map<K, { value: V; weight: number }>()
  #weight = 0

  constructor(budget: number, most = Number.POSITIVE_INFINITY) {
    this.#budget = budget
    this.#most = most
  }

  get(key: K): V | undefined {
    return this.#entries.get(key)?.value
  }

  set(key: K, value: V, weight: number): void {
    this.delete(key)
    this.#entries.set(key, { value, weight })
    this.#weight += weight
    for (const oldest of this.#entries.keys()) {
      if ((this.#weight <= this.#budget && this.#entries.size <= this.#most) || oldest === key) break
      this.delete(oldest)
    }
  }

  delete(key: K): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    this.#entries.delete(key)
    this.#weight -= entry.weight
  }

  clear(): void {
    this.#entries.clear()
    this.#weight = 0
  }
}
