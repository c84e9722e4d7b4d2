// Server-sent events, the receiving side: bytes in, events out, as the WHATWG algorithm reads them, with a bound on
// what one event may make us hold. Split UTF-8 sequences, a byte order mark and CR, LF or CRLF are the parser's and
// decoder's business and need no care here.

import { createParser, type EventSourceParser } from 'eventsource-parser'

export interface SseEvent {
  event: string | undefined
  id: string | undefined
  data: string
}

export interface SseReadOptions {
  /** Characters of one event, complete or not. */
  maxEventLength?: number
  onComment?: (comment: string) => void
  onRetry?: (retryMs: number) => void
}

export class SseTooLarge extends Error {
  override readonly name = 'SseTooLarge'

  constructor(maxEventLength: number) {
    super(`A server-sent event is longer than ${maxEventLength} characters.`)
  }
}

const MAX_EVENT_LENGTH = 4 * 1024 * 1024

/** Bytes in, the events they complete out. An event cut off by the end of the stream is not delivered, as the standard asks. */
export class SseParser {
  readonly #parser: EventSourceParser
  // The parser strips the byte order mark; a decoder that did so too would strip two.
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  readonly #maxEventLength: number
  #ready: SseEvent[] = []
  #isTooLarge = false

  constructor({ maxEventLength = MAX_EVENT_LENGTH, onComment, onRetry }: SseReadOptions = {}) {
    this.#maxEventLength = maxEventLength
    this.#parser = createParser({
      maxBufferSize: maxEventLength,
      onEvent: ({ event, id, data }) => {
        if (data.length > maxEventLength) this.#isTooLarge = true
        else this.#ready.push({ event, id, data })
      },
      onComment,
      onRetry,
      onError: (error) => {
        if (error.type === 'max-buffer-size-exceeded') this.#isTooLarge = true
      },
    })
  }

  feed(chunk: Uint8Array): readonly SseEvent[] {
    this.#parser.feed(this.#decoder.decode(chunk, { stream: true }))
    const events = this.#ready
    this.#ready = []
    return events
  }

  /** Throws SseTooLarge, once what came before is taken. */
  check(): void {
    if (this.#isTooLarge) throw new SseTooLarge(this.#maxEventLength)
  }
}

/** Throws SseTooLarge. */
export async function* readSse(
  bytes: AsyncIterable<Uint8Array>,
  options: SseReadOptions = {},
): AsyncGenerator<SseEvent, void, undefined> {
  const parser = new SseParser(options)
  for await (const chunk of bytes) {
    yield* parser.feed(chunk)
    parser.check()
  }
}

/** The data of the first event in a body that was read whole; undefined when there is none. */
export function firstSseData(text: string): string | undefined {
  let first: string | undefined
  const parser = createParser({ onEvent: ({ data }) => (first ??= data) })
  parser.feed(text)
  return first
}
