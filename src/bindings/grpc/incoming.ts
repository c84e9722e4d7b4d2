// One gRPC call on the serving side, down to HTTP/2: its messages in, its messages and its end out. What a call means is
// decided elsewhere; here it is made sure that every call gets exactly one end, and none can hold more than its limits.

import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2'
import type { Socket } from 'node:net'
import { http2 } from '../../net/node-http.ts'
import { SocketPeer } from '../../net/serve/node-request.ts'
import type { Peer } from '../../net/serve/request.ts'
import { BadFrame, FrameReader } from './frames.ts'
import { GRPC, type GrpcOutcome, writeOutcome } from './status.ts'

export const GRPC_CONTENT_TYPE = 'application/grpc+proto'

/** A call that ends with this status instead of an answer. */
export class GrpcRefusal extends Error {
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

const ENCODINGS = 'identity,gzip'
const TIMEOUT_UNITS: Readonly<Record<string, number>> = {
  ...{ H: 3_600_000, M: 60_000, S: 1_000, m: 1, u: 0.001, n: 0.000_001 },
}
/** Node fires longer timers at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

export class IncomingCall {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly stream: ServerHttp2Stream
  /** More headers of the answer. */
  readonly answerHeaders: Record<string, string> = {}
  #isEnded = false
  #hasHead = false
  #deadline: NodeJS.Timeout | undefined
  #trailers: Record<string, string> = {}

