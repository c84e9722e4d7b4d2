// Sends answers over node:http2: what is ready at the end of a turn of the event loop leaves in one piece
// (docs/decisions/0006), feeds as their reader takes them, trailers after them. The only place that writes to a stream of HTTP/2.

import type { IncomingHttpHeaders, OutgoingHttpHeaders, ServerHttp2Stream } from 'node:http2'
import { isPromise } from '../../base/is-promise.ts'
import type { MaybePromise } from '../../base/maybe-promise.ts'
import { http2 } from '../node-http.ts'
import { Http2Request, type Http2RequestOptions } from './http2-request.ts'
import type { EventBody, HeaderList, MessageBody, NoReply, Piece, Reply } from './reply.ts'
import { unlessStalled } from './unless-stalled.ts'
import { flushAtTurnEnd } from './write-batch.ts'

export interface Http2HandlerOptions extends Http2RequestOptions {
  /** A stream whose reader takes nothing for this long is cut. */
  readonly stallTimeoutMs: number
  /** Told of what the handler threw; the peer is only told that its stream failed. */
  onError?(error: unknown): void
}

export type Http2Listener = (
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  flags: number,
  rawHeaders: readonly string[],
) => void

/** A reader that stalls has so much waiting for it, and one message. */
const CHUNK_LENGTH = 64 * 1024

export function http2Handler(
  handle: (request: Http2Request) => MaybePromise<Reply | NoReply>,
  options: Http2HandlerOptions,
): Http2Listener {
  const { stallTimeoutMs } = options
  const failed = (error: unknown, stream: ServerHttp2Stream): void => {
    stream.close(http2().constants.NGHTTP2_INTERNAL_ERROR)
    options.onError?.(error)
  }
  const answer = (stream: ServerHttp2Stream, reply: Reply | NoReply): void => {
    try {
      send(stream, reply, stallTimeoutMs)
    } catch (error) {
      failed(error, stream)
    }
  }
  return (stream, headers, _flags, rawHeaders) => {
    // A peer that left is no error.
    stream.on('error', ignore)
    try {
      const reply = handle(new Http2Request(stream, headers, rawHeaders, options))
      if (!isPromise(reply)) answer(stream, reply)
      else
        reply.then(
          (value) => answer(stream, value),
          (error: unknown) => failed(error, stream),
        )
    } catch (error) {
      failed(error, stream)
    }
  }
}

function ignore(): void {}

function send(stream: ServerHttp2Stream, reply: Reply | NoReply, stallTimeoutMs: number): void {
  const { NGHTTP2_CANCEL, NGHTTP2_INTERNAL_ERROR } = http2().constants
  if ('ending' in reply) {
    // Only the call is lost: others on the same connection are none of the fault's business.
    if (reply.ending !== 'silence') stream.close(reply.ending === 'reset' ? NGHTTP2_INTERNAL_ERROR : NGHTTP2_CANCEL)
    return
  }
  const { status, headers, body, trailers } = reply
  if (typeof body === 'object' && !(body instanceof Uint8Array)) {
    void sendFeed(stream, reply, body, stallTimeoutMs)
    return
  }
  flushAtTurnEnd(() => {
    if (stream.destroyed || stream.closed) return
    const head = headOf(status, headers)
    if (body === undefined && trailers === undefined) stream.respond(head, END)
    else {
      open(stream, head, trailers === undefined ? undefined : () => trailers)
      if (body === undefined) stream.end()
      else stream.end(body)
      if (stream.writableLength > stream.writableHighWaterMark) unlessStalled(stream, 'finish', stallTimeoutMs, ignore)
    }
    leaveUnread(stream)
  })
}

const END = { endStream: true }
const WITH_TRAILERS = { waitForTrailers: true }

function open(stream: ServerHttp2Stream, head: OutgoingHttpHeaders, trailers: (() => HeaderList) | undefined): void {
  if (trailers === undefined) {
    stream.respond(head)
    return
  }
  stream.respond(head, WITH_TRAILERS)
  stream.on('wantTrailers', () => stream.sendTrailers(namesOf(trailers())))
}

/** Whatever the peer still sends is not read. */
function leaveUnread(stream: ServerHttp2Stream): void {
  if (!stream.readableEnded) stream.close(http2().constants.NGHTTP2_NO_ERROR)
}

