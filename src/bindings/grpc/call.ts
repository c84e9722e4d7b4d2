// One gRPC call from the calling side: bytes out, messages in as they come, and how it ended. Everything is recorded; what
// the messages mean is up to the client, and what is wrong with them up to the judge.

import type { JsonValue } from '../../model/json.ts'
import { ExchangeRecorder } from '../../net/exchange-recorder.ts'
import type { HttpClient } from '../../net/http-client.ts'
import type { Http2Call } from '../../net/http2-client.ts'
import { NetError, toNetError } from '../../net/net-error.ts'
import { type GrpcExchange, headerOf, type RecordedFrame } from '../../trace/exchange.ts'
import { BadFrame, FrameReader } from './frames.ts'
import { decodeMessage, type UnknownField } from './proto/decode.ts'
import { schema } from './proto/schema.ts'
import { GRPC, type GrpcOutcome, readOutcome } from './status.ts'

const DEFAULT_TIMEOUT_MS = 30_000
const DEFAULT_IDLE_MS = 60_000
const DEFAULT_STREAM_MS = 600_000
const MAX_MESSAGE_BYTES = 4 * 1024 * 1024
const MAX_RECORDED_BYTES = 4 * 1024 * 1024
/** So many messages wait for their reader before the peer is held back. */
const MAX_WAITING = 64
const MAX_UNKNOWN = 20

export interface GrpcRequest {
  /** Scheme, host, port, and the path of the rpc. */
  url: URL
  headers: readonly (readonly [string, string])[]
  /** With its prefix. */
  body: Uint8Array
  /** What the body says, for the record. */
  message: string | undefined
  isStream: boolean
  timeoutMs?: number | undefined
  signal?: AbortSignal | undefined
  freshConnection?: boolean | undefined
  withoutCertificate?: boolean | undefined
  onExchange?: ((exchange: GrpcExchange) => void) | undefined
}

/** A message as it came: `json` is undefined when the bytes are none of the rpc, and `frame.data` says why. */
export interface GrpcMessage {
  json: JsonValue | undefined
  frame: RecordedFrame
  /** It has fields that the schema does not know and no others, as a member that a later release added to a oneof. */
  isUnknown: boolean
}

export class GrpcCall {
  readonly exchange: GrpcExchange
  /** Set when the call is over; undefined also then, if the peer did not say it. */
  outcome: GrpcOutcome | undefined
  readonly #recorder: ExchangeRecorder
  readonly #request: GrpcRequest
  readonly #origin: string
  readonly #idleMs: number
  readonly #streamMs: number
  readonly #maxBytes: number
  readonly #waiting: GrpcMessage[] = []
  readonly #unknown: UnknownField[] = []
  #reader: FrameReader | undefined
  #call: Http2Call | undefined
  #failure: NetError | undefined
  #isOver = false
  #wake: (() => void) | undefined
  #timer: NodeJS.Timeout | undefined
  #total: NodeJS.Timeout | undefined
  #isPaused = false
  #trailers: readonly (readonly [string, string])[] = []

  /** Resolves when the call is under way or could not be made; what happens then is told by `next`. */
  static async open(http: HttpClient, request: GrpcRequest): Promise<GrpcCall> {
    const call = new GrpcCall(http, request)
    await call.#start(http)
    return call
  }