  constructor(stream: ServerHttp2Stream, headers: IncomingHttpHeaders) {
    this.stream = stream
    this.headers = headers
    this.path = String(headers[':path'] ?? '')
    // A peer that left is no error.
    stream.on('error', () => {})
    stream.once('close', () => {
      this.#isEnded = true
      clearTimeout(this.#deadline)
    })
  }

  get peer(): Peer | undefined {
    const socket = this.stream.session?.socket
    return socket === undefined ? undefined : new SocketPeer(socket as Socket)
  }

  /** The call is over: answered, refused, or left by its caller. */
  get isOver(): boolean {
    return this.#isEnded || this.stream.destroyed
  }

  /** Ends the wait when the caller's deadline is over; what was begun goes on. Throws GrpcRefusal when it is now. */
  watchDeadline(): void {
    const text = this.headers['grpc-timeout']
    if (typeof text !== 'string') return
    const [, digits = '', unit = ''] = /^(\d{1,8})([HMSmun])$/.exec(text) ?? []
    const factor = TIMEOUT_UNITS[unit]
    if (factor === undefined)
      throw new GrpcRefusal(GRPC.invalidArgument, `grpc-timeout is no time: ${text.slice(0, 20)}.`)
    const ms = Number(digits) * factor
    const late = { code: GRPC.deadlineExceeded, message: 'The deadline of the call is over.', details: [] }
    if (ms <= 0) throw new GrpcRefusal(late.code, late.message)
    this.#deadline = setTimeout(() => this.end(late), Math.min(ms, LONGEST_TIMER_MS))
  }

  /** The one message of a call that takes one. */
  message(maxBytes: number): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      let found: Buffer | undefined
      this.messages(
        maxBytes,
        (message) => {
          if (found !== undefined) throw new GrpcRefusal(GRPC.internal, 'The call takes one message, and more came.')
          found = message
        },
        (error) => {
          if (error !== undefined) reject(error)
          else if (found === undefined)
            reject(new GrpcRefusal(GRPC.internal, 'The call takes a message, and none came.'))
          else resolve(found)
        },
      )
    })
  }

  /** Every message as it comes; `done` once, when there are no more. */
  messages(maxBytes: number, onMessage: (message: Buffer) => void, done: (error?: Error) => void): void {
    const { stream } = this
    const encoding = this.headers['grpc-encoding']
    const reader = new FrameReader({ maxBytes, encoding: typeof encoding === 'string' ? encoding : undefined })
    let isDone = false
    const finish = (error?: Error) => {
      if (isDone) return
      isDone = true
      done(error)
    }
    stream.on('data', (chunk: Buffer) => {
      if (isDone) return
      try {
        for (const message of reader.push(chunk)) onMessage(message)
      } catch (error) {
        finish(error instanceof BadFrame ? this.#refusalOf(error) : (error as Error))
      }
    })
    stream.once('end', () =>
      finish(
        reader.isInside ? new GrpcRefusal(GRPC.internal, 'The call ended in the middle of a message.') : undefined,
      ),
    )
    stream.once('close', () => finish(new GrpcRefusal(GRPC.cancelled, 'The caller left.')))
  }

  /** One message and a good end. */
  answer(message: Buffer): void {
    if (this.isOver) return
    this.#head()
    this.#isEnded = true
    clearTimeout(this.#deadline)
    this.#trailers = { 'grpc-status': '0' }
    this.stream.end(message)
  }

  /** A message of a stream; false when the reader should be waited for. */
  write(message: Buffer): boolean {
    if (this.isOver) return true
    this.#head()
    return this.stream.write(message)
  }

  /** Resolves when the reader has taken what waits; false when it took nothing for so long. */
  drained(stallMs: number): Promise<boolean> {
    const { stream } = this
    return new Promise((resolve) => {
      const settle = (isTaken: boolean) => () => {
        clearTimeout(timer)
        stream.off('drain', onDrain)
        stream.off('close', onClose)
        resolve(isTaken)
      }
      const [onDrain, onClose] = [settle(true), settle(true)]
      const timer = setTimeout(settle(false), stallMs)
      stream.once('drain', onDrain)
      stream.once('close', onClose)
    })
  }

  /** The end: trailers after what was sent, or alone. */
  end(outcome: GrpcOutcome, more: Readonly<Record<string, string>> = {}): void {
    if (this.isOver) return
    this.#isEnded = true
    clearTimeout(this.#deadline)
    const trailers = { ...Object.fromEntries(writeOutcome(outcome)), ...more }
    if (this.#hasHead) {
      this.#trailers = trailers
      this.stream.end()
    } else {
      const head = { ':status': 200, 'content-type': GRPC_CONTENT_TYPE, ...this.answerHeaders, ...trailers }
      this.stream.respond(head, { endStream: true })
    }
    // Whatever the caller still sends is not read.
    if (!this.stream.readableEnded) this.stream.close(http2().constants.NGHTTP2_NO_ERROR)
  }

  /** For requests that are no gRPC call at all: plain HTTP. */
  refuseHttp(status: number, text: string): void {
    if (this.isOver) return
    this.#isEnded = true
    this.stream.respond({ ':status': status, 'content-type': 'text/plain; charset=utf-8' })
    this.stream.end(`${text}\n`)
  }

  /** Cuts a call whose reader does not read. */
  cut(): void {
    this.#isEnded = true
    this.stream.close(http2().constants.NGHTTP2_CANCEL)
  }

  #head(): void {
    if (this.#hasHead) return
    this.#hasHead = true
    this.stream.respond(
      { ':status': 200, 'content-type': GRPC_CONTENT_TYPE, ...this.answerHeaders },
      { waitForTrailers: true },
    )
    this.stream.once('wantTrailers', () => this.stream.sendTrailers(this.#trailers))
  }

  #refusalOf({ problem, message }: BadFrame): GrpcRefusal {
    if (problem === 'too-large') return new GrpcRefusal(GRPC.resourceExhausted, message)
    if (problem === 'broken') return new GrpcRefusal(GRPC.internal, message)
    this.answerHeaders['grpc-accept-encoding'] = ENCODINGS
    return new GrpcRefusal(GRPC.unimplemented, message)
  }
}

/** Metadata whose name ends in -bin is base64. */
export function checkMetadata(headers: IncomingHttpHeaders): void {
  for (const [name, value] of Object.entries(headers)) {
    if (!name.endsWith('-bin')) continue
    for (const part of String(value).split(','))
      if (!/^\s*[A-Za-z0-9+/]*={0,2}\s*$/.test(part) || part.replace(/[=\s]/g, '').length % 4 === 1)
        throw new GrpcRefusal(GRPC.invalidArgument, `The metadata ${name.slice(0, 60)} is not base64.`)
  }
}
