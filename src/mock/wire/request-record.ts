// One request and its answer while they happen: the journal entry that fills itself. Bytes are kept as they pass;
// JSON, operation and frames are worked out only on request.

import { type MaybePromise, mapMaybePromise } from '../../base/maybe-promise.ts'
import type { AskedRequest, BodiesInJson, MessageInBody } from '../../bindings/served-binding.ts'
import { bodiesInJson, operationAsked } from '../../bindings/serving.ts'
import { DIALECTS } from '../../dialects/index.ts'
import type { JsonValue } from '../../model/json.ts'
import type { Operation } from '../../model/operation.ts'
import { DEFAULT_LIMITS } from '../../net/limits.ts'
import {
  type EventBody,
  type Feed,
  type HeaderList,
  headerIn,
  headerPairs,
  type MessageBody,
  type NoReply,
  type Piece,
  type Reply,
} from '../../net/serve/reply.ts'
import { knownBody, type RequestBody, type ServerRequest } from '../../net/serve/request.ts'
import type { RecordedFrame } from '../../trace/exchange.ts'
import type { FaultName } from '../faults/catalogue.ts'
import type { Journal, JournalEntry } from '../journal.ts'
import type { AnswerChoice, CurrentRequest } from '../scripted-agent.ts'
import { parsePayload } from './payload.ts'

const SMALL_BYTES = 16 * 1024

/** Since the process began; whole, because every fraction kept is an object of its own. */
function wholeMs(): number {
  return Math.round(performance.now())
}

interface SentPiece {
  readonly atMs: number
  readonly piece: Piece
}

type HeaderPairs = readonly (readonly [string, string])[]

export class RequestRecord implements JournalEntry, CurrentRequest {
  readonly number: number
  readonly method: string
  readonly url: string
  rule: string | undefined
  turn: number | undefined
  taskId: string | undefined
  contextId: string | undefined
  unmatched: JournalEntry['unmatched']
  fault: FaultName | undefined
  status: number | undefined
  outcome: JournalEntry['outcome'] = 'open'
  durationMs: number | undefined
  readonly #journal: Journal
  /** Below the mount: what the routes are matched against. */
  readonly path: string
  /** How to read bodies that are no JSON. */
  readonly #inJson: BodiesInJson | undefined
  /** One text instead of twenty: what is kept long is kept in few pieces. No header can hold a line break. */
  readonly #requestHead: string
  readonly #startedMs = wholeMs()
  #responseHead: HeaderList = []
  #trailers: HeaderList = []
  #received: Buffer | string = ''
  /** Most answers are one piece; a list for each would be a list too many. */
  #sent: Piece = ''
  #sentAtMs = 0
  #sentLater: SentPiece[] | undefined
  #cut: ((lost: NoReply) => void) | undefined

