// Lets a fault act on one answer. Sits above the wire: what the journal shows is what the client really got. Nothing is
// decided here; whether a fault fires is known when the answer begins.

import type { FaultName } from '../faults/catalogue.ts'
import type { Fault } from '../faults/fault-shape.ts'
import { type FramePlace, strikeFrame } from './frame-tricks.ts'
import type { Chunk, HeaderPairs, ResponseLayer, Wire } from './intercept.ts'
import { changeText } from './json-tricks.ts'

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

const DRIP = { bytes: 16, intervalMs: 20 }

export class FaultLayer implements ResponseLayer {
  readonly #wire: Wire
  readonly #decide: () => Fault | undefined
  #fault: Fault | undefined
  #head: { status: number; headers: HeaderPairs } = { status: 200, headers: [] }
  #isBegun = false
  /** The client has got all it will get; what the server still writes is lost. */
  #isOver = false
  #isStream = false
  #unfinished = ''
  #events = 0
  readonly #memory: FramePlace['memory'] = { held: '', isMarked: false }
  #drip: Promise<void> | undefined

  constructor(wire: Wire, decide: () => Fault | undefined) {
    this.#wire = wire
    this.#decide = decide
  }

  head(status: number, headers: HeaderPairs): void {
    this.#head = { status, headers }
  }

  write(chunk: Chunk): boolean {
    this.#begin()
    if (this.#isOver) return true
    if (this.#fault === undefined) return this.#wire.write(chunk)
    this.#unfinished += textOf(chunk)
    if (this.#isStream) this.#playFrames(this.#fault)
    return true
  }

  end(chunk?: Chunk): void {
    this.#begin()
    if (this.#isOver) return
    if (this.#fault === undefined) {
      this.#wire.end(chunk)
      return
    }
    if (chunk !== undefined) this.#unfinished += textOf(chunk)
    if (this.#isStream) this.#endStream(this.#fault)
    else this.#answerWhole(this.#fault, this.#unfinished)
  }

  #begin(): void {
    if (this.#isBegun) return
    this.#isBegun = true
    const { status, headers } = this.#head
    this.#fault = this.#decide()
    this.#isStream = headerIn(headers, 'content-type').startsWith('text/event-stream')
    if (this.#fault === undefined) this.#wire.head(status, headers)
    else if (strikeWhole(this.#wire, this.#fault, this.#isStream)) this.#isOver = true
    else if (this.#isStream) this.#wire.head(status, relabelled(this.#fault, headers))
  }

  #answerWhole(fault: Fault, body: string): void {
    const { action } = fault
    const bytes = Buffer.from(changeText(action, body))
    const others = relabelled(fault, this.#head.headers).filter(([name]) => name.toLowerCase() !== 'content-length')
    this.#wire.head(this.#head.status, [...others, ['Content-Length', String(bytes.byteLength)]])
    if (action.name === 'truncated-body') {
      this.#wire.write(bytes.subarray(0, action.with.bytes ?? Math.floor(bytes.byteLength / 2)))
      this.#wire.cut('flushed')
    } else if (action.name === 'slow-drip') {
      this.#dripOut(bytes, action.with)
      this.#endAfterDrip()
    } else this.#wire.end(bytes)
  }

  #playFrames(fault: Fault): void {
    for (;;) {
      const end = this.#unfinished.indexOf('\n\n')
      if (end < 0 || this.#isOver) return
      const frame = this.#unfinished.slice(0, end + 2)
      this.#unfinished = this.#unfinished.slice(end + 2)
      // Comments keep the connection alive; they are no events.
      if (frame.startsWith(':')) this.#wire.write(frame)
      else this.#playFrame(fault, frame)
    }
  }

  #playFrame({ action, at }: Fault, frame: string): void {
    const index = this.#events++
    const place = at.afterEvent ?? (ONE_PLACE.has(action.name) ? 1 : 0)
    if (index < place) {
      this.#wire.write(frame)
      // The client need not wait for the next event to lose the connection.
      if (action.name === 'reset-after-event' && index + 1 === place) this.#finish('cut')
    } else if (action.name === 'slow-drip') this.#dripOut(Buffer.from(frame), action.with)
    else {
      const { send, ending } = strikeFrame(action, frame, { isHere: index === place, memory: this.#memory })
      for (const piece of send) if (piece.length > 0) this.#wire.write(piece)
      if (ending !== undefined) this.#finish(ending)
    }
  }

  #finish(how: 'cut' | 'end' | 'silence'): void {
    this.#isOver = true
    if (how === 'cut') this.#wire.cut('flushed')
    if (how === 'end') this.#wire.end()
  }

  #endStream(fault: Fault): void {
    this.#playFrames(fault)
    if (this.#isOver) return
    if (this.#memory.held !== '') this.#wire.write(this.#memory.held)
    if (this.#unfinished !== '') this.#wire.write(this.#unfinished)
    this.#endAfterDrip()
  }

  #endAfterDrip(): void {
    if (this.#drip === undefined) this.#wire.end()
    else void this.#drip.then(() => this.#wire.end())
  }

  #dripOut(
    bytes: Buffer,
    { bytes: size = DRIP.bytes, interval = DRIP.intervalMs }: { bytes?: number; interval?: number },
  ): void {
    const send = async (): Promise<void> => {
      for (let at = 0; at < bytes.byteLength; at += size) {
        this.#wire.write(bytes.subarray(at, at + size))
        await new Promise((resolve) => setTimeout(resolve, interval))
      }
    }
    this.#drip = (this.#drip ?? Promise.resolve()).then(send)
  }
}

/** Faults that replace the answer as a whole; true when nothing of the real one is to be sent. */
export function strikeWhole(wire: Wire, { action, at }: Fault, isStream: boolean): boolean {
  if (action.name === 'hang') return !isStream || at.afterEvent === undefined
  if (action.name === 'reset-before-headers' || (action.name === 'reset-after-event' && !isStream)) {
    wire.cut('now')
    return true
  }
  if (action.name !== 'http-status') return false
  const { status, body = '', contentType = 'text/plain', retryAfter } = action.with
  const headers: [string, string][] = [
    ['Content-Type', contentType],
    ['Content-Length', String(Buffer.byteLength(body))],
  ]
  if (retryAfter !== undefined) headers.push(['Retry-After', String(retryAfter)])
  wire.head(status, headers)
  wire.end(body)
  return true
}

function relabelled({ action }: Fault, headers: HeaderPairs): HeaderPairs {
  if (action.name !== 'wrong-content-type') return headers
  const { contentType = 'text/html' } = action.with
  return headers.map((pair) => (pair[0].toLowerCase() === 'content-type' ? [pair[0], contentType] : pair))
}

function headerIn(headers: HeaderPairs, name: string): string {
  return headers.find(([given]) => given.toLowerCase() === name)?.[1] ?? ''
}

function textOf(chunk: Chunk): string {
  return typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8')
}
