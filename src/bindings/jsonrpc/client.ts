// The client half of the JSON-RPC binding (1.0 §9): one POST per call, streams as SSE of JSON-RPC responses. An
// answer counts only when it carries the id of the request.

import type { BindingId, Codec, Dialect } from '../../dialects/dialect.ts'
import type { A2AError } from '../../model/errors.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts'
import {
  isRead,
  type Operation,
  type OperationRequest,
  type OperationResult,
  type StreamingOperation,
} from '../../model/operation.ts'
import type { HttpResponse } from '../../net/http-response.ts'
import type { RecordedRequest } from '../../trace/exchange.ts'
import {
  type CallOptions,
  decodedOrThrow,
  type EndpointClient,
  type EndpointOptions,
  endsTurn,
  httpError,
  InvalidPeerResponse,
  isEventStream,
  jsonIn,
  notA2A,
  requestHeaders,
  type StreamItem,
  StreamSubject,
  type UnaryOperation,
  unsupportedHere,
} from '../endpoint-client.ts'

export class JsonRpcClient implements EndpointClient {
  readonly binding: BindingId = 'jsonrpc'
  readonly dialect: Dialect
  readonly url: string
  readonly #options: EndpointOptions
  readonly #codec: Codec | undefined
  #lastId = 0

  constructor(options: EndpointOptions) {
    this.#options = options
    this.dialect = options.dialect
    this.url = options.url
    this.#codec = options.dialect.codecs.jsonrpc
  }

  prepare(op: UnaryOperation | StreamingOperation, request: OperationRequest<Operation>): RecordedRequest {
    return this.#request(op, request, {}).http
  }

  async call<O extends UnaryOperation>(
    op: O,
    request: OperationRequest<O>,
    options: CallOptions = {},
  ): Promise<OperationResult<O>> {
    const { id, http, codec } = this.#request(op, request, options)
    const response = await this.#options.http.request(http)
    const result = this.#resultOf(response, await response.text(), id)
    return decodedOrThrow(codec.decodeResult(op, result), `result of ${op}`, this.dialect, response.exchange)
  }

  async *stream<O extends StreamingOperation>(
    op: O,
    request: OperationRequest<O>,
    options: CallOptions = {},
  ): AsyncGenerator<StreamItem, void, undefined> {
    const { id, http, codec } = this.#request(op, request, options)
    const response = await this.#options.http.request(http)
    try {
      if (!isEventStream(response)) {
        // Errors before the first event come as plain JSON; a bare result does not belong here (1.0 §9.4.2).
        this.#resultOf(response, await response.text(), id)
        throw new InvalidPeerResponse(`${this.url} answered ${op} with one result, not a stream.`, response.exchange)
      }
      const subject = new StreamSubject(request)
      for await (const frame of response.frames()) {
        const wire = this.#resultOf(response, frame.data, id) ?? null
        const event = decodedOrThrow(codec.decodeEvent(wire), 'stream event', this.dialect, response.exchange)
        subject.check(event, response.exchange)
        yield frame.id === undefined ? { event } : { event, id: frame.id }
        if (endsTurn(event)) return response.saidAll()
      }
    } finally {
      response.close()
    }
  }

  #request(op: UnaryOperation | StreamingOperation, request: OperationRequest<Operation>, options: CallOptions) {
    const codec = this.#codec
    const method = this.dialect.methods[op]
    if (codec === undefined || method === undefined) throw unsupportedHere(op, this.dialect, this.binding)
    const id = ++this.#lastId
    const params = codec.encodeRequest(op, request).wire
    const accept = op === 'streamMessage' || op === 'subscribeTask' ? 'text/event-stream' : 'application/json'
    const http = {
      method: 'POST',
      url: this.url,
      headers: requestHeaders(this.#options, {
        accept,
        contentType: 'application/json',
        lastEventId: options.lastEventId,
      }),
      body: Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, method, params })),
      signal: options.signal,
      timeoutMs: options.timeoutMs ?? this.#options.timeoutMs,
      repeatable: isRead(op),
    }
    return { id, http, codec }
  }

  /** The result of a JSON-RPC response; throws its error, or says why it is none. */
  #resultOf(response: HttpResponse, text: string, id: number): JsonValue | undefined {
    const body = jsonIn(text)
    if (!isJsonObject(body) || !('result' in body || isJsonObject(body.error))) {
      if (response.status >= 400) throw httpError(response, this.url, this.#options)
      throw notA2A(response, this.url, text, 'a JSON-RPC response')
    }
    // A server that could not read the id of a request has to answer with null (JSON-RPC 2.0 §5).
    const isAnonymousError = body.id === null && isJsonObject(body.error)
    if (body.id !== id && !isAnonymousError) {
      throw new InvalidPeerResponse(
        `${this.url} answered request ${id} with the id ${JSON.stringify(body.id) ?? 'missing'}.`,
        response.exchange,
        [],
        `${this.url} answered request ${id} with another id.`,
      )
    }
    if (isJsonObject(body.error)) throw this.#rpcError(body.error, response.status)
    return body.result
  }

  #rpcError(error: JsonObject, status: number): A2AError {
    return this.dialect.errors(this.#options.revision).decode({
      ...(typeof error.code === 'number' ? { code: error.code } : {}),
      ...(status >= 400 ? { status } : {}),
      message: typeof error.message === 'string' ? error.message : 'The agent gave no message.',
      ...(error.data === undefined ? {} : { data: error.data }),
    })
  }
}
