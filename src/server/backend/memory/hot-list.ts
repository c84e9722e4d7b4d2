// The few finished tasks whose logs are kept at hand: each that comes lets those that came first be compacted, until they are few
// enough and small enough together.

import type { Entry } from './entry.ts'
import type { Slabs } from './slabs.ts'

export class HotList {
  readonly #capacity: number
  readonly #maxBytes: number
  readonly #slabs: Slabs
  readonly #ring: (Entry | undefined)[] = []
  #oldest = 0
  #next = 0
  #size = 0
  #bytes = 0

  constructor(capacity: number, maxBytes: number, slabs: Slabs) {
    this.#capacity = capacity
    this.#maxBytes = maxBytes
    this.#slabs = slabs
  }

  add(entry: Entry): void {
    if (this.#size === this.#capacity) this.#compactOldest()
    this.#ring[this.#next] = entry
    this.#next = (this.#next + 1) % this.#capacity
    this.#size++
    this.#bytes += entry.bytes
    // The one that came is wanted now, whatever its size.
    while (this.#bytes > this.#maxBytes && this.#size > 1) this.#compactOldest()
  }

  clear(): void {
    this.#ring.length = 0
    this.#oldest = 0
    this.#next = 0
    this.#size = 0
    this.#bytes = 0
  }

  #compactOldest(): void {
    const entry = this.#ring[this.#oldest]
    this.#ring[this.#oldest] = undefined
    this.#oldest = (this.#oldest + 1) % this.#capacity
    this.#size--
    if (entry === undefined) return
    this.#bytes -= entry.bytes
    entry.compact(this.#slabs)
  }
}
