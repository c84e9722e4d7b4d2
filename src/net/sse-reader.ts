// Server-sent events, the receiving side: bytes in, events out, as the WHATWG algorithm reads them, with a bound on
// what one event may make us hold. Split UTF-8 sequences, a byte order mark and CR, LF or CRLF are the parser's and
// decoder's business and need no care here.

import { createParser } from 'eventsource-parser'

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

/** Throws SseTooLarge; an event cut off by the end of the stream is not delivered, as the standard asks. */
export async function* readSse(
  bytes: AsyncIterable<Uint8Array>,
  { maxEventLength = MAX_EVENT_LENGTH, onComment, onRetry }: SseReadOptions = {},
): AsyncGenerator<SseEvent, void, undefined> {
  let ready: SseEvent[] = []
  let isTooLarge = false
  const parser = createParser({
    maxBufferSize: maxEventLength,
    onEvent({ event, id, data }) {
      if (data.length > maxEventLength) isTooLarge = true
      else ready.push({ event, id, data })
    },
    onComment,
    onRetry,
    onError(error) {
      if (error.type === 'max-buffer-size-exceeded') isTooLarge = true
    },
  })
  // The parser strips the byte order mark; a decoder that did so too would strip two.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  for await (const chunk of bytes) {
    parser.feed(decoder.decode(chunk, { stream: true }))
    const events = ready
    ready = []
    yield* events
    if (isTooLarge) throw new SseTooLarge(maxEventLength)
  }
}

/** The data of the first event in a body that was read whole; undefined when there is none. */
export function firstSseData(text: string): string | undefined {
  let first: string | undefined
  const parser = createParser({ onEvent: ({ data }) => (first ??= data) })
  parser.feed(text)
  return first
}
