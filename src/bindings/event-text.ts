// A feed of task events as the text of server-sent events: each payload is encoded once (stored text goes out unchanged
// where the generation allows) and spliced into the frame of the binding.

import type { MaybePromise } from '../base/maybe-promise.ts'
import type { Codec, Dialect } from '../dialects/dialect.ts'
import { A2AError } from '../model/errors.ts'
import { isStreamed, type StreamEvent } from '../model/event.ts'
import type { StreamingOperation } from '../model/operation.ts'
import type { Feed } from '../net/serve/reply.ts'
import type { EventFeed, LoggedEvent } from './service.ts'

/** Node fires longer timers at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1
/** So much is made at once; the reader takes it before there is more. */
const PIECE_LENGTH = 64 * 1024

export interface EventTextOptions {
  readonly feed: EventFeed
  readonly op: StreamingOperation
  readonly dialect: Dialect
  readonly codec: Codec
  /** What the binding puts around each payload, e.g. the JSON-RPC envelope; single-line. */
  readonly envelope: { before: string; after: string }
  /** When the caller's credentials end, and the stream with them. */
  readonly endsAtMs: number | undefined
  /** Told of what is our own fault; the reader only loses the stream. */
  onInternalError(error: unknown): void
}

export class EventText implements Feed<string> {
  readonly #options: EventTextOptions
  readonly #expiry: NodeJS.Timeout | undefined
  #isOpened = false
  #isOver = false
  /** Read and not yet said: the rest of a batch that is larger than a piece. */
  #events: readonly LoggedEvent[] = []
  #at = 0

  constructor(options: EventTextOptions) {
    this.#options = options
    const { endsAtMs } = options
    if (endsAtMs !== undefined)
      this.#expiry = setTimeout(() => options.feed.close(), Math.min(endsAtMs - Date.now(), LONGEST_TIMER_MS))
  }

  next(): MaybePromise<string | undefined> {
    const { feed } = this.#options
    if (!this.#isOpened) {
      this.#isOpened = true
      if (feed.opening !== undefined) {
        this.#isOver = this.#isLast(feed.opening)
        return this.#frame(feed.opening, feed.openingSeq)
      }
    }
    if (this.#at < this.#events.length) return this.#piece()
    return this.#isOver ? undefined : feed.next().then(this.#take, this.#fail)
  }

  close(): void {
    clearTimeout(this.#expiry)
    this.#options.feed.close()
  }

  readonly #take = (events: readonly LoggedEvent[] | undefined): string | undefined => {
    if (events === undefined) return undefined
    this.#events = events
    this.#at = 0
    return this.#piece()
  }

  readonly #fail = (error: unknown): never => {
    if (!(error instanceof A2AError)) this.#options.onInternalError(error)
    throw error
  }

  #piece(): string {
    let text = ''
    while (this.#at < this.#events.length && text.length <= PIECE_LENGTH) {
      const logged = this.#events[this.#at++]
      if (logged === undefined || !isStreamed(logged.event)) continue
      text += this.#loggedFrame(logged, logged.event)
      if (!this.#isLast(logged.event)) continue
      this.#isOver = true
      this.#at = this.#events.length
    }
    return text
  }

  /** A direct reply is all there is; a status may end the stream, by the rules of the generation. */
  #isLast(event: StreamEvent): boolean {
    if ('message' in event) return true
    const { dialect, op } = this.#options
    return 'statusUpdate' in event && dialect.endsStream(op, event.statusUpdate.status.state)
  }

  #loggedFrame(logged: LoggedEvent, event: StreamEvent): string {
    if (!this.#options.codec.eventsAreModelJson) return this.#frame(event, logged.seq)
    const { before, after } = this.#options.envelope
    return `id: ${logged.seq}\ndata: ${before}${logged.text}${after}\n\n`
  }

  #frame(event: StreamEvent, seq: number | undefined): string {
    const { before, after } = this.#options.envelope
    const name = this.#options.dialect.eventName(event)
    const payload = JSON.stringify(this.#options.codec.encodeEvent(event).wire)
    // JSON text and our own names hold no line breaks, so no value can open a field of its own.
    return `${name === undefined ? '' : `event: ${name}\n`}${seq === undefined ? '' : `id: ${seq}\n`}data: ${before}${payload}${after}\n\n`
  }
}
