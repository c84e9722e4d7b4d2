// One transaction for all writes that became ready in one turn of the event loop: a commit costs as much for one of them
// as for a hundred. A write alone is not held up, because its turn is over at once. One that fails spoils nothing
// for the others: then each is made again in a transaction of its own.

/** Enough for one transaction, so that readers do not wait for long. */
const MOST_WRITES = 256
const MOST_MS = 10

interface Waiting {
  /** May be done twice; what it did first is rolled back then. */
  readonly write: () => void
  readonly done: () => void
  readonly failed: (error: unknown) => void
}

export class GroupCommit {
  readonly #transact: (work: () => void) => void
  /** Told how many writes a commit had. */
  onCommit: (writes: number) => void = () => {}
  #waiting: Waiting[] = []
  #isDue = false

  constructor(transact: (work: () => void) => void) {
    this.#transact = transact
  }

  /** Resolves with what `write` returned, once that is committed. */
  run<T>(write: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      let result: T
      this.#waiting.push({
        write: () => {
          result = write()
        },
        done: () => resolve(result),
        failed: reject,
      })
      this.#schedule()
    })
  }

  /** Commits what is waiting now. */
  flush(): void {
    while (this.#waiting.length > 0) this.#commit(Number.POSITIVE_INFINITY)
  }

  #schedule(): void {
    if (this.#isDue) return
    this.#isDue = true
    setImmediate(() => {
      this.#isDue = false
      this.#commit(MOST_MS)
      if (this.#waiting.length > 0) this.#schedule()
    })
  }

  #commit(withinMs: number): void {
    const batch = this.#waiting.slice(0, MOST_WRITES)
    if (batch.length === 0) return
    const begun = performance.now()
    let made = 0
    try {
      this.#transact(() => {
        for (const { write } of batch) {
          write()
          made++
          if (performance.now() - begun > withinMs) break
        }
      })
    } catch (error) {
      this.#waiting = this.#waiting.slice(batch.length)
      if (batch.length === 1) batch[0]?.failed(error)
      else for (const waiting of batch) this.#commitAlone(waiting)
      return
    }
    this.#waiting = this.#waiting.slice(made)
    this.onCommit(made)
    for (const { done } of batch.slice(0, made)) done()
  }

  #commitAlone({ write, done, failed }: Waiting): void {
    try {
      this.#transact(write)
    } catch (error) {
      failed(error)
      return
    }
    done()
  }
}
