// Writes a feed of task events to an SSE response: encodes each payload once (stored text goes out unchanged where the
// generation allows), splices it into the frame of the binding, and waits for slow readers instead of buffering.

import type { ServerResponse } from 'node:http'
import type { Codec, Dialect } from '../dialects/dialect.ts'
import { isStreamed, type StreamEvent } from '../model/event.ts'
import type { StreamingOperation } from '../model/operation.ts'
import type { KeepAlive } from '../net/sse-writer.ts'
import { StreamWriter } from '../net/stream-writer.ts'
import type { EventFeed, LoggedEvent } from './service.ts'

/** Node fires longer timers at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

export interface PumpOptions {
  res: ServerResponse
  feed: EventFeed
  op: StreamingOperation
  dialect: Dialect
  codec: Codec
  /** What the binding puts around each payload, e.g. the JSON-RPC envelope; single-line. */
  envelope: { before: string; after: string }
  keepAlive: KeepAlive
  /** A reader that takes nothing for this long is disconnected; it can resume. */
  stallTimeoutMs: number
  /** When the caller's credentials end, and the stream with them. */
  endsAtMs: number | undefined
}

export async function pumpEvents(options: PumpOptions): Promise<void> {
  const { res, feed } = options
  const stopKeepAlive = options.keepAlive.add(res)
  const onClose = () => feed.close()
  const expiry =
    options.endsAtMs === undefined
      ? undefined
      : setTimeout(onClose, Math.min(options.endsAtMs - Date.now(), LONGEST_TIMER_MS))
  res.once('close', onClose)
  // The client may have left while the agent was thinking about its first word.
  if (res.destroyed) feed.close()
  const writer = new StreamWriter(res, options.stallTimeoutMs)
  try {
    if (feed.opening !== undefined) writer.write(frame(options, feed.opening, feed.openingSeq))
    for (let isOpen = !isLast(options, feed.opening); isOpen; ) {
      const events = await feed.next()
      if (events === undefined) break
      for (const logged of events) {
        if (!isStreamed(logged.event)) continue
        writer.write(loggedFrame(options, logged, logged.event))
        if (isLast(options, logged.event)) {
          isOpen = false
          break
        }
        if (writer.isFull) await writer.drained()
      }
    }
    writer.end()
  } finally {
    clearTimeout(expiry)
    stopKeepAlive()
    feed.close()
  }
}

/** A direct reply is all there is; a status may end the stream, by the rules of the generation. */
function isLast({ dialect, op }: PumpOptions, event: StreamEvent | undefined): boolean {
  if (event === undefined) return false
  return 'message' in event || ('statusUpdate' in event && dialect.endsStream(op, event.statusUpdate.status.state))
}

function loggedFrame(options: PumpOptions, logged: LoggedEvent, event: StreamEvent): string {
  if (!options.codec.eventsAreModelJson) return frame(options, event, logged.seq)
  const { before, after } = options.envelope
  return `id: ${logged.seq}\ndata: ${before}${logged.text}${after}\n\n`
}

function frame(options: PumpOptions, event: StreamEvent, seq: number | undefined): string {
  const { before, after } = options.envelope
  const name = options.dialect.eventName(event)
  const payload = JSON.stringify(options.codec.encodeEvent(event).wire)
  // JSON text and our own names hold no line breaks, so no value can open a field of its own.
  return `${name === undefined ? '' : `event: ${name}\n`}${seq === undefined ? '' : `id: ${seq}\n`}data: ${before}${payload}${after}\n\n`
}
