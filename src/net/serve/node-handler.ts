// Sends answers over node:http: whole ones together with what else is ready at the end of a turn of the event loop
// (docs/decisions/0006), feeds piece by piece as their reader takes them. The only place that writes to a ServerResponse.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { isPromise } from '../../base/is-promise.ts'
import { KeepAlive } from './keep-alive.ts'
import { NodeRequest } from './node-request.ts'
import { pauseAfterRejection } from './pause-after-rejection.ts'
import {
  type EventBody,
  errorText,
  type Handler,
  type HeaderList,
  type MessageBody,
  type NoReply,
  type Reply,
  type WholeBody,
} from './reply.ts'
import { StreamWriter } from './stream-writer.ts'
import { flushAtTurnEnd } from './write-batch.ts'

export interface NodeHandlerOptions {
  readonly keepAlive?: KeepAlive
  /** A stream whose reader takes nothing for this long is cut. */
  readonly stallTimeoutMs?: number
  /** Whether clients that are told to come back later should also be read later. */
  isBusy?(): boolean
  /** Told of what the handler threw; the peer only learns that there was an internal error. */
  onError?(error: unknown): void
}

export type NodeListener = (req: IncomingMessage, res: ServerResponse) => void

export const STALL_TIMEOUT_MS = 60_000

interface Streaming {
  readonly keepAlive: KeepAlive
  readonly stallTimeoutMs: number
}

export function nodeHandler(handle: Handler, options: NodeHandlerOptions = {}): NodeListener {
  const { keepAlive = new KeepAlive(), stallTimeoutMs = STALL_TIMEOUT_MS } = options
  const streaming: Streaming = { keepAlive, stallTimeoutMs }
  const failed = (error: unknown, res: ServerResponse): void => {
    if (res.headersSent) res.destroy()
    else sendWhole(res, 500, INTERNAL_ERROR.headers, INTERNAL_ERROR.body, true)
    options.onError?.(error)
  }
  const answer = (req: IncomingMessage, res: ServerResponse, reply: Reply | NoReply): void => {
    try {
      send(req, res, reply, streaming)
    } catch (error) {
      failed(error, res)
    }
  }
  return (req, res) => {
    if (options.isBusy?.()) pauseAfterRejection(req, res)
    try {
      const reply = handle(new NodeRequest(req, res))
      if (!isPromise(reply)) answer(req, res, reply)
      else
        reply.then(
          (value) => answer(req, res, value),
          (error: unknown) => failed(error, res),
        )
    } catch (error) {
      failed(error, res)
    }
  }
}

const INTERNAL_ERROR: { headers: HeaderList; body: string } = {
  headers: ['Content-Type', 'application/json'],
  body: errorText(500, 'Something went wrong in this server; the request was not completed.'),
}

function send(req: IncomingMessage, res: ServerResponse, reply: Reply | NoReply, streaming: Streaming): void {
  if ('ending' in reply) {
    if (reply.ending === 'reset') res.socket?.resetAndDestroy()
    if (reply.ending === 'close') res.socket?.destroySoon()
    return
  }
  const { status, headers, body } = reply
  const hasBody = req.method !== 'HEAD'
  if (typeof body !== 'object' || body instanceof Uint8Array) sendWhole(res, status, headers, body, hasBody)
  else {
    res.writeHead(status, [...headers])
    if (hasBody) void sendFeed(res, body, streaming)
    else {
      body.feed.close()
      res.end()
    }
  }
}

function sendWhole(
  res: ServerResponse,
  status: number,
  headers: HeaderList,
  body: WholeBody,
  /** A HEAD is told how long the answer would be. */
  hasBody: boolean,
): void {
  const isBare = body === undefined && (status === 204 || status === 304)
  const length = body === undefined ? 0 : typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength
  // The head is written at once, so that a wrong field is an error of whoever made it.
  res.writeHead(status, isBare ? [...headers] : [...headers, 'Content-Length', String(length)])
  flushAtTurnEnd(() => {
    if (res.destroyed) return
    if (!hasBody || length === 0) res.end()
    // Text of one byte a character is copied, not encoded.
    else if (typeof body === 'string') res.end(body, length === body.length ? 'latin1' : 'utf8')
    else res.end(body)
  })
}

/** Never rejects: who made the feed knows what went wrong with it, and the reader learns it from the missing end. */
async function sendFeed(
  res: ServerResponse,
  body: EventBody | MessageBody,
  { keepAlive, stallTimeoutMs }: Streaming,
): Promise<void> {
  const { feed } = body
  const stopKeepAlive = body.kind === 'events' ? keepAlive.add(res) : undefined
  res.once('close', () => feed.close())
  // The client may have left while the answer was being made.
  if (res.destroyed) feed.close()
  const writer = new StreamWriter(res, stallTimeoutMs)
  try {
    for (;;) {
      const next = feed.next()
      // A client that waits for the first event shall know that its stream is open.
      if (isPromise(next)) writer.open()
      const piece = isPromise(next) ? await next : next
      if (piece === undefined) break
      writer.write(piece)
      if (writer.isFull) await writer.drained()
    }
    writer.end(body.kind === 'messages' ? body.trailers?.() : undefined)
  } catch {
    writer.cut()
  } finally {
    stopKeepAlive?.()
    feed.close()
  }
}
