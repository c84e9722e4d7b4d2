// Events that an agent has emitted and the store has not taken yet, in order. It is short: when it is full whoever emits
// waits, and an agent that does not wait is stopped before what it said fills the memory.

import type { TaskEvent } from '../../model/event.ts'
import { isSettled } from '../../model/state-machine.ts'

/** With so many waiting, or so many bytes, the next call of the agent waits too. */
export const FULL_EVENTS = 256
const FULL_BYTES = 1024 * 1024
/** What an agent that does not wait may have in the queue. */
export const MOST_EVENTS = 65_536
export const MOST_BYTES = 32 * 1024 * 1024

export interface Batch {
  readonly events: readonly TaskEvent[]
  readonly bytes: number
}

export class EventQueue {
  #batches: Batch[] = []
  #events = 0
  #bytes = 0
  #room: PromiseWithResolvers<void> | undefined

  get isEmpty(): boolean {
    return this.#batches.length === 0
  }

  get events(): number {
    return this.#events
  }

  /** What to say when these are too many; undefined when there is room for them. */
  overflow(events: number, bytes: number): string | undefined {
    const tooMany = this.#events + events > MOST_EVENTS
    if (!tooMany && (this.#bytes === 0 || this.#bytes + bytes <= MOST_BYTES)) return undefined
    const held = `${count(this.#events)} events, ${count(this.#bytes)} bytes`
    const most = `${count(MOST_EVENTS)} events, ${count(MOST_BYTES)} bytes`
    return `This task was stopped: its agent did not wait while ${held} were still to be stored (at most ${most}).`
  }

  /** A promise of room when it is full. */
  add(batch: Batch): Promise<void> | undefined {
    this.#batches.push(batch)
    this.#events += batch.events.length
    this.#bytes += batch.bytes
    if (this.#events < FULL_EVENTS && this.#bytes < FULL_BYTES) return undefined
    if (this.#room === undefined) {
      this.#room = Promise.withResolvers()
      this.#room.promise.catch(ignore)
    }
    return this.#room.promise
  }

  /**
   * What is to be written next, behind `first` if that is given: everything up to the first status a client waits for,
   * which is told before anything that follows it.
   */
  take(first?: Batch): Batch {
    if (first !== undefined && (this.isEmpty || endsWait(first))) return first
    const events = first === undefined ? [] : [...first.events]
    let bytes = first?.bytes ?? 0
    let taken = 0
    for (const batch of this.#batches) {
      for (const event of batch.events) events.push(event)
      bytes += batch.bytes
      this.#events -= batch.events.length
      this.#bytes -= batch.bytes
      taken++
      if (endsWait(batch)) break
    }
    this.#batches = taken === this.#batches.length ? [] : this.#batches.slice(taken)
    this.#room?.resolve()
    this.#room = undefined
    return { events, bytes }
  }

  /** Drops everything; whoever waits for room learns why. */
  clear(reason: unknown): void {
    this.#batches = []
    this.#events = 0
    this.#bytes = 0
    this.#room?.reject(reason)
    this.#room = undefined
  }
}

function endsWait({ events }: Batch): boolean {
  return events.some((event) => {
    if (!('statusUpdate' in event)) return false
    const { state } = event.statusUpdate.status
    return isSettled(state)
  })
}

function count(value: number): string {
  return value.toLocaleString('en-US')
}

function ignore(): void {}
