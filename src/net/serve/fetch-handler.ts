// Answers requests of the Fetch standard: whole bodies as they are, feeds as streams that are pulled by their reader, kept
// alive with comments while they are silent, and given up when they are not read.

import { FetchRequest } from './fetch-request.ts'
import { STALL_TIMEOUT_MS } from './node-handler.ts'
import {
  type EventBody,
  errorReply,
  type Feed,
  type Handler,
  headerPairs,
  type MessageBody,
  type Piece,
  type Reply,
} from './reply.ts'
import type { Peer } from './request.ts'

/** What a Fetch request does not say about its caller. */
export interface FetchContext {
  /** Who is calling, as far as the host knows. Without an address nothing is limited by address. */
  readonly peer?: Peer | undefined
}

export interface FetchHandlerOptions {
  /** How often a silent stream gets a comment. */
  readonly keepAliveMs?: number
  /** A stream whose reader takes nothing for this long is given up. */
  readonly stallTimeoutMs?: number
  /** Told of what the handler threw; the client only learns that there was an internal error. */
  onError?(error: unknown): void
}

export type FetchListener = (request: Request, context?: FetchContext) => Promise<Response>

const KEEP_ALIVE_MS = 15_000
const COMMENT = ':\n\n'

export function fetchHandler(handle: Handler, options: FetchHandlerOptions = {}): FetchListener {
  return async (given, { peer = {} } = {}) => {
    const request = new FetchRequest(given, peer)
    let reply: Reply
    try {
      const answered = await handle(request)
      if ('ending' in answered) throw new Error('An answer was left out, which Fetch cannot do.')
      reply = answered
    } catch (error) {
      options.onError?.(error)
      reply = errorReply(500, 'Something went wrong in this server; the request was not completed.')
    }
    return responseOf(request, reply, options)
  }
}

function responseOf(request: FetchRequest, reply: Reply, options: FetchHandlerOptions): Response {
  const { status, body } = reply
  const headers = headerPairs(reply.headers)
  const isHead = request.method === 'HEAD'
  if (typeof body === 'object' && !(body instanceof Uint8Array)) {
    if (isHead) body.feed.close()
    return new Response(isHead ? null : new FeedStream(request, body, options).stream, { status, headers })
  }
  request.close(true)
  if (body === undefined) return new Response(null, { status, headers })
  const length = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength
  headers.push(['Content-Length', String(length)])
  return new Response(isHead ? null : (body as string | Uint8Array<ArrayBuffer>), { status, headers })
}

/** A feed as a stream of bytes. */
class FeedStream {
  readonly stream: ReadableStream<Uint8Array>
  readonly #request: FetchRequest
  readonly #feed: Feed<Piece>
  readonly #stallTimeoutMs: number
  readonly #keepAlive: NodeJS.Timeout | undefined
  readonly #encoder = new TextEncoder()
  #stalled: NodeJS.Timeout | undefined
  #isOver = false

  constructor(request: FetchRequest, body: EventBody | MessageBody, options: FetchHandlerOptions) {
    const { keepAliveMs = KEEP_ALIVE_MS, stallTimeoutMs = STALL_TIMEOUT_MS } = options
    this.#request = request
    this.#feed = body.feed
    this.#stallTimeoutMs = stallTimeoutMs
    let controller: ReadableStreamDefaultController<Uint8Array> | undefined
    this.stream = new ReadableStream<Uint8Array>(
      {
        start: (given) => {
          controller = given
        },
        pull: (given) => this.#pull(given),
        cancel: () => this.#end(false),
      },
      { highWaterMark: 0 },
    )
    if (body.kind === 'events')
      this.#keepAlive = setInterval(() => {
        // A stream with bytes waiting needs no comment, and must not collect any.
        if (controller?.desiredSize === 0) controller.enqueue(this.#encoder.encode(COMMENT))
      }, keepAliveMs)
    request.onClose(() => this.#end(false))
  }

  async #pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    clearTimeout(this.#stalled)
    try {
      let piece = await this.#feed.next()
      while (piece === '') piece = await this.#feed.next()
      if (this.#isOver) return
      if (piece === undefined) {
        this.#end(true)
        controller.close()
        return
      }
      controller.enqueue(typeof piece === 'string' ? this.#encoder.encode(piece) : piece)
    } catch (error) {
      // Whoever made the feed knows what went wrong with it; the reader learns it from the missing end.
      this.#end(false)
      controller.error(error)
      return
    }
    this.#stalled = setTimeout(() => {
      this.#end(false)
      controller.error(new Error('This stream was not read for too long.'))
    }, this.#stallTimeoutMs)
  }

  #end(isAnswered: boolean): void {
    if (this.#isOver) return
    this.#isOver = true
    clearInterval(this.#keepAlive)
    clearTimeout(this.#stalled)
    this.#feed.close()
    this.#request.close(isAnswered)
  }
}
