// Bodies that have begun to arrive and are not complete. Each is bounded, and so are all of them together, over the whole
// process: when they take too much, the connection that has been silent for the longest is cut, so that those who send
// slowly on purpose do not take the room of those who do not.

import type { IncomingMessage } from 'node:http'

export class ReceivingBodies {
  /** Whoever has been silent for the longest comes first. */
  readonly #bytes = new Map<IncomingMessage, number>()
  #total = 0

  get total(): number {
    return this.#total
  }

  /** More of a body has arrived. */
  add(req: IncomingMessage, bytes: number, limit: number): void {
    const known = this.#bytes.get(req) ?? 0
    this.#bytes.delete(req)
    this.#bytes.set(req, known + bytes)
    this.#total += bytes
    for (const silent of this.#bytes.keys()) {
      if (this.#total <= limit) break
      this.remove(silent)
      silent.socket.destroy()
    }
  }

  /** It is complete, or will not become so. */
  remove(req: IncomingMessage): void {
    this.#total -= this.#bytes.get(req) ?? 0
    this.#bytes.delete(req)
  }
}

/** Memory is the process's, whoever listens in it. */
export const receivingBodies = new ReceivingBodies()
