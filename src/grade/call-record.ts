// What passes between the client and the agent of a scenario, kept byte for byte: the evidence of every claim.

import { type MaybePromise, mapMaybePromise } from '../base/maybe-promise.ts'
import {
  type EventBody,
  type Feed,
  type HeaderList,
  headerPairs,
  type MessageBody,
  type NoReply,
  type Piece,
  type Reply,
} from '../net/serve/reply.ts'
import type { ServerRequest } from '../net/serve/request.ts'
import type { Exchange, HttpExchange } from '../trace/exchange.ts'
import { grpcExchange, grpcRequestText } from './grpc-exchange.ts'

/** Of one answer; more is counted, not kept. */
const MAX_KEPT_BYTES = 256 * 1024

export class CallRecord {
  readonly number: number
  readonly method: string
  readonly url: string
  /** As text; of gRPC, the message in it as JSON. */
  readonly body: string
  readonly #bytes: Buffer
  readonly #isGrpc: boolean
  readonly #origin: string
  readonly #headers: readonly [string, string][]
  readonly #startedAt = new Date()
  readonly #pieces: Buffer[] = []
  #count = 0
  #reply: Pick<Reply, 'status' | 'headers'> | undefined
  #trailers: HeaderList = []
  #silence: NoReply | undefined
  ending: 'open' | 'answered' | 'cut' = 'open'

  constructor(number: number, request: ServerRequest, body: Buffer, origin: string) {
    this.number = number
    this.method = request.method
    this.url = request.url
    this.#bytes = body
    this.#isGrpc = request.takesTrailers === true
    this.body = this.#isGrpc ? grpcText(request, body) : body.toString('utf8')
    this.#origin = origin
    this.#headers = headerPairs(request.rawHeaders)
    request.onClose((isAnswered) => {
      this.ending = isAnswered ? 'answered' : 'cut'
    })
  }

  /** Names in lower case; lines of the same name are one list (RFC 9110 §5.3). */
  get headers(): Readonly<Record<string, string>> {
    const lines = Map.groupBy(this.#headers, ([name]) => name.toLowerCase())
    return Object.fromEntries([...lines].map(([name, same]) => [name, same.map(([, value]) => value).join(', ')]))
  }

  /** The answer, with what goes out of it noted. */
  observe(reply: Reply | NoReply): Reply | NoReply {
    if ('ending' in reply) {
      this.#silence = reply
      return reply
    }
    const { status, headers, body, trailers = [] } = reply
    this.#reply = { status, headers }
    this.#trailers = trailers
    if (typeof body === 'object' && !(body instanceof Uint8Array))
      return { status, headers, body: { ...this.#ended(body), feed: this.#observed(body.feed) } }
    if (body !== undefined) this.#note(body)
    return reply
  }

  get exchange(): Exchange {
    return this.#isGrpc ? grpcExchange(this.#http, headerPairs(this.#trailers)) : this.#http
  }

  get #http(): HttpExchange {
    const exchange: HttpExchange = {
      id: `call-${this.number}`,
      startedAt: this.#startedAt.toISOString(),
      request: {
        method: this.method,
        url: `${this.#origin}${this.url}`,
        headers: this.#headers,
        body: this.#bytes,
      },
    }
    if (this.#silence !== undefined) exchange.failure = `no answer, on purpose (${this.#silence.ending})`
    if (this.#reply === undefined) return exchange
    const { status, headers } = this.#reply
    exchange.response = { status, headers: headerPairs(headers), body: Buffer.concat(this.#pieces) }
    if (this.#count > MAX_KEPT_BYTES) exchange.response.incomplete = `${this.#count} bytes were sent in all`
    else if (this.ending === 'cut') exchange.response.incomplete = 'the connection ended before the answer did'
    return exchange
  }

  /** The end of a stream is known only then. */
  #ended<Body extends EventBody | MessageBody>(body: Body): Body {
    if (body.kind !== 'messages' || body.trailers === undefined) return body
    const trailers = () => {
      this.#trailers = body.trailers?.() ?? []
      return this.#trailers
    }
    return { ...body, trailers }
  }

  #observed(feed: Feed<Piece>): Feed<Piece> {
    const note = (piece: Piece | undefined): Piece | undefined => {
      if (piece !== undefined) this.#note(piece)
      return piece
    }
    const next = (): MaybePromise<Piece | undefined> => mapMaybePromise(feed.next(), note)
    return { next, close: () => feed.close() }
  }

  #note(piece: Piece): void {
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : Buffer.from(piece)
    const room = MAX_KEPT_BYTES - this.#count
    this.#count += bytes.byteLength
    if (room > 0) this.#pieces.push(bytes.subarray(0, room))
  }
}

function grpcText({ path, headers }: ServerRequest, body: Buffer): string {
  const encoding = headers['grpc-encoding']
  return grpcRequestText(path, body, typeof encoding === 'string' ? encoding : undefined)
}
