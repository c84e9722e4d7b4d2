// The answer to a request, read once: whole, as text, or as server-sent events. Until it is read or closed, the
// deadline of the request runs, so a forgotten response does not hold its connection.

import { pipeline, type Readable, type Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, constants as zlib } from 'node:zlib'
import { isPromise } from '../base/is-promise.ts'
import { type Exchange, headerOf, type RecordedFrame } from '../trace/exchange.ts'
import { ChunkReader } from './chunk-reader.ts'
import type { EarlyEnd } from './early-end.ts'
import type { ExchangeRecorder } from './exchange-recorder.ts'
import type { HttpRequest } from './http-request.ts'
import { type MediaType, parseMediaType } from './media-type.ts'
import { NetError, toNetError } from './net-error.ts'
import { SseParser, SseTooLarge } from './sse-reader.ts'

const DEFAULT_MAX_BODY_BYTES = 4 * 1024 * 1024
const DEFAULT_MAX_EVENT_BYTES = 4 * 1024 * 1024
const DEFAULT_IDLE_TIMEOUT_MS = 60_000
const DEFAULT_STREAM_TIMEOUT_MS = 600_000
/** How long a stream that has said its last may take to end, before its connection is given up. */
const LAST_BYTES_MS = 100

export interface HttpResponseDeps {
  status: number
  stream: Readable
  /** Whether the stream came to its end, not only to a stop. */
  isComplete: () => boolean
  /** Whether the bytes are already decompressed. */
  isInflated: boolean
  end: EarlyEnd
  origin: string
  recorder: ExchangeRecorder
  deadline: NodeJS.Timeout
  /** Gives back the timer and the signal's listener. */
  release: () => void
  request: HttpRequest
}

export class HttpResponse {
  readonly status: number
  /** Names as received, in order. */
  readonly headers: readonly (readonly [string, string])[]
  readonly contentType: MediaType | undefined
  readonly exchange: Exchange
  readonly #deps: HttpResponseDeps
  #isTaken = false
  #hasSaidAll = false
  #isEnding = false
  #bytes: Promise<Buffer> | undefined

