// The events of a stream with a fault in them: takes the text apart into events, lets the fault act on those from its place
// on, and ends as the fault says.

import { type MaybePromise, mapMaybePromise } from '../../base/maybe-promise.ts'
import type { Feed, Piece } from '../../net/serve/reply.ts'
import type { FaultName } from '../faults/catalogue.ts'
import type { Fault } from '../faults/fault-shape.ts'
import { applyFrameFault, type FrameOutcome, type FramePlace } from './frame-faults.ts'

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

export class FaultyStream implements Feed<Piece> {
  readonly #source: Feed<Piece>
  readonly #fault: Fault
  readonly #place: number
  /** Ready to be sent, the next one last. */
  #ready: Piece[] = []
  #unfinished = ''
  #events = 0
  readonly #memory: FramePlace['memory'] = { held: '', isMarked: false }
  #ending: FrameOutcome['ending']

  constructor(source: Feed<Piece>, fault: Fault) {
    this.#source = source
    this.#fault = fault
    this.#place = fault.at.afterEvent ?? (ONE_PLACE.has(fault.action.name) ? 1 : 0)
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
    if (piece !== undefined) this.#unfinished += typeof piece === 'string' ? piece : Buffer.from(piece).toString('utf8')
    while (this.#ending === undefined) {
      const end = this.#unfinished.indexOf('\n\n')
      if (end < 0) break
      const frame = this.#unfinished.slice(0, end + 2)
      this.#unfinished = this.#unfinished.slice(end + 2)
      this.#playFrame(frame, send)
    }
    if (piece === undefined && this.#ending === undefined) {
      send.push(this.#memory.held, this.#unfinished)
      this.#ending = 'end'
    }
    this.#ready = send.filter(({ length }) => length > 0).reverse()
  }

  #playFrame(frame: string, send: Piece[]): void {
    const { action } = this.#fault
    const index = this.#events++
    if (index < this.#place || action.name === 'slow-drip') {
      send.push(frame)
      // The client need not wait for the next event to lose the connection.
      if (action.name === 'reset-after-event' && index + 1 === this.#place) this.#ending = 'cut'
      return
    }
    const outcome = applyFrameFault(action, frame, { isHere: index === this.#place, memory: this.#memory })
    send.push(...outcome.send)
    this.#ending = outcome.ending
  }
}
