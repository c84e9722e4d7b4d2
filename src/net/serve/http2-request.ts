// A request of node:http2 as a value: one stream of a connection. Nothing is worked out before it is asked for.

import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2'
import type { Socket } from 'node:net'
import { http2 } from '../node-http.ts'
import { type BodyLimits, bodyAborted, IncomingBody } from './incoming-body.ts'
import { leavingSignal } from './leaving-signal.ts'
import { originAt, SocketPeer } from './node-request.ts'
import type { Peer, RequestBody, RequestHeaders, ServerRequest } from './request.ts'

export interface Http2RequestOptions {
  /** What stands in front of the path for whoever answers: calls of gRPC cannot say which agent they are for. */
  readonly pathPrefix: string
  /** A body that is not complete by then is given up. */
  readonly bodyTimeoutMs: number
}

export class Http2Request implements ServerRequest, RequestBody {
  readonly path: string
  readonly query: string
  readonly headers: RequestHeaders
  readonly rawHeaders: readonly string[]
  readonly takesTrailers = true
  readonly stream: ServerHttp2Stream
  readonly #options: Http2RequestOptions
  #signal: AbortSignal | undefined
  #isRead = false

  constructor(
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    rawHeaders: readonly string[],
    options: Http2RequestOptions,
  ) {
    this.stream = stream
    this.headers = headers
    this.rawHeaders = rawHeaders
    this.#options = options
    const url = headers[':path'] ?? '/'
    const mark = url.indexOf('?')
    this.path = options.pathPrefix + (mark < 0 ? url : url.slice(0, mark))
    this.query = mark < 0 ? '' : url.slice(mark + 1)
  }

  /** Of the header list, as HTTP/2 counts it: 32 for each field (RFC 9113 §6.5.2). node:http2 only announces its limit. */
  get headBytes(): number {
    let bytes = this.rawHeaders.length * 16
    for (const text of this.rawHeaders) bytes += text.length
    return bytes
  }

  get method(): string {
    return String(this.headers[':method'] ?? '')
  }

  get url(): string {
    return this.query === '' ? this.path : `${this.path}?${this.query}`
  }

  get peer(): Peer {
    const socket = this.stream.session?.socket
    return socket === undefined ? {} : new SocketPeer(socket as Socket)
  }

  get origin(): string | undefined {
    const socket = this.stream.session?.socket
    return socket === undefined ? undefined : originAt(socket as Socket)
  }

  get signal(): AbortSignal {
    this.#signal ??= leavingSignal(this)
    return this.#signal
  }

  onClose(listener: (isAnswered: boolean) => void): void {
    const { stream } = this
    const tell = () => listener(stream.writableFinished && stream.rstCode === 0)
    if (stream.closed) tell()
    else stream.once('close', tell)
  }

  /** The body is the request itself: one object less for each. */
  get body(): RequestBody {
    return this
  }

  get isEmpty(): boolean {
    return this.stream.endAfterHeaders
  }

  read(limits: BodyLimits): Promise<Buffer> {
    const { stream } = this
    const body = new IncomingBody(limits, undefined, () => stream.close(http2().constants.NGHTTP2_ENHANCE_YOUR_CALM))
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        body.end()
        reject(bodyAborted())
        stream.close(http2().constants.NGHTTP2_CANCEL)
      }, this.#options.bodyTimeoutMs)
      let isOver = false
      const settle = (): boolean => {
        const isFirst = !isOver
        isOver = true
        clearTimeout(timer)
        body.end()
        return isFirst
      }
      this.pieces(
        (piece) => {
          const fault = isOver ? undefined : body.add(piece)
          if (fault === undefined) return
          settle()
          // What still comes is dropped by the flow control: it is not read, and the answer ends the stream.
          stream.pause()
          reject(fault)
        },
        (isWhole) => {
          if (!settle()) return
          if (isWhole) resolve(body.whole())
          else reject(bodyAborted())
        },
      )
    })
  }

  /** The body as it comes; `onEnd` once, with whether that was all of it. */
  pieces(onPiece: (piece: Buffer) => void, onEnd: (isWhole: boolean) => void): void {
    if (this.#isRead) throw new Error('The body of this request has been read already.')
    this.#isRead = true
    const { stream } = this
    let isOver = false
    const over = (isWhole: boolean) => {
      if (isOver) return
      isOver = true
      onEnd(isWhole)
    }
    stream.on('data', onPiece)
    stream.on('end', () => over(true))
    stream.on('close', () => over(false))
  }
}