  constructor(deps: HttpResponseDeps) {
    const { stream, recorder } = deps
    this.#deps = deps
    this.status = deps.status
    this.headers = recorder.exchange.response?.headers ?? []
    this.contentType = parseMediaType(this.header('content-type'))
    this.exchange = recorder.exchange
    // The connection may fail before anybody reads; whoever reads later learns of it from the stream.
    stream.on('error', () => {})
    stream.once('close', () => {
      if (!this.#isTaken && !deps.isComplete()) recorder.fail(this.#explain(stream.errored))
    })
  }

  /** The first value of that name. */
  header(name: string): string | undefined {
    return headerOf(this.headers, name)
  }

  /** The whole body, decompressed; the same however often it is asked for. */
  bytes(): Promise<Buffer> {
    this.#bytes ??= this.#readWhole()
    return this.#bytes
  }

  async text(): Promise<string> {
    return (await this.bytes()).toString('utf8')
  }

  /** Server-sent events as they arrive. Leaving the loop closes the connection. */
  async *frames(): AsyncGenerator<RecordedFrame, void, undefined> {
    for await (const frames of this.frameBatches()) yield* frames
  }

  /** The same, those together that came together: a step of the event loop for each would cost more than reading it. */
  async *frameBatches(): AsyncGenerator<readonly RecordedFrame[], void, undefined> {
    const { request, deadline, recorder, end, origin } = this.#deps
    const {
      idleTimeoutMs = DEFAULT_IDLE_TIMEOUT_MS,
      streamTimeoutMs = DEFAULT_STREAM_TIMEOUT_MS,
      maxEventBytes = DEFAULT_MAX_EVENT_BYTES,
    } = request
    const stream = this.#take()
    clearTimeout(deadline)
    const give = (message: string) => () => end.force(new NetError('timeout', `${origin} ${message}`))
    const total = setTimeout(give(`did not end its stream within ${streamTimeoutMs} ms.`), streamTimeoutMs)
    // Counts only while we wait for the peer: the time the caller takes is not the peer's silence.
    let isWaiting = false
    const onSilence = give(`sent nothing for ${idleTimeoutMs} ms.`)
    const idle = setTimeout(() => isWaiting && onSilence(), idleTimeoutMs)
    const chunks = new ChunkReader(stream)
    try {
      const parser = new SseParser({ maxEventLength: maxEventBytes })
      for (;;) {
        const coming = chunks.next()
        if (isPromise(coming)) {
          isWaiting = true
          idle.refresh()
        }
        const chunk = isPromise(coming) ? await coming : coming
        isWaiting = false
        if (chunk === undefined) break
        recorder.bytes(chunk)
        const events = parser.feed(chunk)
        if (events.length > 0) yield events.map((event) => recorder.frame(event))
        parser.check()
      }
      recorder.end()
    } catch (error) {
      throw recorder.fail(this.#explain(error))
    } finally {
      clearTimeout(total)
      clearTimeout(idle)
      // What becomes of the connection is decided here, not by leaving the loop.
      chunks.leave()
      if (!this.#hasSaidAll) stream.destroy()
      this.close()
    }
  }

  /** Nothing of interest is left: closing it now lets it come to its end, so that its connection can be used again. */
  saidAll(): void {
    this.#hasSaidAll = this.#isTaken && this.header('content-encoding') === undefined
  }

  /** Gives up what was not read. Safe to call at any time. */
  close(): void {
    const { stream, isComplete, end, recorder, release } = this.#deps
    release()
    if (this.#isEnding) return
    if (!isComplete() || !this.#isTaken) {
      this.#isTaken = true
      recorder.cut('closed before its end')
      if (!this.#hasSaidAll) end.force(new NetError('aborted', 'The answer was closed before its end.'))
    }
    recorder.end()
    if (this.#hasSaidAll && !stream.readableEnded) this.#letEnd()
  }

  #letEnd(): void {
    const { stream, end } = this.#deps
    this.#isEnding = true
    const giveUp = () => end.force(new NetError('aborted', 'The answer did not end with its last event.'))
    const timer = setTimeout(giveUp, LAST_BYTES_MS)
    stream.once('close', () => clearTimeout(timer))
    stream.resume()
  }

  async #readWhole(): Promise<Buffer> {
    const { recorder, request, origin, end, release } = this.#deps
    const { maxBodyBytes = DEFAULT_MAX_BODY_BYTES } = request
    const chunks: Buffer[] = []
    let size = 0
    try {
      await readAll(this.#take(), (chunk) => {
        recorder.bytes(chunk)
        size += chunk.length
        if (size > maxBodyBytes) throw new NetError('too-large', `${origin} sent more than ${maxBodyBytes} bytes.`)
        chunks.push(chunk)
      })
      recorder.end()
      return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, size)
    } catch (error) {
      const reason = this.#explain(error)
      end.force(reason)
      throw recorder.fail(reason)
    } finally {
      release()
    }
  }

  #take(): Readable {
    if (this.#isTaken) throw new NetError('protocol', 'The answer has already been read or closed.')
    this.#isTaken = true
    const { stream, isInflated } = this.#deps
    const encoding = isInflated ? undefined : this.header('content-encoding')?.trim().toLowerCase()
    const inflater = encoding === undefined ? undefined : INFLATERS.get(encoding)?.()
    if (inflater === undefined) return stream
    return pipeline(stream, inflater, () => {}) // Errors reach whoever reads the inflater.
  }

  #explain(error: unknown): NetError {
    const { end, origin } = this.#deps
    if (error instanceof SseTooLarge) return new NetError('too-large', `${origin}: ${error.message}`)
    return end.reason ?? toNetError(error, origin)
  }
}

/** Flushes at every boundary, since a stream must show each event when it arrives. */
const INFLATERS = new Map<string, () => Transform>([
  ['gzip', () => createGunzip({ flush: zlib.Z_SYNC_FLUSH })],
  ['x-gzip', () => createGunzip({ flush: zlib.Z_SYNC_FLUSH })],
  ['deflate', () => createInflate({ flush: zlib.Z_SYNC_FLUSH })],
  ['br', () => createBrotliDecompress({ flush: zlib.BROTLI_OPERATION_FLUSH })],
])

/** Every chunk, and then the end of it: less work than an iterator for answers that come in one piece. */
function readAll(stream: Readable, onChunk: (chunk: Buffer) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.on('data', (chunk: Buffer) => {
      try {
        onChunk(chunk)
      } catch (error) {
        reject(error as Error)
      }
    })
    stream.once('end', resolve)
    stream.once('error', reject)
    stream.once('close', () => {
      // An error that will not be seen costs more than the rest of it.
      if (stream.readableEnded) return
      reject(stream.errored ?? new NetError('reset', 'The peer closed the connection.'))
    })
  })
}
