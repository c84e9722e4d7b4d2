// Writes that become ready together travel together: one statement over arrays, one transaction, one round trip. A write
// alone leaves at once; while two statements are on their way the others gather. One that fails spoils nothing for
// the others: then each is made again in a statement of its own.

import { unavailable } from '../../store/unavailable.ts'
import { isAway } from './database.ts'

/** So many statements of one kind under way: the next is being sent while the database works on the last. */
const MOST_UNDER_WAY = 2
/** In one statement. */
const MOST_WRITES = 256
const MOST_CHARACTERS = 4 * 1024 * 1024

export interface Write {
  /** Two writes to the same task are not in one statement: it could only make one of them. */
  readonly task: string
  /** Of text. */
  readonly size: number
}

interface Waiting<W> {
  readonly write: W
  readonly isLate: () => boolean
  readonly done: (isMade: boolean) => void
  readonly failed: (error: unknown) => void
}

export class WriteBatches<W extends Write> {
  readonly #make: (writes: readonly W[]) => Promise<ReadonlySet<number>>
  /** Told how many writes a statement had. */
  onCommit: (writes: number) => void = () => {}
  #waiting: Waiting<W>[] = []
  #underWay = 0
  #isDue = false

  /** `make` answers the places of those whose condition held, the first being 1. */
  constructor(make: (writes: readonly W[]) => Promise<ReadonlySet<number>>) {
    this.#make = make
  }

  /** Whether its condition held. A write whose caller has given up is not begun. */
  run(write: W, isLate: () => boolean): Promise<boolean> {
    return new Promise((done, failed) => {
      this.#waiting.push({ write, isLate, done, failed })
      if (this.#isDue || this.#underWay >= MOST_UNDER_WAY) return
      this.#isDue = true
      setImmediate(() => {
        this.#isDue = false
        this.#sendNext()
      })
    })
  }

  #sendNext(): void {
    while (this.#waiting.length > 0 && this.#underWay < MOST_UNDER_WAY) void this.#send(this.#take())
  }

  #take(): Waiting<W>[] {
    const tasks = new Set<string>()
    const taken: Waiting<W>[] = []
    const left: Waiting<W>[] = []
    let size = 0
    for (const waiting of this.#waiting) {
      const { write, isLate, failed } = waiting
      if (isLate()) failed(unavailable(new Error('the caller of this write has given up')))
      else if (
        tasks.has(write.task) ||
        taken.length >= MOST_WRITES ||
        (taken.length > 0 && size + write.size > MOST_CHARACTERS)
      )
        left.push(waiting)
      else {
        tasks.add(write.task)
        taken.push(waiting)
        size += write.size
      }
    }
    this.#waiting = left
    return taken
  }

  async #send(batch: readonly Waiting<W>[]): Promise<void> {
    if (batch.length === 0) return
    this.#underWay++
    try {
      const made = await this.#make(batch.map(({ write }) => write))
      this.onCommit(batch.length)
      for (const [n, { done }] of batch.entries()) done(made.has(n + 1))
    } catch (error) {
      if (batch.length === 1 || isAway(error)) for (const { failed } of batch) failed(error)
      else await Promise.all(batch.map((waiting) => this.#sendAlone(waiting)))
    } finally {
      this.#underWay--
      this.#sendNext()
    }
  }

  async #sendAlone({ write, done, failed }: Waiting<W>): Promise<void> {
    try {
      done((await this.#make([write])).has(1))
    } catch (error) {
      failed(error)
    }
  }
}
