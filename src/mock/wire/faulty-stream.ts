// The events of a stream with a fault in them: takes it apart into events, lets the fault act on those from its place
// on, and ends as the fault says.

import { type MaybePromise, mapMaybePromise } from '../../base/maybe-promise.ts'
import type { Feed, Piece } from '../../net/serve/reply.ts'
import type { FaultName } from '../faults/catalogue.ts'
import type { Fault } from '../faults/fault-shape.ts'
import { applyFrameFault, type FrameForm, type FrameOutcome, type FramePlace } from './frame-faults.ts'

/**
 * Faults that need one place in a stream, or contradict what was said before, strike after the first event unless told
 * otherwise; the rest from the start.
 */
const ONE_PLACE: ReadonlySet<FaultName> = new Set<FaultName>([
  'reset-after-event',
  'reset-mid-frame',
  'truncated-body',
  'sse-duplicate-event',
  'sse-reorder-events',
  'sse-drop-event',
  'wrong-task-id',
  'wrong-context-id',
])

export class FaultyStream<F extends Piece> implements Feed<Piece> {
  readonly #source: Feed<Piece>
  readonly #fault: Fault
  readonly #form: FrameForm<F>
  readonly #place: number
  /** Ready to be sent, the next one last. */
  #ready: Piece[] = []
  #events = 0
  readonly #memory: FramePlace<F>['memory'] = { held: undefined, isMarked: false }
  #ending: FrameOutcome['ending']

  /** A single answer in the form of a stream has only one place where a fault can strike. */
  constructor(source: Feed<Piece>, fault: Fault, form: FrameForm<F>, isSingle = false) {
    this.#source = source
    this.#fault = fault
    this.#form = form
    this.#place = fault.at.afterEvent ?? (!isSingle && ONE_PLACE.has(fault.action.name) ? 1 : 0)
  }

  next(): MaybePromise<Piece | undefined> {
    const piece = this.#ready.pop()
    if (piece !== undefined) return piece
    if (this.#ending === 'end') return undefined
    if (this.#ending === 'silence') return new Promise(() => {})
    if (this.#ending === 'cut') throw new Error('A fault cuts the connection here.')
    return mapMaybePromise(this.#source.next(), (text) => {
      this.#play(text)
      return this.next()
    })
  }

  close(): void {
    this.#source.close()
  }

  #play(piece: Piece | undefined): void {
    const send: Piece[] = []
    for (const frame of piece === undefined ? [] : this.#form.push(piece))
      if (this.#ending === undefined) this.#playFrame(frame, send)
    if (piece === undefined && this.#ending === undefined) {
      send.push(this.#memory.held ?? '', this.#form.rest())
      this.#ending = 'end'
    }
    this.#ready = send.filter(({ length }) => length > 0).reverse()
  }

  #playFrame(frame: F, send: Piece[]): void {
    const { action } = this.#fault
    const index = this.#events++
    if (index < this.#place || action.name === 'slow-drip') {
      send.push(frame)
      // The client need not wait for the next event to lose the connection.
      if (action.name === 'reset-after-event' && index + 1 === this.#place) this.#ending = 'cut'
      return
    }
    const place = { isHere: index === this.#place, memory: this.#memory }
    const outcome = applyFrameFault(action, frame, place, this.#form)
    send.push(...outcome.send)
    this.#ending = outcome.ending
  }
}
