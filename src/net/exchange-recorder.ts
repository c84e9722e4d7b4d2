// Fills one Exchange while it happens. The record can be read at any time; the hook is called once, at the end.

import {
  type Exchange,
  type GrpcExchange,
  type HttpExchange,
  isGrpcRequest,
  type RecordedFrame,
  type RecordedGrpcRequest,
  type RecordedGrpcResponse,
  type RecordedRequest,
  type RecordedResponse,
} from '../trace/exchange.ts'
import type { NetError } from './net-error.ts'

export interface ExchangeHooks {
  /** Whether the body of the answer is kept: not for whoever passes it on and shows it to nobody. */
  keepsAnswer?: boolean | undefined
  /** The exchange as it begins; it fills while it goes on. */
  onBegin?: ((exchange: Exchange) => void) | undefined
  onExchange?: ((exchange: Exchange) => void) | undefined
}

let lastId = 0

export class ExchangeRecorder {
  readonly exchange: Exchange
  readonly #grpc: GrpcExchange | undefined
  readonly #startedMs = performance.now()
  readonly #maxBytes: number
  readonly #onEnd: ((exchange: Exchange) => void) | undefined
  #chunks: Uint8Array[] = []
  #size = 0
  #frameChars = 0
  readonly #keepsAnswer: boolean
  #isOver = false

  constructor(request: RecordedRequest | RecordedGrpcRequest, maxBytes: number, hooks: ExchangeHooks = {}) {
    const known = { id: `x${++lastId}`, startedAt: new Date().toISOString() }
    this.#grpc = isGrpcRequest(request) ? { ...known, protocol: 'grpc', request } : undefined
    this.exchange = this.#grpc ?? { ...known, request }
    this.#maxBytes = maxBytes
    this.#onEnd = hooks.onExchange
    this.#keepsAnswer = hooks.keepsAnswer !== false
    hooks.onBegin?.(this.exchange)
  }

  elapsedMs(): number {
    return performance.now() - this.#startedMs
  }

  begin(status: number, rawHeaders: readonly string[]): void {
    const headers: [string, string][] = []
    for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
      headers.push([rawHeaders[index] ?? '', rawHeaders[index + 1] ?? ''])
    }
    const joined = () => this.#joined()
    const response = {
      status,
      headers,
      get body() {
        return joined()
      },
    }
    if (this.#grpc !== undefined) this.#grpc.response = withTrailers(response)
    else (this.exchange as HttpExchange).response = response
  }

  /** How a gRPC call ended. */
  trailers(trailers: readonly (readonly [string, string])[], unknownFields: readonly string[]): void {
    const response = this.#grpc?.response
    if (response === undefined) return
    response.trailers = trailers
    if (unknownFields.length > 0) response.unknownFields = unknownFields
  }

  bytes(chunk: Uint8Array): void {
    if (!this.#keepsAnswer) return
    const room = this.#maxBytes - this.#size
    const kept = chunk.length <= room ? chunk : chunk.subarray(0, room)
    if (kept.length > 0) this.#chunks.push(kept)
    this.#size += kept.length
    if (kept.length < chunk.length) this.cut(`cut at ${this.#maxBytes} bytes`)
  }

  frame(event: { event: string | undefined; id: string | undefined; data: string }): RecordedFrame {
    if (!this.#keepsAnswer) return { atMs: 0, event: event.event, id: event.id, data: event.data }
    const frame = { atMs: Math.round(this.elapsedMs()), ...event }
    const { response } = this.exchange
    this.#frameChars += frame.data.length
    if (response !== undefined && this.#frameChars <= this.#maxBytes) {
      response.frames ??= []
      response.frames.push(frame)
    }
    return frame
  }

  /** The request goes out once more; what was learned until then is only why. */
  repeat(why: string): void {
    this.exchange.repeated = why
  }

  cut(why: string): void {
    if (this.exchange.response !== undefined) this.exchange.response.incomplete ??= why
  }

  /** Notes the failure and returns it, for throwing. */
  fail(error: NetError): NetError {
    if (!this.#isOver) this.exchange.failure = error.message
    this.cut(error.message)
    error.exchange ??= this.exchange
    this.end()
    return error
  }

  end(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.exchange.durationMs = Math.round(this.elapsedMs())
    this.#onEnd?.(this.exchange)
  }

  #joined(): Uint8Array {
    if (this.#chunks.length !== 1) this.#chunks = [Buffer.concat(this.#chunks, this.#size)]
    return this.#chunks[0] ?? new Uint8Array()
  }
}

/** Object.assign and the spread would read the body instead of keeping its getter. */
function withTrailers(response: RecordedResponse): RecordedGrpcResponse {
  return Object.defineProperty(response, 'trailers', {
    value: [],
    ...{ writable: true, enumerable: true },
  }) as RecordedGrpcResponse
}
