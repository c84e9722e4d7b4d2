// A feed of task events as messages of a gRPC stream: each event is encoded once, however many read it, and what there is
// at once is one piece. How the stream ends is known only then, and told in the trailers.

import type { MaybePromise } from '../../base/maybe-promise.ts'
import type { Codec, Dialect } from '../../dialects/dialect.ts'
import { A2AError } from '../../model/errors.ts'
import { isStreamed, type StreamEvent } from '../../model/event.ts'
import type { StreamingOperation } from '../../model/operation.ts'
import type { Feed, HeaderList } from '../../net/serve/reply.ts'
import type { BindingMount } from '../mount.ts'
import type { EventFeed, LoggedEvent } from '../service.ts'
import { FRAMED, withPrefix } from './frames.ts'
import { encodeMessage } from './proto/encode.ts'
import type { MessageType } from './proto/schema.ts'
import { endOf, GOOD_END, GrpcRefusal } from './refusal.ts'
import { GRPC } from './status.ts'

/** Node fires longer timers at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1
/** So much is made at once; the reader takes it before there is more. */
const PIECE_LENGTH = 64 * 1024

export interface EventBytesOptions {
  readonly feed: EventFeed
  readonly op: StreamingOperation
  readonly dialect: Dialect
  readonly codec: Codec
  readonly type: MessageType
  readonly mount: BindingMount
  /** When the caller's credentials end, and the stream with them. */
  readonly endsAtMs: number | undefined
  /** When the caller does not want to wait any longer. */
  readonly deadlineMs: number | undefined
}

/**
 * The bytes of the last events, for those who read the same ones at the same time. A few places, because bytes that are
 * kept as long as their event lives are paid for at every collection.
 */
const RECENT = 256
const recent: ({ event: StreamEvent; codec: Codec; bytes: Buffer } | undefined)[] = new Array(RECENT)

export class EventBytes implements Feed<Uint8Array> {
  readonly #options: EventBytesOptions
  readonly #timer: NodeJS.Timeout | undefined
  #isOpened = false
  #isOver = false
  #end: HeaderList = GOOD_END
  /** Read and not yet said: the rest of a batch that is larger than a piece. */
  #events: readonly LoggedEvent[] = []
  #at = 0

  constructor(options: EventBytesOptions) {
    this.#options = options
    const { endsAtMs = Number.POSITIVE_INFINITY, deadlineMs = Number.POSITIVE_INFINITY } = options
    const first = Math.min(endsAtMs, deadlineMs)
    if (first === Number.POSITIVE_INFINITY) return
    const why = deadlineMs <= endsAtMs ? deadlineExceeded() : credentialsExpired()
    const stop = () => this.#endWith(why)
    this.#timer = setTimeout(stop, Math.min(Math.max(first - Date.now(), 1), LONGEST_TIMER_MS))
  }

  next(): MaybePromise<Uint8Array | undefined> {
    const { feed } = this.#options
    if (!this.#isOpened) {
      this.#isOpened = true
      if (feed.opening !== undefined) {
        this.#isOver = this.#isLast(feed.opening)
        return this.#bytes(feed.opening, feed.openingSeq ?? 0)
      }
    }
    if (this.#at < this.#events.length) return this.#piece()
    return this.#isOver ? undefined : feed.next().then(this.#take, this.#fail)
  }

  trailers(): HeaderList {
    return this.#end
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#options.feed.close()
  }

  readonly #take = (events: readonly LoggedEvent[] | undefined): Uint8Array | undefined => {
    if (events === undefined || this.#isOver) return undefined
    this.#events = events
    this.#at = 0
    return this.#piece()
  }

  readonly #fail = (error: unknown): undefined => {
    if (!this.#isOver) this.#endWith(error)
  }

  #endWith(error: unknown): void {
    const { dialect, mount, feed } = this.#options
    this.#isOver = true
    this.#end = endOf(error, dialect, mount)
    feed.close()
  }

  #piece(): Uint8Array {
    const pieces: Buffer[] = []
    let length = 0
    while (this.#at < this.#events.length && length <= PIECE_LENGTH) {
      const logged = this.#events[this.#at++]
      if (logged === undefined || !isStreamed(logged.event)) continue
      const bytes = this.#bytes(logged.event, logged.seq)
      pieces.push(bytes)
      length += bytes.length
      if (!this.#isLast(logged.event)) continue
      this.#isOver = true
      this.#at = this.#events.length
    }
    const [first] = pieces
    return pieces.length === 1 && first !== undefined ? first : Buffer.concat(pieces, length)
  }

  /** A direct reply is all there is; a status may end the stream, by the rules of the generation. */
  #isLast(event: StreamEvent): boolean {
    if ('message' in event) return true
    const { dialect, op } = this.#options
    return 'statusUpdate' in event && dialect.endsStream(op, event.statusUpdate.status.state)
  }

  #bytes(event: StreamEvent, seq: number): Buffer {
    const { codec, type } = this.#options
    const found = recent[seq % RECENT]
    if (found?.event === event && found.codec === codec) return found.bytes
    const wire = codec.encodeEvent(event).wire
    const bytes = withPrefix(encodeMessage(type, wire, FRAMED))
    recent[seq % RECENT] = { event, codec, bytes }
    return bytes
  }
}

export function deadlineExceeded(): GrpcRefusal {
  return new GrpcRefusal(GRPC.deadlineExceeded, 'The deadline of the call has passed.')
}

function credentialsExpired(): A2AError {
  return new A2AError('Unauthenticated', 'The credentials of the stream have expired.')
}