/** Most answers have one of a few heads. */
const known = new WeakMap<HeaderList, OutgoingHttpHeaders>()

function namesOf(list: HeaderList): OutgoingHttpHeaders {
  let names = known.get(list)
  if (names === undefined) {
    names = {}
    for (let at = 0; at + 1 < list.length; at += 2) names[(list[at] ?? '').toLowerCase()] = list[at + 1]
    known.set(list, names)
  }
  return names
}

function headOf(status: number, headers: HeaderList): OutgoingHttpHeaders {
  const head = namesOf(headers)
  head[':status'] = status
  return head
}

/** Never rejects: who made the feed knows what went wrong with it, and the reader learns it from the missing end. */
async function sendFeed(
  stream: ServerHttp2Stream,
  { status, headers }: Reply,
  body: EventBody | MessageBody,
  stallTimeoutMs: number,
): Promise<void> {
  const { feed } = body
  stream.once('close', () => feed.close())
  if (stream.destroyed) feed.close()
  const trailers = body.kind === 'messages' && body.trailers !== undefined ? () => body.trailers?.() ?? [] : undefined
  const writer = new Http2Writer(stream, stallTimeoutMs, () => open(stream, headOf(status, headers), trailers))
  try {
    for (;;) {
      const next = feed.next()
      if (isPromise(next)) writer.flushSoon()
      const piece = isPromise(next) ? await next : next
      if (piece === undefined) break
      writer.write(piece)
      if (writer.isFull) await writer.drained()
    }
    writer.end()
  } catch {
    writer.cut()
  } finally {
    feed.close()
  }
}

/** What is written in one turn of the event loop leaves in one piece; a slow reader is waited for. */
class Http2Writer {
  readonly #stream: ServerHttp2Stream
  readonly #stallTimeoutMs: number
  readonly #open: () => void
  #pieces: Piece[] = []
  #length = 0
  #isOpen = false
  #isFlushing = false
  #isEnding = false

  constructor(stream: ServerHttp2Stream, stallTimeoutMs: number, open: () => void) {
    this.#stream = stream
    this.#stallTimeoutMs = stallTimeoutMs
    this.#open = open
  }

  write(piece: Piece): void {
    if (piece.length === 0) return
    this.#pieces.push(piece)
    this.#length += piece.length
    this.flushSoon()
  }

  /** Whether the reader should catch up before more is written. */
  get isFull(): boolean {
    return this.#length > CHUNK_LENGTH || this.#stream.writableNeedDrain
  }

  /** Resolves when the reader has taken enough, or is gone. */
  async drained(): Promise<void> {
    this.#flush()
    const stream = this.#stream
    if (stream.destroyed || !stream.writableNeedDrain) return
    await new Promise<void>((resolve) => unlessStalled(stream, 'drain', this.#stallTimeoutMs, resolve))
  }

  end(): void {
    this.#isEnding = true
    this.flushSoon()
  }

  /** Loses the stream once everything written has left. */
  cut(): void {
    this.#flush()
    const stream = this.#stream
    // What waits to be sent is given up with a stream that is reset.
    if (!stream.destroyed) stream.write('', () => stream.close(http2().constants.NGHTTP2_INTERNAL_ERROR))
  }

  flushSoon(): void {
    if (this.#isFlushing) return
    this.#isFlushing = true
    flushAtTurnEnd(() => {
      this.#isFlushing = false
      this.#flush()
    })
  }

  #flush(): void {
    const stream = this.#stream
    const bytes = this.#taken()
    if (stream.destroyed || stream.closed) return
    if (!this.#isOpen) {
      this.#isOpen = true
      this.#open()
    }
    if (!this.#isEnding) {
      if (bytes !== undefined) stream.write(bytes)
      return
    }
    if (bytes === undefined) stream.end()
    else stream.end(bytes)
    if (stream.writableLength >= stream.writableHighWaterMark)
      unlessStalled(stream, 'finish', this.#stallTimeoutMs, ignore)
    leaveUnread(stream)
  }

  #taken(): Uint8Array | undefined {
    const pieces = this.#pieces
    if (pieces.length === 0) return undefined
    this.#pieces = []
    this.#length = 0
    const [first] = pieces
    if (pieces.length === 1 && first !== undefined) return typeof first === 'string' ? Buffer.from(first) : first
    return Buffer.concat(pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)))
  }
}
