// The few finished tasks whose logs are kept at hand: each that comes lets the one that came first go cold.

import type { Entry } from './entry.ts'
import type { Slabs } from './slabs.ts'

export class Warm {
  readonly #capacity: number
  readonly #slabs: Slabs
  readonly #ring: Entry[] = []
  #oldest = 0

  constructor(capacity: number, slabs: Slabs) {
    this.#capacity = capacity
    this.#slabs = slabs
  }

  add(entry: Entry): void {
    this.#ring[this.#oldest]?.cool(this.#slabs)
    this.#ring[this.#oldest] = entry
    this.#oldest = (this.#oldest + 1) % this.#capacity
  }

  clear(): void {
    this.#ring.length = 0
    this.#oldest = 0
  }
}
