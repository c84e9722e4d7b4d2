// Lets a fault act on one answer: a function from response to response. Whether a fault fires is decided elsewhere; what it
// leaves of the answer is what the journal shows and the client gets.

import { type MaybePromise, mapMaybePromise } from '../../base/maybe-promise.ts'
import {
  type Feed,
  type HeaderList,
  headerIn,
  type NoReply,
  type Piece,
  type Reply,
  withoutHeaders,
} from '../../net/serve/reply.ts'
import type { Fault } from '../faults/fault-shape.ts'
import { FaultyStream } from './faulty-stream.ts'
import { applyPayloadFault } from './payload-faults.ts'
import { SseForm } from './sse-form.ts'

const DRIP = { bytes: 16, intervalMs: 20 }

/** What a fault answers instead of everything; undefined when it needs something to spoil. */
export function replacementFor({ action, at }: Fault, isStream: boolean): Reply | NoReply | undefined {
  if (action.name === 'hang' && (!isStream || at.afterEvent === undefined)) return { ending: 'silence' }
  if (action.name === 'reset-before-headers' || (action.name === 'reset-after-event' && !isStream))
    return { ending: 'reset' }
  if (action.name !== 'http-status') return undefined
  const { status, body = '', contentType = 'text/plain', retryAfter } = action.with
  const headers = ['Content-Type', contentType]
  if (retryAfter !== undefined) headers.push('Retry-After', String(retryAfter))
  return { status, headers, body }
}

export function applyResponseFault(reply: Reply | NoReply, fault: Fault): Reply | NoReply {
  if ('ending' in reply) return reply
  const source = feedOf(reply)
  const replacement = replacementFor(fault, source !== undefined)
  if (replacement !== undefined) source?.close()
  if (replacement !== undefined) return replacement
  const headers = relabelled(fault, reply.headers)
  if (source === undefined) return spoiltWhole(fault, reply, headers)
  const { action } = fault
  const stream = new FaultyStream(source, fault, new SseForm())
  const feed = action.name === 'slow-drip' ? new Drip(stream, action.with) : stream
  // A stream that hangs gets no comments either.
  return { status: reply.status, headers, body: { kind: action.name === 'hang' ? 'messages' : 'events', feed } }
}

/** The events of an answer, also of one that is whole. */
function feedOf({ headers, body }: Reply): Feed<Piece> | undefined {
  if (typeof body === 'object' && !(body instanceof Uint8Array)) return body.feed
  if (body === undefined || !headerIn(headers, 'content-type')?.startsWith('text/event-stream')) return undefined
  return piecesOf([body])
}

function spoiltWhole({ action }: Fault, { status, body }: Reply, headers: HeaderList): Reply {
  if (body === undefined || (typeof body === 'object' && !(body instanceof Uint8Array))) return { status, headers }
  const text = typeof body === 'string' ? body : Buffer.from(body).toString('utf8')
  const bytes = Buffer.from(applyPayloadFault(action, text))
  const announced = [
    ...withoutHeaders(headers, (name) => name === 'content-length'),
    'Content-Length',
    String(bytes.byteLength),
  ]
  if (action.name === 'truncated-body') {
    const beginning = bytes.subarray(0, action.with.bytes ?? Math.floor(bytes.byteLength / 2))
    return { status, headers: announced, body: { kind: 'messages', feed: piecesOf([beginning], 'cut') } }
  }
  if (action.name !== 'slow-drip') return { status, headers, body: bytes }
  return { status, headers: announced, body: { kind: 'messages', feed: new Drip(piecesOf([bytes]), action.with) } }
}

export function piecesOf(pieces: readonly Piece[], ending: 'end' | 'cut' = 'end'): Feed<Piece> {
  let at = 0
  return {
    next() {
      const piece = pieces[at++]
      if (piece === undefined && ending === 'cut') throw new Error('A fault cuts the connection here.')
      return piece
    },
    close() {},
  }
}

/** The same, a few bytes at a time. */
export class Drip implements Feed<Piece> {
  readonly #source: Feed<Piece>
  readonly #size: number
  readonly #intervalMs: number
  #left: Uint8Array = new Uint8Array(0)
  #pause: Promise<void> | undefined

  constructor(
    source: Feed<Piece>,
    { bytes = DRIP.bytes, interval = DRIP.intervalMs }: { bytes?: number; interval?: number },
  ) {
    this.#source = source
    this.#size = bytes
    this.#intervalMs = interval
  }

  next(): MaybePromise<Piece | undefined> {
    return mapMaybePromise(this.#pause, () => this.#drop())
  }

  close(): void {
    this.#source.close()
  }

  #drop(): MaybePromise<Piece | undefined> {
    if (this.#left.byteLength === 0)
      return mapMaybePromise(this.#source.next(), (piece) => {
        if (piece === undefined) return undefined
        this.#left = typeof piece === 'string' ? Buffer.from(piece) : piece
        return this.#left.byteLength === 0 ? this.next() : this.#drop()
      })
    const drop = this.#left.subarray(0, this.#size)
    this.#left = this.#left.subarray(this.#size)
    this.#pause = new Promise((resolve) => void setTimeout(resolve, this.#intervalMs))
    return drop
  }
}

export function relabelled({ action }: Fault, headers: HeaderList): HeaderList {
  if (action.name !== 'wrong-content-type') return headers
  const { contentType = 'text/html' } = action.with
  return headers.map((each, at) =>
    headers[at - 1]?.toLowerCase() === 'content-type' && at % 2 === 1 ? contentType : each,
  )
}
