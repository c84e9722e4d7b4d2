// Bodies that have begun to arrive and are not complete. Each is bounded, and so are all of them together, over the whole
// process: when they take too much, the connection that has been silent for the longest is cut, so that those who send
// slowly on purpose do not take the room of those who do not.

/** A body that is being read. */
export interface Receiving {
  /** Ends it; whoever sends it is not wanted any more. */
  cut(): void
}

class ReceivingBodies {
  /** Whoever has been silent for the longest comes first. */
  readonly #bytes = new Map<Receiving, number>()
  #total = 0

  get total(): number {
    return this.#total
  }

  /** More of a body has arrived. */
  add(body: Receiving, bytes: number, limit: number): void {
    const known = this.#bytes.get(body) ?? 0
    this.#bytes.delete(body)
    this.#bytes.set(body, known + bytes)
    this.#total += bytes
    for (const silent of this.#bytes.keys()) {
      if (this.#total <= limit) break
      this.remove(silent)
      silent.cut()
    }
  }

  /** It is complete, or will not become so. */
  remove(body: Receiving): void {
    this.#total -= this.#bytes.get(body) ?? 0
    this.#bytes.delete(body)
  }
}

/** Memory is the process's, whoever listens in it. */
export const receivingBodies = new ReceivingBodies()
