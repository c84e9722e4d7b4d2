// A subscriber: a position in a task's stored events, not a queue. It reads what comes after the position and sleeps on
// the wake bus in between, so a slow reader costs nothing and a late one misses nothing.

import { fairTurns } from '../../base/fair-turns.ts'
import { isPromise } from '../../base/is-promise.ts'
import type { Scope } from '../../model/scope.ts'
import { isSettled } from '../../model/state-machine.ts'
import type { WakeBus } from '../bus/wake-bus.ts'
import type { Seq, StoredEvent, TaskStore } from '../store/task-store.ts'

/** Events read at once: enough to catch up quickly, few enough that a stalled reader holds little memory. */
const BATCH = 16

interface CursorOptions {
  readonly isOver?: () => boolean
  /** Asked after a wake-up that brought no new event: `isOver` may depend on it. */
  readonly onQuiet?: () => Promise<void>
  readonly onClose?: (cursor: TaskCursor) => void
}

export class TaskCursor {
  readonly #store: TaskStore
  readonly #scope: Scope
  readonly #taskId: string
  readonly #unsubscribe: () => void
  /** True once the writer of this turn is done: what is stored then is all there will be. */
  readonly #isOver: () => boolean
  #after: Seq
  /** Nothing was stored behind `after` when it was last read; only a wake can tell of more. */
  #isAtEnd = false
  #batches = 0
  #hasWoken = false
  #isClosed = false
  #resume: (() => void) | undefined

  readonly #onQuiet: (() => Promise<void>) | undefined
  readonly #onClose: ((cursor: TaskCursor) => void) | undefined

  constructor(
    store: TaskStore,
    bus: WakeBus,
    at: { scope: Scope; taskId: string; after: Seq },
    options: CursorOptions = {},
  ) {
    this.#store = store
    this.#scope = at.scope
    this.#taskId = at.taskId
    this.#after = at.after
    this.#isOver = options.isOver ?? never
    this.#onQuiet = options.onQuiet
    this.#onClose = options.onClose
    this.#unsubscribe = bus.onWake(at.taskId, () => this.#wake())
  }

  /** The next events, at least one; undefined when closed, or when nothing more can come. */
  async next(): Promise<readonly StoredEvent[] | undefined> {
    while (!this.#isClosed) {
      if (this.#isAtEnd && !this.#hasWoken && !this.#isOver()) await this.#sleep()
      this.#hasWoken = false
      const wasOver = this.#isOver()
      const read = this.#store.readEvents(this.#scope, this.#taskId, this.#after, BATCH)
      const events = isPromise(read) ? await read : read
      if (events === undefined || this.#isClosed) break
      const last = events.at(-1)
      // Whoever has to ask whether it is over asks after the last of them, too.
      this.#isAtEnd = events.length < BATCH && (last === undefined || this.#onQuiet === undefined || !isRest(last))
      if (last !== undefined) {
        this.#after = last.seq
        // A long log at hand, and a reader that takes it as fast as it comes: others want their turn too.
        const turn = fairTurns.take(1, ++this.#batches)
        if (turn !== undefined) await turn
        return events
      }
      if (wasOver) break
      if (this.#onQuiet !== undefined) await this.#onQuiet()
    }
    this.close()
    return undefined
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#unsubscribe()
    this.#wake()
    this.#onClose?.(this)
  }

  #sleep(): Promise<void> {
    return new Promise((resolve) => (this.#resume = resolve))
  }

  #wake(): void {
    this.#hasWoken = true
    const resume = this.#resume
    this.#resume = undefined
    resume?.()
  }
}

function isRest({ event }: StoredEvent): boolean {
  return 'statusUpdate' in event && isSettled(event.statusUpdate.status.state)
}

function never(): boolean {
  return false
}
