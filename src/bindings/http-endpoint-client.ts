// What the client halves of the two JSON bindings share: one HTTP request per call, streams as server-sent events.
// A binding says how a request is spread over HTTP and what an answer and an event of a stream mean.

import type { BindingId, Codec, Dialect } from '../dialects/dialect.ts'
import type { JsonValue } from '../model/json.ts'
import {
  isRead,
  isStreaming,
  type Operation,
  type OperationRequest,
  type OperationResult,
  type StreamingOperation,
} from '../model/operation.ts'
import type { HttpRequest } from '../net/http-request.ts'
import type { HttpResponse } from '../net/http-response.ts'
import type { RecordedFrame, RecordedRequest } from '../trace/exchange.ts'
import {
  type CallOptions,
  decodedOrThrow,
  type EndpointClient,
  type EndpointOptions,
  endsTurn,
  requestHeaders,
  type StreamItem,
  StreamSubject,
  type UnaryOperation,
  unsupportedHere,
} from './endpoint-client.ts'

/** One call, ready to be sent. */
export interface HttpCall {
  op: UnaryOperation | StreamingOperation
  http: HttpRequest & RecordedRequest
}

/** How a binding spreads a call over HTTP. */
interface Spread {
  method: string
  url: string
  body: Buffer
  /** Of an answer that is no stream. */
  accept: string
  contentType: string | undefined
}

export abstract class HttpEndpointClient<C extends HttpCall> implements EndpointClient {
  abstract readonly binding: BindingId
  readonly dialect: Dialect
  readonly url: string
  protected readonly options: EndpointOptions

  constructor(options: EndpointOptions) {
    this.options = options
    this.dialect = options.dialect
    this.url = options.url
  }

  prepare(op: UnaryOperation | StreamingOperation, request: OperationRequest<Operation>): RecordedRequest {
    return this.plan(op, request, {}).http
  }

  async call<O extends UnaryOperation>(
    op: O,
    request: OperationRequest<O>,
    options: CallOptions = {},
  ): Promise<OperationResult<O>> {
    const call = this.plan(op, request, options)
    const response = await this.options.http.request(call.http)
    const result = this.resultIn(response, await response.text(), call)
    return decodedOrThrow(this.codec(op).decodeResult(op, result), `result of ${op}`, this.dialect, response.exchange)
  }

  async *stream<O extends StreamingOperation>(
    op: O,
    request: OperationRequest<O>,
    options: CallOptions = {},
  ): AsyncGenerator<StreamItem, void, undefined> {
    for await (const items of this.batches(op, request, options)) yield* items
  }

  async *batches<O extends StreamingOperation>(
    op: O,
    request: OperationRequest<O>,
    options: CallOptions = {},
  ): AsyncGenerator<readonly StreamItem[], void, undefined> {
    const codec = this.codec(op)
    const call = this.plan(op, request, options)
    const response = await this.open(call)
    try {
      if (!this.isStream(response)) throw this.refusalIn(response, await response.text(), call)
      const subject = new StreamSubject(request)
      const read = (frame: RecordedFrame): StreamItem | undefined => {
        const text = this.eventTextIn(response, frame, call)
        const known = text && codec.readEvent?.(text)
        if (text !== undefined && known) {
          subject.check(known, response.exchange)
          return { event: known, text, ...(frame.id !== undefined && { id: frame.id }) }
        }
        const wire = this.eventIn(response, frame, call)
        const decoded = codec.decodeEvent(wire)
        // Of a kind that a later release knows; what else the stream says is still ours (1.0 §5.7).
        if (!decoded.ok && decoded.reason === 'not-in-dialect') return undefined
        const event = decodedOrThrow(decoded, 'stream event', this.dialect, response.exchange)
        subject.check(event, response.exchange)
        return frame.id === undefined ? { event } : { event, id: frame.id }
      }
      for await (const frames of response.frameBatches()) {
        const { items, failure } = readUntilEnd(frames, read)
        if (items.length > 0) yield items
        if (failure !== undefined) throw failure.reason
        const last = items.at(-1)
        if (last !== undefined && endsTurn(last.event)) return response.saidAll()
      }
    } finally {
      response.close()
    }
  }

  protected abstract plan(
    op: UnaryOperation | StreamingOperation,
    request: OperationRequest<Operation>,
    options: CallOptions,
  ): C

  /** The encoded result in a whole answer; throws the error in it, or says why there is neither. */
  protected abstract resultIn(response: HttpResponse, text: string, call: C): JsonValue | undefined

  /** The encoded event in a frame; throws the error in it, or says why there is neither. */
  protected abstract eventIn(response: HttpResponse, frame: RecordedFrame, call: C): JsonValue

  /** The JSON text of the event in a frame, where it can be found without reading it; undefined elsewhere. */
  protected abstract eventTextIn(response: HttpResponse, frame: RecordedFrame, call: C): string | undefined

  protected abstract isStream(response: HttpResponse): boolean

  /** What an answer that opens no stream means. */
  protected abstract refusalIn(response: HttpResponse, text: string, call: C): Error

  protected open(call: C): Promise<HttpResponse> {
    return this.options.http.request(call.http)
  }

  /** What every call sends, whatever the binding. */
  protected http(op: Operation, spread: Spread, call: CallOptions): HttpRequest & RecordedRequest {
    const { method, url, body, contentType } = spread
    const { lastEventId, trace, headers: given, signal, timeoutMs = this.options.timeoutMs } = call
    const accept = isStreaming(op) ? 'text/event-stream' : spread.accept
    const headers = requestHeaders(this.options, { accept, contentType, lastEventId, trace, headers: given })
    return { method, url, headers, body, signal, timeoutMs, repeatable: isRead(op) }
  }

  protected codec(op: Operation): Codec {
    const codec = this.dialect.codecs[this.binding]
    if (codec === undefined) throw unsupportedHere(op, this.dialect, this.binding)
    return codec
  }
}

/** What came before a frame that cannot be read has been said; what comes after the last event of a turn is not read. */
function readUntilEnd(
  frames: readonly RecordedFrame[],
  read: (frame: RecordedFrame) => StreamItem | undefined,
): { items: readonly StreamItem[]; failure?: { readonly reason: unknown } } {
  const items: StreamItem[] = []
  try {
    for (const frame of frames) {
      const item = read(frame)
      if (item === undefined) continue
      items.push(item)
      if (endsTurn(item.event)) break
    }
    return { items }
  } catch (reason) {
    return { items, failure: { reason } }
  }
}