  constructor(journal: Journal, request: ServerRequest, path: string) {
    this.#journal = journal
    this.path = path
    this.#inJson = request.takesTrailers === true ? bodiesInJson(request) : undefined
    this.#requestHead = request.rawHeaders.join('\n')
    this.number = journal.nextNumber()
    this.method = request.method
    this.url = request.url
    request.onClose((isAnswered) => this.#closed(isAnswered))
  }

  /** Reads the body, keeps it, and goes on with what the server gets instead, which says the same. */
  receive<T>({ body }: ServerRequest, goOn: (body: RequestBody) => MaybePromise<T>): MaybePromise<T> {
    const received = (bytes: Buffer): MaybePromise<T> => {
      // Small bodies are kept as text: ten thousand little buffers weigh on the garbage collector.
      this.#received = bytes.byteLength <= SMALL_BYTES ? bytes.toString('latin1') : bytes
      return goOn(knownBody(bytes))
    }
    const failed = (error: unknown): MaybePromise<T> =>
      goOn(knownBody(error instanceof Error ? error : new Error(String(error))))
    let reading: MaybePromise<Buffer>
    try {
      reading = body.read(DEFAULT_LIMITS)
    } catch (error) {
      return failed(error)
    }
    return reading instanceof Promise ? reading.then(received, failed) : received(reading)
  }

  get receivedAt(): string {
    return new Date(performance.timeOrigin + this.#startedMs).toISOString()
  }

  /** Names in lower case. */
  get headers(): { readonly [name: string]: string } {
    return Object.fromEntries(this.requestHeaders.map(([name, value]) => [name.toLowerCase(), value]))
  }

  get requestHeaders(): HeaderPairs {
    return headerPairs(linesOf(this.#requestHead))
  }

  get requestBody(): Buffer {
    return typeof this.#received === 'string' ? Buffer.from(this.#received, 'latin1') : this.#received
  }

  get requestJson(): JsonValue | undefined {
    if (this.#inJson !== undefined) return this.#inJson.request(this.path, this.requestBody, this.headers)
    return parsePayload(this.requestBody.toString('utf8'))
  }

  get operation(): Operation | undefined {
    return operationOrCard({ method: this.method, path: this.path, json: () => this.requestJson })
  }

  get responseHeaders(): HeaderPairs {
    return headerPairs(this.#responseHead)
  }

  get responseBody(): Buffer {
    return Buffer.concat(this.#pieces().map(({ piece }) => Buffer.from(piece as string)))
  }

  get responseTrailers(): HeaderPairs {
    return headerPairs(this.#trailers)
  }

  get grpcStatus(): number | undefined {
    const told = headerIn(this.#trailers, 'grpc-status') ?? headerIn(this.#responseHead, 'grpc-status')
    return told === undefined ? undefined : Number(told)
  }

  get frames(): readonly RecordedFrame[] {
    if (this.#inJson !== undefined)
      return messageFrames(this.#inJson.answer(this.path, this.responseBody), this.#pieces())
    const isStream = this.responseHeaders.some(
      ([name, value]) => name.toLowerCase() === 'content-type' && value.startsWith('text/event-stream'),
    )
    return isStream ? framesOf(this.#pieces()) : []
  }

  /** What the script makes of it. */
  chose(choice: AnswerChoice, ids?: { taskId: string; contextId: string }): void {
    this.taskId = ids?.taskId
    this.contextId = ids?.contextId
    if (choice.ok) {
      this.rule = choice.id
      this.turn = choice.index
    } else {
      this.unmatched = { message: choice.message, nearest: choice.nearest }
    }
    this.#journal.chosen(this)
  }

  /** The answer, with everything that goes out with it noted. */
  observe(reply: Reply | NoReply): Reply | NoReply {
    if ('ending' in reply) return reply
    const { status, headers, body, trailers } = reply
    this.status = status
    this.#responseHead = headers
    if (trailers !== undefined) this.#trailers = trailers
    if (typeof body === 'object' && !(body instanceof Uint8Array))
      return { status, headers, body: this.#observedBody(body) }
    if (body !== undefined && body.length > 0) this.#note(body)
    return reply
  }

  /** The answer, or the end of the connection if that comes first. */
  orCut(reply: MaybePromise<Reply | NoReply>): Promise<Reply | NoReply> {
    const { promise, resolve } = Promise.withResolvers<NoReply>()
    this.#cut = resolve
    return Promise.race([reply, promise])
  }

  cut(): void {
    this.#cut?.({ ending: 'close' })
  }

  #observedBody(body: EventBody | MessageBody): EventBody | MessageBody {
    const feed = this.#observed(body.feed)
    if (body.kind === 'events' || body.trailers === undefined) return { ...body, feed }
    const trailers = () => {
      this.#trailers = body.trailers?.() ?? []
      return this.#trailers
    }
    return { ...body, feed, trailers }
  }

  #observed(feed: Feed<Piece>): Feed<Piece> {
    const note = (piece: Piece | undefined): Piece | undefined => {
      if (piece !== undefined && piece.length > 0) this.#note(typeof piece === 'string' ? flat(piece) : piece)
      return piece
    }
    return { next: () => mapMaybePromise(feed.next(), note), close: () => feed.close() }
  }

  #note(piece: Piece): void {
    const atMs = wholeMs() - this.#startedMs
    if (this.#sent === '') {
      this.#sent = piece
      this.#sentAtMs = atMs
    } else {
      this.#sentLater ??= []
      this.#sentLater.push({ atMs, piece })
    }
    this.#journal.changed(this)
  }

  #pieces(): readonly SentPiece[] {
    return [{ atMs: this.#sentAtMs, piece: this.#sent }, ...(this.#sentLater ?? [])]
  }

  #closed(isWhole: boolean): void {
    if (this.outcome !== 'open') return
    this.outcome = isWhole ? 'answered' : 'cut'
    this.durationMs = wholeMs() - this.#startedMs
    this.#journal.finished(this)
  }
}

/** What a request asks for, in whichever generation and binding; undefined for what none knows. */
export function operationOrCard(request: AskedRequest): Operation | undefined {
  const { method, path } = request
  const isCard = path === '' || path === '/' || DIALECTS.some(({ card }) => card.wellKnownPaths.includes(path))
  return method === 'GET' && isCard ? 'getCard' : operationAsked(DIALECTS, request)
}

/**
 * The same text in one piece. One that was put together is a tree of what it was made of until it is read; the
 * journal would keep a thousand of them for the garbage collector to walk through.
 */
function flat(text: string): string {
  // Looking for a number in it makes the engine put it together in place, without another copy.
  void Number(text)
  return text
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.split('\n')
}

/** A message was there when the piece with its last byte was. */
function messageFrames(messages: readonly MessageInBody[], sent: readonly SentPiece[]): RecordedFrame[] {
  const ends: { end: number; atMs: number }[] = []
  let length = 0
  for (const { atMs, piece } of sent) {
    length += Buffer.byteLength(piece)
    ends.push({ end: length, atMs })
  }
  return messages.map(({ json, end }) => ({
    atMs: ends.find((each) => each.end >= end)?.atMs ?? 0,
    ...{ event: undefined, id: undefined, data: JSON.stringify(json) },
  }))
}

function framesOf(sent: readonly SentPiece[]): RecordedFrame[] {
  const frames: RecordedFrame[] = []
  const decoder = new TextDecoder()
  let text = ''
  for (const { atMs, piece } of sent) {
    text += typeof piece === 'string' ? piece : decoder.decode(piece, { stream: true })
    const blocks = text.split(/\r?\n\r?\n/)
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const fields = block.split(/\r?\n/).filter((line) => !line.startsWith(':'))
      const valuesOf = (name: string): string[] =>
        fields
          .filter((line) => line.startsWith(`${name}:`))
          .map((line) => line.slice(name.length + 1).replace(/^ /, ''))
      if (valuesOf('data').length === 0) continue
      frames.push({
        atMs,
        event: valuesOf('event')[0],
        id: valuesOf('id')[0],
        data: valuesOf('data').join('\n'),
      })
    }
  }
  return frames
}