  private constructor(http: HttpClient, request: GrpcRequest) {
    const { url, body, message, withoutCertificate } = request
    const { idleTimeoutMs, streamTimeoutMs, maxEventBytes, maxBodyBytes, userAgent } = http.defaults
    const headers = userAgent === undefined ? request.headers : saying(request.headers, userAgent)
    this.#request = { ...request, headers }
    this.#origin = url.origin
    this.#idleMs = idleTimeoutMs ?? DEFAULT_IDLE_MS
    this.#streamMs = streamTimeoutMs ?? DEFAULT_STREAM_MS
    this.#maxBytes = (request.isStream ? maxEventBytes : maxBodyBytes) ?? MAX_MESSAGE_BYTES
    const sent = { method: 'POST', url: url.href, headers, body, rpc: url.pathname.slice(1), message }
    const { onBegin, onExchange } = http.defaults
    this.#recorder = new ExchangeRecorder(
      withoutCertificate === true ? { ...sent, withoutCertificate } : sent,
      MAX_RECORDED_BYTES,
      { onBegin, onExchange: (request.onExchange as ((exchange: unknown) => void) | undefined) ?? onExchange },
    )
    this.exchange = this.#recorder.exchange as GrpcExchange
  }

  /** The next message, or undefined at the end; throws NetError when the call was cut. */
  async next(): Promise<GrpcMessage | undefined> {
    for (;;) {
      const found = this.#waiting.shift()
      if (found !== undefined) {
        if (this.#isPaused && this.#waiting.length < MAX_WAITING / 2) {
          this.#isPaused = false
          this.#call?.resume()
        }
        return found
      }
      if (this.#isOver) {
        if (this.#failure !== undefined) throw this.#failure
        return undefined
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  /** Gives up what was not read. Safe to call at any time. */
  close(): void {
    if (this.#isOver) return
    this.#recorder.cut('closed before its end')
    this.#finish(undefined)
    this.#call?.cancel()
  }

  async #start(http: HttpClient): Promise<void> {
    const {
      url,
      headers,
      body,
      signal,
      timeoutMs = DEFAULT_TIMEOUT_MS,
      freshConnection,
      withoutCertificate,
    } = this.#request
    const onAbort = () => this.#giveUp(new NetError('aborted', 'The request was canceled.'))
    signal?.addEventListener('abort', onAbort, { once: true })
    this.#wait(timeoutMs, `${this.#origin} did not answer within ${timeoutMs} ms.`)
    try {
      if (signal?.aborted) throw new NetError('aborted', 'The request was canceled before it was sent.')
      const { tls, reach } = http.defaults
      this.#call = await http.http2.request(
        { url, headers, body, tls, reach, freshConnection, withoutCertificate },
        {
          onHead: (status, found, isAll) => this.#head(status, found, isAll),
          onBytes: (chunk) => this.#bytes(chunk),
          onTrailers: (trailers) => {
            this.#trailers = trailers
          },
          onEnd: (error) => {
            signal?.removeEventListener('abort', onAbort)
            this.#ended(error)
          },
        },
      )
      if (this.#isOver) this.#call.cancel()
    } catch (error) {
      signal?.removeEventListener('abort', onAbort)
      this.#finish(toNetError(error, this.#origin))
    }
  }

  #head(status: number, headers: readonly (readonly [string, string])[], isAll: boolean): void {
    this.#recorder.begin(status, headers.flat())
    if (isAll) this.#trailers = headers
    const encoding = headerOf(headers, 'grpc-encoding')
    this.#reader = new FrameReader({ maxBytes: this.#maxBytes, encoding })
    if (!this.#request.isStream) return
    this.#total = setTimeout(
      () =>
        this.#giveUp(new NetError('timeout', `${this.#origin} did not end its stream within ${this.#streamMs} ms.`)),
      this.#streamMs,
    )
    this.#wait(this.#idleMs, `${this.#origin} sent nothing for ${this.#idleMs} ms.`)
  }

  #bytes(chunk: Buffer): void {
    if (this.#isOver) return
    this.#recorder.bytes(chunk)
    if (this.#request.isStream) this.#wait(this.#idleMs, `${this.#origin} sent nothing for ${this.#idleMs} ms.`)
    try {
      // Whatever is no gRPC is told at the end; its body is a record and nothing else.
      if (this.#isGrpc()) for (const bytes of this.#reader?.push(chunk) ?? []) this.#message(bytes)
    } catch (error) {
      if (!(error instanceof BadFrame)) throw error
      this.#giveUp(
        new NetError(error.problem === 'too-large' ? 'too-large' : 'protocol', `${this.#origin}: ${error.message}`),
      )
    }
  }

  #message(bytes: Buffer): void {
    const type = schema().rpc(this.#request.url.pathname)?.response
    const unknownBefore = this.#unknown.length
    let json: JsonValue | undefined
    let data: string
    try {
      json = type === undefined ? undefined : decodeMessage(type, bytes, { unknown: this.#unknown })
      data = json === undefined ? 'a message of an unknown rpc' : JSON.stringify(json)
    } catch (error) {
      data = `no message of this rpc: ${error instanceof Error ? error.message : ''}`
    }
    const isUnknown = this.#unknown.length > unknownBefore && data === '{}'
    this.#waiting.push({ json, frame: this.#recorder.frame({ event: undefined, id: undefined, data }), isUnknown })
    if (this.#waiting.length > MAX_WAITING && !this.#isPaused) {
      this.#isPaused = true
      this.#call?.pause()
    }
    this.#wake?.()
  }

  #ended(error: NetError | undefined): void {
    if (this.#isOver) return
    if (error !== undefined && headerOf(this.#trailers, 'grpc-status') === undefined) {
      this.#finish(error)
      return
    }
    const unknown = this.#unknown
      .slice(0, MAX_UNKNOWN)
      .map(({ number, message, wireType, isKnownNumber }) =>
        isKnownNumber ? `${number} of ${message} with wire type ${wireType}` : `${number} of ${message}`,
      )
    this.#recorder.trailers(this.#trailers, [...new Set(unknown)])
    if (!this.#isGrpc()) {
      const { status = 0 } = this.exchange.response ?? {}
      const type = headerOf(this.exchange.response?.headers ?? [], 'content-type') ?? 'no content type'
      this.#finish(new NetError('protocol', `${this.#origin} answered HTTP ${status} with ${type}, which is not gRPC.`))
      return
    }
    const outcome = readOutcome(this.#trailers)
    if (this.#reader?.isInside === true && outcome.code === GRPC.ok)
      this.outcome = { code: GRPC.internal, message: 'The last message was cut.', details: [], fault: 'a cut message' }
    else this.outcome = outcome
    this.#finish(undefined)
  }

  #isGrpc(): boolean {
    const { status, headers = [] } = this.exchange.response ?? {}
    return status === 200 && /^application\/grpc(?:[+;]|$)/i.test(headerOf(headers, 'content-type') ?? '')
  }

  #giveUp(error: NetError): void {
    if (this.#isOver) return
    this.#finish(error)
    this.#call?.cancel()
  }

  #finish(error: NetError | undefined): void {
    if (this.#isOver) return
    this.#isOver = true
    clearTimeout(this.#timer)
    clearTimeout(this.#total)
    if (error === undefined) this.#recorder.end()
    else this.#failure = this.#recorder.fail(error)
    this.#wake?.()
  }

  #wait(ms: number, message: string): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#giveUp(new NetError('timeout', message)), ms)
  }
}

/** The same call, under this name. */
function saying(headers: GrpcRequest['headers'], userAgent: string): GrpcRequest['headers'] {
  return [...headers.filter(([name]) => name.toLowerCase() !== 'user-agent'), ['user-agent', userAgent]]
}
