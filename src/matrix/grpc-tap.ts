// The wire tap for gRPC: calls come in over HTTP/2 without TLS, go on to the server as they are, and are kept as evidence
// with the messages in them.

import { createGrpcListener, type GrpcListener } from '../bindings/grpc/listener.ts'
import { grpcExchange } from '../grade/grpc-exchange.ts'
import { Http2Client, type HeaderList as Pairs } from '../net/http2-client.ts'
import { DEFAULT_LIMITS } from '../net/limits.ts'
import { STALL_TIMEOUT_MS } from '../net/serve/node-handler.ts'
import { type Feed, headerPairs, type NoReply, type Reply } from '../net/serve/reply.ts'
import type { ServerRequest } from '../net/serve/request.ts'
import type { Exchange, HttpExchange } from '../trace/exchange.ts'

/** Of one body; more is passed on, not kept. */
const MAX_KEPT_BYTES = 256 * 1024
const LIMITS = { ...DEFAULT_LIMITS, bodyBytes: 64 * 1024 * 1024 }

/** A call that passes: what is known of it so far. */
interface Passing {
  readonly http: HttpExchange
  trailers: Pairs
}

export class GrpcTap {
  readonly #upstream: string
  readonly #client = new Http2Client()
  readonly #calls: Passing[] = []
  #listener: GrpcListener | undefined
  #port = 0

  /** `upstream`: scheme, host and port of the server. */
  static async open(upstream: string): Promise<GrpcTap> {
    const tap = new GrpcTap(upstream)
    const listener = await createGrpcListener((request) => tap.#pass(request), {
      ...{ limits: LIMITS, pathPrefix: '', stallTimeoutMs: STALL_TIMEOUT_MS },
      services: () => [],
      isServing: () => true,
      onError: () => {},
    })
    tap.#listener = listener
    tap.#port = (await listener.listen({ port: 0, host: '127.0.0.1' })).port
    return tap
  }

  private constructor(upstream: string) {
    this.#upstream = upstream
  }

  /** As cards name it. */
  get address(): string {
    return `127.0.0.1:${this.#port}`
  }

  get exchanges(): Exchange[] {
    return this.#calls.map(({ http, trailers }) => grpcExchange(http, trailers))
  }

  async close(): Promise<void> {
    this.#client.close()
    await this.#listener?.close({ graceMs: 0 })
  }

  async #pass(request: ServerRequest): Promise<Reply | NoReply> {
    const body = await request.body.read(LIMITS)
    const headers = headerPairs(request.rawHeaders).filter(([name]) => !name.startsWith(':'))
    const http: HttpExchange = {
      id: `call-${this.#calls.length + 1}`,
      startedAt: new Date().toISOString(),
      request: { method: 'POST', url: `http://${this.address}${request.url}`, headers, body },
    }
    const passing: Passing = { http, trailers: [] }
    this.#calls.push(passing)
    return this.#answerOf(passing, request)
  }

  #answerOf(passing: Passing, request: ServerRequest): Promise<Reply | NoReply> {
    const { http } = passing
    const pieces = new PassedPieces()
    const url = new URL(request.url, this.#upstream)
    return new Promise((resolve) => {
      const begin = (status: number, headers: Pairs, isAll: boolean) => {
        http.response = { status, headers, body: Buffer.alloc(0) }
        const head = { status, headers: headers.flat() }
        const trailers = () => passing.trailers.flat()
        resolve(isAll ? head : { ...head, body: { kind: 'messages', feed: pieces, trailers } })
      }
      const fail = (error: Error) => {
        http.failure = error.message
        if (http.response !== undefined) http.response.incomplete = error.message
        pieces.fail(error)
        resolve({ ending: 'reset' })
      }
      const call = this.#client.request(
        { url, headers: http.request.headers, body: http.request.body },
        {
          onHead: begin,
          onBytes: (chunk) => {
            keep(http, chunk)
            pieces.say(chunk)
          },
          onTrailers: (trailers) => {
            passing.trailers = trailers
          },
          onEnd: (error) => (error === undefined ? pieces.end() : fail(error)),
        },
      )
      call.then(
        ({ cancel }) => request.onClose((isAnswered) => void (isAnswered || cancel())),
        (error: unknown) => fail(error instanceof Error ? error : new Error(String(error))),
      )
    })
  }
}

function keep({ response }: HttpExchange, chunk: Buffer): void {
  if (response === undefined) return
  const room = MAX_KEPT_BYTES - response.body.length
  if (room > 0) response.body = Buffer.concat([response.body, chunk.subarray(0, room)])
  if (chunk.length > room) response.incomplete = `more than ${MAX_KEPT_BYTES} bytes were sent`
}

/** What came from the server, for the client to take. */
class PassedPieces implements Feed<Uint8Array> {
  readonly #waiting: Uint8Array[] = []
  #ending: { error?: Error } | undefined
  #wake: (() => void) | undefined

  say(piece: Uint8Array): void {
    this.#waiting.push(piece)
    this.#wake?.()
  }

  end(): void {
    this.#ending ??= {}
    this.#wake?.()
  }

  fail(error: Error): void {
    this.#ending ??= { error }
    this.#wake?.()
  }

  async next(): Promise<Uint8Array | undefined> {
    while (this.#waiting.length === 0 && this.#ending === undefined)
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    const piece = this.#waiting.shift()
    if (piece === undefined && this.#ending?.error !== undefined) throw this.#ending.error
    return piece
  }

  close(): void {
    this.end()
  }
}
